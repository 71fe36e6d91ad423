/* arguments.h -- what a kernel on a GPU is given: one struct by value, read by the planner (C) and by the kernels (CUDA) alike; plain types
 * only, as NVRTC has no headers of its own */
#ifndef RANKSH_CUDA_ARGUMENTS_H
#define RANKSH_CUDA_ARGUMENTS_H

enum { STRIDED_DIMS = 6, ELEMENTS_TENSORS = 5, ELEMENTS_OPTIONS = 6, THREADS = 256, COPY_TILE = 32 };
enum {
	GROUPS = 2
}; /* of 16 bytes, that a thread takes: half the threads to start are worth more than the longer way of each */

/* A tensor; strides in elements, 0 where a dimension is repeated */
struct strided {
	void *data;
	int dtype; /* enum dtype */
	int dims;
	long long dim[STRIDED_DIMS], stride[STRIDED_DIMS];
};

/* Element by element: the kernel's arguments in order, then its result; all have the shape of the result, dimensions that lie in one line in
 * all of them are merged. */
struct elements {
	long long count, dim[STRIDED_DIMS];
	int dims;
	int add;  /* += : the result's old value is added in double */
	int wide; /* elements go in groups of so many, 4 or 8: a group lies in one line, and begins where a vector of them may; or 0 */
	int type; /* of all tensors where groups have 16 bytes and nothing is added, or one that is none */
	struct {
		void *data;
		long long stride[STRIDED_DIMS];
		int dtype;
	} tensor[ELEMENTS_TENSORS];
	double option[ELEMENTS_OPTIONS];
};

/* ---- matrices: matmul.cu, attention.cu, attention_grad.cu */

/* Element [r,c] lies r * row + c * column elements from data. type: enum dtype */
struct device_matrix {
	void *data;
	long long row, column;
	int type;
};

/* What a block of the kernels for any type and strides takes: rows and columns of the result, threads */
enum { TILE = 64, TILE_THREADS = 256 };

/* matmul_any: y [m,n] := scale a b, or += */
struct product {
	struct device_matrix a, b, y;
	long long m, n;
	int k, add;
	float scale;
};

/* An operand with data NULL: there is none.
 * q o do dq [sequences*queries, heads*d], k v dk dv [sequences*keys, heads*d], lse [sequences*queries,
 * heads]. stats: 2 * sequences*heads*queries floats, of the gradient: of each query the logarithm to base 2
 * of the softmax's sum, then of each rowsum(do o). */
struct attention {
	struct device_matrix q, k, v, o, lse, d_o, dq, dk, dv;
	float *stats;
	long long queries, keys, sequences, shift; /* causal: query i sees the keys 0 .. i + shift */
	int heads, d, causal, add;
	float scale;
};

/* attention_merge: o o1 [tokens, heads*d], lse lse1 [tokens, heads] */
struct attention_blocks {
	struct device_matrix o, lse, o1, lse1;
	long long tokens;
	int heads, d;
};

/* Attention on tensor cores: a block's warps, and its rows with d to 64 or to 128 */
enum { ATTENTION_WARPS = 4, ATTENTION_ROWS_64 = 128, ATTENTION_ROWS_128 = 64 };

/* ---- row by row: rows.cu, loss.cu, embed.cu */

struct rows {
	struct strided in[2], out;
	long long rows, columns;
	long long
	        count; /* embed: rows of the table; its gradient: of ids; rows that count: are they a result? */
	double *parts;   /* what becomes one number: of each row, or of each block */
	double divisor;  /* of the sum of all parts */
	double *counted; /* crossentropy: how many rows count, which is the divisor then; NULL: it is not */
	double ignore;   /* ... and the class of the others */
	double eps;      /* of layernorm */
	int add;
	int type; /* of all elements where rows go in groups of 16 bytes and nothing is added, or one that is none */
};

/* ---- numbers that things are looked up by: indices.cu */

/* A number out of range, in memory of the host: the oldest of one stream that the host has not taken. There is one if made !=
 * taken. Operations of the stream write the words before `taken`, one after the other, and the host thread writes `taken`: an
 * atomic of a GPU on memory of the host is atomic on that GPU alone, so no word has writers on both. */
struct index_fault {
	unsigned claimed, made, op;
	long long place, value;
	unsigned taken; /* by the host thread: = made */
};

/* Each of the `count` numbers is from 0 to below `end`, or `unused` (NAN: nothing else). op: whose they are */
struct index_check {
	struct strided in;
	long long count, end;
	double unused;
	unsigned op;
	struct index_fault *fault;
};

/* ---- rows and elements to other places: permute.cu, convert.cu */

struct moving {
	struct strided in[2], out[2];
	long long rows, columns, count; /* of the kernel's own meaning */
	long long bins, capacity, chunk;
	void *parts; /* scratch memory */
	int add;
};

/* ---- meetings of ranks that share a GPU: exchange.cu, and cuda/exchange/shared_gpu/ */

enum { EXCHANGE_RANKS = 64 };
enum { EXCHANGE_SUM, EXCHANGE_AVG, EXCHANGE_MAX, EXCHANGE_MIN }; /* as enum reduction */

/* One member's words of one turn. arrived, done, released: the turn's number, or a later one's, once it is so. call: a digest of what has to be the same
 * on all members. in, out: where its memory lies, in bytes from the beginning of its pool */
struct exchange_slot {
	unsigned arrived, done, released, call;
	long long in, out;
};

/* What a member's kernel goes by: where the input and the result of each place lie; with tables, the bytes that come from each place to this one, where they
 * lie, and where in this one's result they go. left: somebody was released, or they do not agree */
struct exchange_place {
	char *in, *out;
	long long bytes;
};
struct exchange_found {
	int left, unused;
	struct exchange_place at[EXCHANGE_RANKS];
};

/* Who meets: n members, of which this one is number `place`. Slots lie `apart` bytes from each other, and that of member p is number
 * slot[p]. found: as far as its first n places
 * With tables: place p's own table has n + 1 places in its input, then n + 1 in its result, in bytes; its rows for q lie from [q] to [q + 1]. */
struct exchange_members {
	const void *slots;
	const long long *tables; /* by place, one behind the other; or NULL */
	struct exchange_found *found;
	long long apart;
	unsigned turn;
	int n, place;
	unsigned char slot[EXCHANGE_RANKS];
	char *pool[EXCHANGE_RANKS]; /* by member */
};

/* Elements [begin, end) of all inputs become one: added in the order of places, from `first` on, and put at the same elements of everybody's
 * result, or of that of place `to`, so many elements earlier */
struct exchange_reduce {
	struct exchange_members members;
	long long begin, end, earlier;
	int dtype, reduction, first, to; /* to: -1: everybody's */
};

/* This place gets `bytes` from each place from .. until - 1: those at in_at of its input come to out_at + place * out_step of the result here; with
 * tables, what exchange_find has found. */
struct exchange_move {
	struct exchange_members members;
	long long bytes, in_at, out_at, out_step;
	int from, until;
};

/* A place's table, written when its stream comes there */
struct exchange_table {
	long long *table;
	int count;
	long long at[2 * EXCHANGE_RANKS + 2];
};

/* `count` elements of `first`, and then of each block, become one at `to`, which may be `first`. Block k lies k * apart bytes behind `block`. */
struct exchange_sum {
	const void *first, *block;
	void *to;
	long long apart, count;
	int blocks, dtype, reduction; /* EXCHANGE_SUM, EXCHANGE_AVG */
};

/* window := at, at := window, or window += factor * at, each element one sum that nobody else's breaks */
enum { EXCHANGE_PUT, EXCHANGE_GET, EXCHANGE_ADD };
struct exchange_reach {
	struct strided window, at;
	long long count;
	int what;
	float factor;
	const int *released; /* not NULL, and not 0 there: nothing is done */
};

#endif
