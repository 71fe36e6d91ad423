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
 * (2) Everything that can be wrong with a call is found by `shape`; computing does not fail.
 * (3) With --dry there are no data, and neither `run` nor a loop is called.
 *
 * May call: base/. To add a kernel: a row in the family's file and one line in kernels.c's list. */
#ifndef RANKSH_KERNEL_H
#define RANKSH_KERNEL_H

#include "base/dtype.h"
#include "base/status.h"

enum { KERNEL_ARGS_MAX = 8, KERNEL_OPTIONS_MAX = 6 };

/* An operand of a call. The caller owns the memory. */
struct kernel_tensor {
	const char *name;     /* as the user wrote it, for messages: "x", "a.T", "g[0:4]" */
	struct layout layout; /* strided; a transposition has been applied to it */
	void *data;           /* the first element; NULL while shapes are checked and with --dry */
};

/* One use of a kernel by one rank: its row, its operands, its options. The same struct is first given to the
 * row's shape rule, without data; then, when the times are known, to its cost; then to kernel_compute(). */
struct kernel_call {
	const struct kernel *kernel;
	int ins, outs;
	struct kernel_tensor in[KERNEL_ARGS_MAX], out[KERNEL_ARGS_MAX];
	double option[KERNEL_OPTIONS_MAX]; /* in the row's order, defaults filled in */
	bool add; /* += : into out[0] (its data is valid input); every kernel with outs == 1 can */
};

/* KO_DTYPE: the user writes a type's name (to=bf16); its value here is the enum dtype, as a number. */
struct kernel_option {
	const char *name;
	double value; /* default; NAN: must be given */
	const char *about;
	enum { KO_NUMBER, KO_TIME_NS, KO_DTYPE } kind;
};

/* The computation of many kernels is one loop over doubles: in[i] and out hold `count` values each. Strides,
 * types, broadcasting, += and overlapping memory are dealt with around it (common.c). A loop of a row's
 * `rows` gets one row of the last dimension at a time, and writes as many values, or one. out is no in[i]. */
typedef void kernel_loop(int64_t count, double *const *in, double *out, const double *option);

/* In a row: so many tensors, no fewer and no more, and so many results */
#define KERNEL_TAKES(tensors, results) .ins_min = (tensors), .ins_max = (tensors), .outs = (results)

struct kernel {
	const char *name, *usage, *help, *torch, *cuda,
	        *example; /* example: lines that run on 1 rank in an empty world */
	int ins_min, ins_max;
	int outs; /* results left of '='; 0: works in place on its first argument(s) */
	/* how many leading arguments are read and written (sgd w dw: 1; adam w dw m v: mask below) */
	int in_place;
	unsigned writes; /* bit i: argument i is written too (in-place kernels) */
	bool write_only; /* the written argument is not read (fill): it may be unwritten memory */
	/* So many leading options may also stand without "NAME=", anywhere among the tensors: `scale x 0.5`,
	 * `spin 2ms x`. A word that names a tensor is an argument, any other expression such an option. */
	int positional;
	bool bare; /* without '=' it stands alone, with neither tensor nor result: `spin 2ms` */
	/* makes data from nothing: takes a SHAPE argument (randn, zeros ...), may fill scenery */
	bool source;
	struct kernel_option option[KERNEL_OPTIONS_MAX];
	/* From in[] and options: fills out[i].layout (dtype and dims; contiguous). ST_SHAPE, ST_DTYPE,
	 * ST_RANGE, worded with names: "v is [128,64], x is [256,256]: matmul wants [256,256] x [256,any]". A
	 * source finds its SHAPE and type in out[0].layout and only checks its options. The caller may then
	 * put another layout of the same shape in out[i]'s place: strided, or of another type. */
	enum status (*shape)(struct kernel_call *call);
	/* Work of the call: floating-point operations and bytes of memory traffic. spin has neither: its
	 * KO_TIME_NS option is its duration. */
	void (*cost)(const struct kernel_call *call, double *flops, double *bytes);
	/* The CPU code, for kernel_compute(): one of these three. `whole` takes the place of `elements` or
	 * `rows` where every argument is i32: whole numbers wrap at 2^31, as a GPU's do. */
	kernel_loop *elements, *rows;
	void (*run)(const struct kernel_call *call);
	kernel_loop *whole;
};

void kernels_start(void); /* once a process: one thread for the BLAS (ranks share the cores) */
const struct kernel *kernel_find(const char *name); /* NULL if none */
const struct kernel *kernel_at(int i);              /* in the order of help; NULL behind the last */

/* Computes out[] from in[], which may be strided and of any type. Deterministic: the same bits on every
 * computer, matmul and attention apart (the BLAS's). An output may overlap an input: what is read is what was
 * there before. */
void kernel_compute(const struct kernel_call *call);

#endif
