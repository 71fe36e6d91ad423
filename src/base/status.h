/* status.h -- failures are values.
 *
 * A function that can fail returns an `enum status`; where the facts are, the failure is worded:
 *     return fail(ST_SHAPE, "matmul: %s is %s, %s is %s", ...);
 * The words wait in a buffer of the thread (like errno, but readable) until the one place that shows
 * them asks: fail_text(). Nothing below main() exits, aborts or jumps. */
#ifndef RANKSH_STATUS_H
#define RANKSH_STATUS_H

/* X(symbol, short name used in tests and over the wire) */
#define STATUSES(X)                                                                                  \
	X(OK, "ok")                                                                                  \
	X(SYNTAX, "syntax")         /* the line cannot be read */                                    \
	X(INCOMPLETE, "incomplete") /* a bracket, brace or quote is still open: more lines wanted */ \
	X(NAME, "name")             /* unknown or clashing name */                                   \
	X(SHAPE, "shape")                                                                            \
	X(DTYPE, "dtype")                                                                            \
	X(RANK, "rank")                                                                              \
	X(UNIT, "unit")                                                                              \
	X(RANGE, "range")                                                                            \
	X(ARGUMENT, "argument")           /* missing, surplus or wrong kind of argument */           \
	X(MEMORY, "memory")               /* this computer is out of memory */                       \
	X(DEVICE_MEMORY, "device memory") /* the modelled GPU is */                                  \
	X(GPU, "gpu")                     /* a real GPU, or NVIDIA's libraries */                    \
	X(FILE, "file")                                                                              \
	X(MPI, "mpi")                                                                                \
	X(WAITS, "waits")   /* the answer hangs on a line not yet given to another rank */           \
	X(STUCK, "stuck")   /* no further line can mend it */                                        \
	X(EXPECT, "expect") /* an `expect` was false */                                              \
	X(INTERRUPTED, "interrupted")                                                                \
	X(AGAIN, "again") /* not a failure: the statement runs again when its wish is granted */     \
	X(LIMIT, "limit")                                                                            \
	X(QUIT, "quit") /* not a failure: the session ends */                                        \
	X(BUG, "bug")   /* a promise of ranksh's own was broken */

enum status {
#define X(symbol, name) ST_##symbol,
	STATUSES(X)
#undef X
	        ST_COUNT
};

/* Words a failure and returns `status`. Text over 4 kB is cut. */
enum status fail(enum status status, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Puts "WHERE: " before the words of the current failure; returns `status` unchanged. */
enum status fail_in(enum status status, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The words of this thread's last failure; valid until its next one. Never NULL. */
const char *fail_text(void);
char *fail_copy(void); /* a copy of them, mem_free'd by the caller */
const char *status_name(enum status status);

/* The failure that is told when several things were done one after another whatever became of each: the
 * first. */
static inline enum status first_failure(enum status status, enum status next)
{
	return status != ST_OK ? status : next;
}

#endif
