/* arguments.h -- the argument of a kernel on a GPU: one struct by value, shared by planners (C)
 * and kernels (CUDA). Plain types only: NVRTC has no standard headers. */
#ifndef RANKSH_CUDA_ARGUMENTS_H
#define RANKSH_CUDA_ARGUMENTS_H

enum { STRIDED_DIMS = 6, ELEMENTS_TENSORS = 5, ELEMENTS_OPTIONS = 6, THREADS = 256, COPY_TILE = 32 };
/* groups of 16 bytes per thread: having fewer threads gains more than the longer loop costs */
enum { GROUPS = 2 };

/* a tensor; strides in elements, 0 for a repeated dimension */
struct strided {
	void *data;
	int dtype; /* enum dtype */
	int dims;
	long long dim[STRIDED_DIMS], stride[STRIDED_DIMS];
};

/* Elementwise: the arguments in order, then the result, all in its shape; dimensions that are
 * contiguous in all are merged. */
struct elements {
	long long count, dim[STRIDED_DIMS];
	int dims;
	int add; /* += : the result's old value is added in double */
	/* elements per group, 4 or 8: contiguous and aligned for vector access; or 0 */
	int wide;
	/* the type of all tensors if groups have 16 bytes and nothing is added; else none */
	int type;
	struct {
		void *data;
		long long stride[STRIDED_DIMS];
		int dtype;
	} tensor[ELEMENTS_TENSORS];
	double option[ELEMENTS_OPTIONS];
};

/* ---- matrices: matmul.cu, attention.cu, attention_grad.cu */

/* element [r,c] is at data + r * row + c * column elements. type: enum dtype */
struct device_matrix {
	void *data;
	long long row, column;
	int type;
};

/* block of the kernels for any type and strides: rows and columns of the result, threads */
enum { TILE = 64, TILE_THREADS = 256 };

/* matmul_any: y [m,n] := scale a b, or += */
struct product {
	struct device_matrix a, b, y;
	long long m, n;
	int k, add;
	float scale;
};

/* data NULL: no such operand. q o do dq [sequences*queries, heads*d], k v dk dv [sequences*keys,
 * heads*d], lse [sequences*queries, heads]. stats, for the gradient: per query log2 of the
 * softmax's sum, then rowsum(do o): 2 * sequences*heads*queries floats */
struct attention {
	struct device_matrix q, k, v, o, lse, d_o, dq, dk, dv;
	float *stats;
	/* causal: query i attends to keys 0 .. i + shift */
	long long queries, keys, sequences, shift;
	int heads, d, causal, add;
	float scale;
};

/* attention_merge: o o1 [tokens, heads*d], lse lse1 [tokens, heads] */
struct attention_blocks {
	struct device_matrix o, lse, o1, lse1;
	long long tokens;
	int heads, d;
};

/* attention on tensor cores: warps of a block, its rows for d up to 64 and up to 128 */
enum { ATTENTION_WARPS = 4, ATTENTION_ROWS_64 = 128, ATTENTION_ROWS_128 = 64 };

/* ---- row by row: rows.cu, loss.cu, embed.cu */

struct rows {
	struct strided in[2], out;
	long long rows, columns;
	/* embed: rows of the table; embed_grad: ids; loss_rows_that_count: 1 if the count is a
	 * result */
	long long count;
	double *parts;  /* partial results of a reduction to one number, by row or by block */
	double divisor; /* divides the sum of all parts */
	/* the number of rows that count, the divisor instead; NULL: not used */
	double *counted;
	double ignore; /* the class of the rows that do not count */
	double eps;    /* of layernorm */
	int add;
	/* the type of all elements if rows have groups of 16 bytes and nothing is added; else no
	 * dtype */
	int type;
};

/* ---- indices: indices.cu */

/* The oldest index out of range of a stream that the host has not taken yet, in host memory; there
 * is one if made != taken. Only the stream writes the words before `taken`, and only the host
 * thread writes `taken`, because a GPU's atomics on host memory are atomic on that GPU only. */
struct index_fault {
	unsigned claimed, made, op;
	long long place, value;
	unsigned taken; /* by the host thread: = made */
};

/* Checks `count` indices: each must be in [0, end), or `unused` (NAN: no such value). op: the
 * operation that reads them */
struct index_check {
	struct strided in;
	long long count, end;
	double unused;
	unsigned op;
	struct index_fault *fault;
};

/* ---- moving rows and elements: permute.cu, convert.cu */

struct moving {
	struct strided in[2], out[2];
	long long rows, columns, count; /* meaning depends on the kernel */
	long long bins, capacity, chunk;
	void *parts; /* workspace */
	int add;
};

/* ---- ranks that share a GPU: exchange.cu and cuda/exchange/shared_gpu/ */

enum { EXCHANGE_RANKS = 64 };
enum { EXCHANGE_SUM, EXCHANGE_AVG, EXCHANGE_MAX, EXCHANGE_MIN }; /* as enum reduction */

/* A member's words for one sequence number. arrived, done, released: that number or a later one.
 * call: digest of the arguments that must agree. in, out: offsets in its pool, bytes */
struct exchange_slot {
	unsigned arrived, done, released, call;
	long long in, out;
};

/* addresses for a member's kernel, by place; with tables, the bytes from each place, their
 * source, and their target in this result. left: a member was released, or they disagree */
struct exchange_place {
	char *in, *out;
	long long bytes;
};
struct exchange_found {
	int left, unused;
	struct exchange_place at[EXCHANGE_RANKS];
};

/* The n members of a match; this one is number `place`. Slots are `apart` bytes apart; member p
 * has slot[p]. found: n places of it are used. With tables: a place's table has n + 1 offsets in
 * its input, then n + 1 in its result, in bytes; its rows for q are [q] to [q + 1]. */
struct exchange_members {
	const void *slots;
	const long long *tables; /* by place, consecutive; or NULL */
	struct exchange_found *found;
	long long apart;
	unsigned seq;
	int n, place;
	unsigned char slot[EXCHANGE_RANKS];
	char *pool[EXCHANGE_RANKS]; /* by member */
};

/* Reduces elements [begin, end) of all inputs, added in the order of places from `first` on. The
 * result of element i goes to element i - earlier of all results, or of the one of place `to`. */
struct exchange_reduce {
	struct exchange_members members;
	long long begin, end, earlier;
	int dtype, reduction, first, to; /* to: -1: all */
};

/* Copies `bytes` from each place in [from, until): from in_at of its input to place *
 * out_step of this result; with tables, as exchange_find has found. */
struct exchange_move {
	struct exchange_members members;
	long long bytes, in_at, out_step;
	int from, until;
};

/* writes a place's table, in stream order */
struct exchange_table {
	long long *table;
	int count;
	long long at[2 * EXCHANGE_RANKS + 2];
};

/* Adds `count` elements of `first` and of each block; `to` may be `first`. Block k is k * apart
 * bytes after `block`. */
struct exchange_sum {
	const void *first, *block;
	void *to;
	long long apart, count;
	int blocks, dtype, reduction; /* EXCHANGE_SUM, EXCHANGE_AVG */
};

/* window := at, at := window, or window += factor * at, each element atomically */
enum { EXCHANGE_PUT, EXCHANGE_GET, EXCHANGE_ADD };
struct exchange_reach {
	struct strided window, at;
	long long count;
	int what;
	float factor;
	const int *released; /* not NULL: does nothing if the word is not 0 */
};

#endif
