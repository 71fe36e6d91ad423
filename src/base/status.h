/* status.h -- failures are values
 *
 * A function that can fail returns an `enum status` and words the failure itself:
 *     return fail(ST_SHAPE, "matmul: %s is %s, %s is %s", ...);
 * The thread keeps the message until the one place that shows it calls fail_text(). No function
 * exits, aborts or jumps because of a failure that it can return. */
#ifndef RANKSH_STATUS_H
#define RANKSH_STATUS_H

/* X(symbol, short name in tests and over the wire) */
#define STATUSES(X)                                                                          \
	X(OK, "ok")                                                                          \
	X(SYNTAX, "syntax")         /* the line cannot be read */                            \
	X(INCOMPLETE, "incomplete") /* an open bracket, brace or quote: more lines needed */ \
	X(NAME, "name")             /* unknown or clashing name */                           \
	X(SHAPE, "shape")                                                                    \
	X(DTYPE, "dtype")                                                                    \
	X(RANK, "rank")                                                                      \
	X(UNIT, "unit")                                                                      \
	X(RANGE, "range")                                                                    \
	X(ARGUMENT, "argument")           /* missing, surplus or wrong kind of argument */   \
	X(MEMORY, "memory")               /* this computer is out of memory */               \
	X(DEVICE_MEMORY, "device memory") /* the rank's GPU is out of memory */              \
	X(GPU, "gpu")                     /* a real GPU, or NVIDIA's libraries */            \
	X(FILE, "file")                                                                      \
	X(MPI, "mpi")                                                                        \
	X(WAITS, "waits")   /* depends on a missing line of another rank */                  \
	X(STUCK, "stuck")   /* no further line can help */                                   \
	X(EXPECT, "expect") /* an `expect` was false */                                      \
	X(INTERRUPTED, "interrupted")                                                        \
	X(AGAIN, "again") /* not a failure: runs again when its request is granted */        \
	X(LIMIT, "limit")                                                                    \
	X(QUIT, "quit") /* not a failure: the session ends */                                \
	X(BUG, "bug")   /* a fault of ranksh */

enum status {
#define X(symbol, name) ST_##symbol,
	STATUSES(X)
#undef X
	        ST_COUNT
};

/* Sets the message, cut at 4 kB; returns `status`. */
enum status fail(enum status status, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Puts "WHERE: " before the current message; returns `status`. */
enum status fail_in(enum status status, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Returns the thread's last message, valid until the next; never NULL. */
const char *fail_text(void);
char *fail_copy(void); /* a copy, for the caller to mem_free */
const char *status_name(enum status status);
/* Returns the exit status of a script that ends with `status`. */
int status_exit(enum status status);

/* Returns the first failure of several things done in sequence. */
static inline enum status first_failure(enum status status, enum status next)
{
	return status != ST_OK ? status : next;
}

#endif
