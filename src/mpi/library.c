/* library.c -- opens Open MPI's library and fills the table */
#include "mpi/library.h"
#include "mpi/install.h"

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

static struct mpi_library table;
static const struct mpi_symbol {
	const char *name;
	size_t place; /* of the pointer, in the table */
} symbols[] = {
#define X(name) {#name, offsetof(struct mpi_library, name)},
        MPI_FUNCTIONS(X)
#undef X
#define X(type, name, symbol) {#symbol, offsetof(struct mpi_library, name)},
                MPI_OBJECTS(X)
#undef X
};

/* Global, because plugins of older versions look up the library's symbols there. We look there,
 * too: a program that is itself linked with the library has its own copy of MPI_COMM_WORLD. */
enum status mpi_library_open(const struct mpi_library **library)
{
	struct mpi_install install;
	enum status status = mpi_install_library(&install);
	if (status != ST_OK)
		return status;
	if (!dlopen(install.library, RTLD_LAZY | RTLD_GLOBAL))
		return fail(ST_FILE, "Open MPI's library cannot be opened: %s", dlerror());
	for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++) {
		void *found = dlsym(RTLD_DEFAULT, symbols[i].name);
		if (!found)
			return fail(ST_FILE, "%s (version %s) has no %s: Open MPI 3.0 is the least",
			        install.library, install.version, symbols[i].name);
		memcpy((char *)&table + symbols[i].place, &found, sizeof found);
	}
	*library = &table;
	return ST_OK;
}
