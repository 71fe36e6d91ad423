/* library.h -- Open MPI's functions as one table, opened at the start of a rank
 *
 * ranksh is not linked with libmpi: the front end, --dry and -n 1 run without any MPI, and one
 * binary runs with every Open MPI whose library is libmpi.so.40 (3.0 to 5.0). <mpi.h> gives the
 * types. Code calls a function by its name: `t->mpi->MPI_Isend(...)`. */
#ifndef RANKSH_MPI_LIBRARY_H
#define RANKSH_MPI_LIBRARY_H

#include "base/status.h"
#include <mpi.h>

#define MPI_FUNCTIONS(X)           \
	X(MPI_Abort)               \
	X(MPI_Allreduce)           \
	X(MPI_Bcast)               \
	X(MPI_Comm_dup)            \
	X(MPI_Comm_free)           \
	X(MPI_Comm_rank)           \
	X(MPI_Comm_set_errhandler) \
	X(MPI_Comm_size)           \
	X(MPI_Error_string)        \
	X(MPI_Finalize)            \
	X(MPI_Improbe)             \
	X(MPI_Init_thread)         \
	X(MPI_Iprobe)              \
	X(MPI_Irecv)               \
	X(MPI_Isend)               \
	X(MPI_Mrecv)               \
	X(MPI_Test)                \
	X(MPI_Testall)
/* The addresses in the library of MPI_COMM_WORLD and the like: X(type, name, symbol) */
#define MPI_OBJECTS(X)                                           \
	X(MPI_Comm, world, ompi_mpi_comm_world)                  \
	X(MPI_Comm, self, ompi_mpi_comm_self)                    \
	X(MPI_Errhandler, errors_return, ompi_mpi_errors_return) \
	X(MPI_Datatype, byte, ompi_mpi_byte)                     \
	X(MPI_Datatype, integer, ompi_mpi_int)                   \
	X(MPI_Op, minimum, ompi_mpi_op_min)

struct mpi_library {
#define X(name) __typeof__(name) *name;
	MPI_FUNCTIONS(X)
#undef X
#define X(type, name, symbol) type name;
	MPI_OBJECTS(X)
#undef X
};

/* Finds and opens the library of this rank (install.h); it stays open until the process ends.
 * Fails with ST_FILE. */
enum status mpi_library_open(const struct mpi_library **library);

#endif
