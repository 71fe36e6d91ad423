/* kernel.h -- defines a kernel: a shape rule, a cost, CPU code and its names in CUDA and PyTorch.
 * One file per family, one table row per kernel.
 *
 * The line y = matmul a b, and the row's part in each step:
 *
 *      a [64,32], b [32,16]   --shape-->   y [64,16]      known before anything runs
 *      shapes and types       --cost--->   flops, bytes   machine/ makes a time; src/sim places it
 *      data of a and b        --run---->   data of y      in the rank's process, by the CPU
 *
 * (1) A kernel knows no rank, no stream and no time: equal calls give equal results anywhere.
 * (2) kernel_shape() finds every error in a call; computing does not fail.
 * (3) With --dry there are no data; neither `run` nor a loop is called.
 */
#ifndef RANKSH_KERNEL_H
#define RANKSH_KERNEL_H

#include "base/dtype.h"

enum { KERNEL_ARGS_MAX = 8, KERNEL_OPTIONS_MAX = 6 };

/* A call's operand. The caller owns the memory. */
struct kernel_tensor {
	const char *name;     /* as the user wrote it, for messages: "x", "a.T", "g[0:4]" */
	struct layout layout; /* strided; a transposition is already applied */
	void *data;           /* the first element; NULL during the shape check and with --dry */
};

/* A call by one rank, for kernel_shape() (without data), kernel_cost() and kernel_compute(). */
struct kernel_call {
	const struct kernel *kernel;
	int ins, outs;
	struct kernel_tensor in[KERNEL_ARGS_MAX], out[KERNEL_ARGS_MAX];
	double option[KERNEL_OPTIONS_MAX]; /* in the row's order, defaults filled in */
	bool add; /* +=: add to out[0] (its data is valid input); allowed if outs == 1 */
};

/* An option of a kernel. kernel_shape() checks its value before it calls the row's shape rule. */
struct kernel_option {
	const char *name;
	double value; /* default; NAN: required */
	const char *about;
	enum {
		KO_NUMBER,
		KO_WHOLE,   /* an integer of at least `least` */
		KO_PART,    /* 0 or more and below 1 */
		KO_TIME_NS, /* the kernel's time; its work is then not counted */
		KO_DTYPE    /* a type's name (to=bf16); the value is the enum dtype */
	} kind;
	double least;
};

/* A loop over doubles: in[i] and out hold `count` values each, the elements from .. from + count -
 * 1 in C order. common.c handles strides, types, broadcasting, += and overlap. A loop in `rows`
 * gets one row of the last dimension at a time, and writes as many values, or one. No in[i] is
 * out; an in-place kernel changes its in[i]. */
typedef void kernel_loop(int64_t from, int64_t count, double *const *in, double *out, const double *option);

/* A row's name, its CUDA line, and the exact number of tensors and results. A kernel without
 * tensors is a source: it takes a SHAPE and a type and makes data (randn, zeros ...). */
#define KERNEL_ROW(row, line, tensors, results) \
	.name = (row), .cuda = (line), .ins = (tensors), .outs = (results)
/* The row of a kernel launched under its name. grid: "rows" for a block per row, else "blocks" */
#define KERNEL_LAUNCHED(row, grid, tensors, results) \
	KERNEL_ROW(row, row "<<<" grid ", threads, 0, stream>>>", tensors, results)

/* For kernels that look up rows: in[argument], i32, holds numbers from 0 to below `end`. `unused`
 * is one more valid number (NAN: none). */
struct kernel_indices {
	int argument; /* -1: this call has none */
	int64_t end;
	double unused;
	const char *names; /* meaning, for messages: "a row of the table" */
};

struct kernel {
	const char *name, *usage, *help, *torch, *cuda;
	const char *example; /* lines that run on 1 rank in an empty world */
	int ins;
	int outs;                /* results left of '='; 0: works in place */
	int more_ins, more_outs; /* optional tensors and results: all of them or none */
	/* in place: bit i: argument i is written (sgd w dw: 1). It is also read, except if
	 * write_only (fill): then it may be uninitialized. */
	unsigned writes;
	bool write_only;
	/* The number of leading options that may omit "NAME=", among the tensors: `scale x 0.5`,
	 * `spin 2ms x`. A word that names a tensor is an argument; any other expression is the
	 * value of such an option. */
	int positional;
	bool wants_columns; /* the first argument's last dimension may not be 0 */
	bool bare;          /* valid without tensor and result: `spin 2ms` */
	struct kernel_option option[KERNEL_OPTIONS_MAX];
	/* what kernel_shape() requires of all arguments. FLOAT: f32, f16 or bf16; ALIKE: floats of
	 * one shape */
	enum { ARGUMENTS_ANY, ARGUMENTS_FLOAT, ARGUMENTS_ALIKE } arguments;
	/* Checks the rest and sets each out[i].layout (dtype and dims; contiguous). Fails with
	 * ST_SHAPE, ST_DTYPE or ST_RANGE and a message with names: "v is [128,64], x is [256,256]:
	 * matmul needs [256,256] x [256,any]". NULL: out[0] is like in[0]; a source finds its
	 * shape and type in out[0].layout. */
	enum status (*shape)(struct kernel_call *call);
	/* Floating-point operations per element of the largest operand: 0 for a copy, 1 for one, 8
	 * for several (exp, tanh, a mean and a variance ...) */
	double operations;
	/* Matrix products: the share of the operations that counts as model FLOPs (1, or less if
	 * some are recomputed); others: 0 */
	double model;
	/* NULL, or corrects kernel_cost()'s result from the operands' sizes and `operations`. */
	void (*cost)(const struct kernel_call *call, double *flops, double *bytes);
	/* The CPU code, for kernel_compute(): one of elements, rows and run; if all are NULL,
	 * in[0] is copied to out[0]. If all arguments are i32, `whole` replaces `elements` or
	 * `rows`: it wraps at 2^31, as GPUs do. */
	kernel_loop *elements, *rows;
	void (*run)(const struct kernel_call *call);
	kernel_loop *whole;
	struct kernel_indices (*indices)(const struct kernel_call *call); /* NULL: no lookup */
};

/* Returns the layout with its first two dimensions exchanged. */
static inline struct layout kernel_turned(struct layout layout)
{
	int64_t dim = layout.dim[0], stride = layout.stride[0];
	layout.dim[0] = layout.dim[1];
	layout.stride[0] = layout.stride[1];
	layout.dim[1] = dim;
	layout.stride[1] = stride;
	return layout;
}

static inline bool kernel_is_source(const struct kernel *kernel)
{
	return kernel->ins == 0;
}

const struct kernel *kernel_find(const char *name); /* returns NULL if none */
const struct kernel *kernel_at(int i);              /* in `help` order; NULL past the last */

/* Checks a call and sets each out[i].layout. The caller may then replace a layout by another with
 * the same shape: strided, or another type. Fails with ST_SHAPE, ST_DTYPE or ST_RANGE. */
enum status kernel_shape(struct kernel_call *call);
/* Returns the call's work: floating-point operations and bytes of memory traffic. */
void kernel_cost(const struct kernel_call *call, double *flops, double *bytes);
/* Computes out[] from in[], which may be strided and have any type. Deterministic: the same bits
 * on every computer, except for matmul and attention (the BLAS's bits). An output may overlap an
 * input: the kernel reads the old values. */
void kernel_compute(const struct kernel_call *call);
/* Returns true if every result and every written argument is empty. Some results may be empty and
 * others not: without ids, `to n = binsort ids` still gives n [bins], all 0. */
bool kernel_writes_nothing(const struct kernel_call *call);
/* Finds the first index that is out of range: element `place` of its tensor. Returns false if all
 * are valid; kernels skip an invalid index or give a NaN for it. Call it before kernel_compute(),
 * because results may overlap the indices. */
bool kernel_find_index(const struct kernel_call *call, int64_t *place, double *value);
/* Returns ST_RANGE, with a message that has the element, its value and the range. */
enum status kernel_index_failure(const struct kernel_call *call, int64_t place, double value);
/* Returns true if the result `out` overlaps an argument and must be staged elsewhere first. */
bool kernel_must_stage(const struct kernel_call *call, const struct kernel_tensor *out);

#endif
