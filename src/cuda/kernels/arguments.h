/* arguments.h -- what a kernel on a GPU is given: one struct by value, read by the planner (C) and by the kernels (CUDA) alike; plain types
 * only, as NVRTC has no headers of its own */
#ifndef RANKSH_CUDA_ARGUMENTS_H
#define RANKSH_CUDA_ARGUMENTS_H

enum { STRIDED_DIMS = 6, ELEMENTS_TENSORS = 5, ELEMENTS_OPTIONS = 6, THREADS = 256, COPY_TILE = 32 };

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
	int add; /* += : the result's old value is added in double */
	int wide; /* elements go in groups of four: a group lies in one line, and begins where a vector of four may */
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
 * heads]. stats: 2 * sequences*heads*queries floats, of the gradient: of each query the logarithm of the
 * softmax's sum, then of each rowsum(do o). */
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

/* A block's warps on tensor cores, of 16 rows each */
enum { ATTENTION_FORWARD_WARPS = 8, ATTENTION_BACKWARD_WARPS = 4 };

/* ---- row by row: rows.cu, loss.cu, embed.cu */

struct rows {
	struct strided in[2], out;
	long long rows, columns;
	long long count; /* embed: rows of the table; its gradient: of ids */
	double *parts;   /* what becomes one number: of each row, or of each block */
	double divisor;  /* of the sum of all parts */
	double eps;      /* of layernorm */
	int add;
};

/* ---- rows and elements to other places: permute.cu, convert.cu */

struct moving {
	struct strided in[2], out[2];
	long long rows, columns, count; /* of the kernel's own meaning */
	long long bins, capacity, chunk;
	void *parts; /* scratch memory */
	int add;
};

#endif
