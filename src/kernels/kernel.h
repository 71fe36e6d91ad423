/* kernel.h -- what a kernel is: a shape rule, a cost, CPU code and its names elsewhere; one file per family,
 * one row each.
 *
 * What happens to a line y = matmul a b, and which part of the row does it:
 *
 *      a [64,32], b [32,16]   --shape-->   y [64,16]         the books know y before anything has run
 *      shapes and types       --cost--->   flops, bytes      machine/ makes a time of them; src/sim places it
 *      data of a and b        --run---->   data of y         on the process of the rank, by the CPU
 *
 * (1) A kernel knows no rank, no stream and no time: equal calls give equal results anywhere.
 * (2) Everything that can be wrong with a call is found by kernel_shape(); computing does not fail.
 * (3) With --dry there are no data, and neither `run` nor a loop is called.
 *
 * May call: base/. To add a kernel: a row in the table of its family's file. */
#ifndef RANKSH_KERNEL_H
#define RANKSH_KERNEL_H

#include "base/dtype.h"

enum { KERNEL_ARGS_MAX = 8, KERNEL_OPTIONS_MAX = 6 };

/* An operand of a call. The caller owns the memory. */
struct kernel_tensor {
	const char *name;     /* as the user wrote it, for messages: "x", "a.T", "g[0:4]" */
	struct layout layout; /* strided; a transposition has been applied to it */
	void *data;           /* the first element; NULL while shapes are checked and with --dry */
};

/* One use of a kernel by one rank: its row, its operands, its options. The same struct is first given to
 * kernel_shape(), without data; then, when the times are known, to kernel_cost(); then to kernel_compute(). */
struct kernel_call {
	const struct kernel *kernel;
	int ins, outs;
	struct kernel_tensor in[KERNEL_ARGS_MAX], out[KERNEL_ARGS_MAX];
	double option[KERNEL_OPTIONS_MAX]; /* in the row's order, defaults filled in */
	bool add; /* += : into out[0] (its data is valid input); every kernel with outs == 1 can */
};

/* What the value of an option may be is checked before the row's shape rule (kernel_shape). */
struct kernel_option {
	const char *name;
	double value; /* default; NAN: must be given */
	const char *about;
	enum {
		KO_NUMBER,
		KO_WHOLE,   /* a whole number of at least `least` */
		KO_PART,    /* 0 or more and below 1 */
		KO_TIME_NS, /* It is the time of the kernel, whose work is not counted then */
		KO_DTYPE /* the user writes a type's name (to=bf16); the value here is the enum dtype, as a number */
	} kind;
	double least;
};

/* The computation of many kernels is one loop over doubles: in[i] and out hold `count` values each, which in
 * the order of C are the elements from .. from + count - 1. Strides, types, broadcasting, += and overlapping
 * memory are dealt with around it (common.c). A loop of a row's `rows` gets one row of the last dimension at a
 * time, and writes as many values, or one. out is no in[i]. A kernel that works in place changes its in[i]. */
typedef void kernel_loop(int64_t from, int64_t count, double *const *in, double *out, const double *option);

/* In a row: so many tensors, no fewer and no more, and so many results. Without tensors: a source, which makes
 * data from nothing and takes a SHAPE and a type (randn, zeros ...). */
#define KERNEL_TAKES(tensors, results) .ins = (tensors), .outs = (results)

/* Of a kernel that looks things up: in[argument], i32, holds numbers from 0 to below `end`. `unused` is the
 * one other number that may stand there, NAN: none. */
struct kernel_indices {
	int argument; /* -1: this call has none */
	int64_t end;
	double unused;
	const char *names; /* what they number, for messages: "a row of the table" */
};

struct kernel {
	const char *name, *usage, *help, *torch, *cuda;
	const char *example; /* lines that run on 1 rank in an empty world */
	int ins;
	int outs;                /* results left of '='; 0: works in place */
	int more_ins, more_outs; /* so many more tensors or results, all of them or none */
	/* in place: bit i: argument i is written (sgd w dw: 1), and read as well, but with write_only (fill),
	 * where it may be unwritten memory */
	unsigned writes;
	bool write_only;
	/* So many leading options may also stand without "NAME=", anywhere among the tensors: `scale x 0.5`,
	 * `spin 2ms x`. A word that names a tensor is an argument, any other expression such an option. */
	int positional;
	bool wants_columns; /* the last dimension of its first argument may not be 0 */
	bool bare;          /* it may also stand alone, with neither tensor nor result: `spin 2ms` */
	struct kernel_option option[KERNEL_OPTIONS_MAX];
	/* Of its arguments: any type and shape; f32, f16 or bf16; these, and all of one shape */
	enum { ARGUMENTS_ANY, ARGUMENTS_FLOAT, ARGUMENTS_ALIKE } arguments;
	/* What is left to check, and the results' shapes: fills out[i].layout (dtype and dims; contiguous).
	 * ST_SHAPE, ST_DTYPE, ST_RANGE, worded with names: "v is [128,64], x is [256,256]: matmul wants
	 * [256,256] x [256,any]". NULL: out[0] is like in[0]; a source finds its shape and type in
	 * out[0].layout. */
	enum status (*shape)(struct kernel_call *call);
	/* Floating-point operations for each element of the largest operand: 0 where it only moves, 1, or 8
	 * for a few (exp, tanh, a mean and a variance ...) */
	double operations;
	/* Of a product of matrices: the part of its operations that a model asks for, 1 or what is not computed again; others: 0 */
	double model;
	/* NULL, or puts right what kernel_cost() has found by the operands' sizes and by `operations`. */
	void (*cost)(const struct kernel_call *call, double *flops, double *bytes);
	/* The CPU code, for kernel_compute(): one of these three; none: out[0] becomes in[0]. `whole` takes
	 * the place of `elements` or `rows` where every argument is i32: whole numbers wrap at 2^31, as a
	 * GPU's do. */
	kernel_loop *elements, *rows;
	void (*run)(const struct kernel_call *call);
	kernel_loop *whole;
	struct kernel_indices (*indices)(const struct kernel_call *call); /* NULL: it looks nothing up */
};

static inline bool kernel_is_source(const struct kernel *kernel)
{
	return kernel->ins == 0;
}

/* Before any of them, by any thread: one thread for the BLAS (ranks share the cores) */
void kernels_start(void);
const struct kernel *kernel_find(const char *name); /* NULL if none */
const struct kernel *kernel_at(int i);              /* in the order of help; NULL behind the last */

/* Checks a call, and fills out[i].layout. The caller may then put another layout of the same shape in out[i]'s
 * place: strided, or of another type. ST_SHAPE, ST_DTYPE, ST_RANGE */
enum status kernel_shape(struct kernel_call *call);
/* Work of the call: floating-point operations and bytes of memory traffic */
void kernel_cost(const struct kernel_call *call, double *flops, double *bytes);
/* Computes out[] from in[], which may be strided and of any type. Deterministic: the same bits on every
 * computer, matmul and attention apart (the BLAS's). An output may overlap an input: what is read is what was
 * there before. */
void kernel_compute(const struct kernel_call *call);
/* Returns true if no result and no argument that is written has an element, so that nothing is to be computed. Only some of several
 * results may be empty: without ids, `to n = binsort ids` still gives n [bins], all 0. */
bool kernel_writes_nothing(const struct kernel_call *call);
/* Finds the first of the numbers that the call looks things up by which is out of range: element `place` of its tensor.
 * Computing does not fail by it: the result has a NaN or nothing there. False: there is none. Before kernel_compute(), whose
 * results may lie over them */
bool kernel_find_index(const struct kernel_call *call, int64_t *place, double *value);
/* ST_RANGE, worded with the element, its value and the range */
enum status kernel_index_failure(const struct kernel_call *call, int64_t place, double value);
/* Does `out`, a result of the call, lie over an argument, so that it must be computed elsewhere and copied to its place? */
bool kernel_must_stage(const struct kernel_call *call, const struct kernel_tensor *out);

#endif
