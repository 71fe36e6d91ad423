/* room.c -- limits and disk space that mpirun needs, measured with Open MPI 4.1
 *
 * With too few descriptors it hangs, or its ranks vanish silently. PMIx creates two files of 4 MB
 * in Open MPI's folder, and each rank one of slightly over 4 MB in shared memory. */
#include "shell/terminal/room.h"
#include "base/number.h"

#include <stdlib.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <unistd.h>

enum { FILES_OWN = 28, FILES_A_RANK = 5, FILE_BYTES = 5 << 20, FOLDER_BYTES = 9 << 20 };

const char *room_folder(void)
{
	static const char *const names[] = {"OMPI_MCA_orte_tmpdir_base", "TMPDIR", "TEMP", "TMP"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		const char *folder = getenv(names[i]);
		if (folder && *folder)
			return folder;
	}
	return "/tmp";
}

/* Raises the soft limit if the hard one allows. mpirun needs 4 to 5 descriptors a rank. */
static enum status files_fit(int n)
{
	struct rlimit limit;
	unsigned long wanted = FILES_OWN + FILES_A_RANK * (unsigned long)n;
	if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= wanted)
		return ST_OK;
	rlim_t before = limit.rlim_cur;
	limit.rlim_cur = wanted;
	if (limit.rlim_max >= wanted && setrlimit(RLIMIT_NOFILE, &limit) == 0)
		return ST_OK;
	return fail(ST_FILE,
	        "mpirun needs %lu open files for %d ranks, and the limit is %lu: `ulimit -n %lu` before "
	        "ranksh, or fewer ranks (-n)",
	        wanted, n, (unsigned long)before, wanted);
}

static enum status sizes_fit(void)
{
	struct rlimit limit;
	if (getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur >= FILE_BYTES)
		return ST_OK;
	return fail(ST_FILE,
	        "mpirun needs files of %s, and the limit is %s: `ulimit -f unlimited` before ranksh",
	        bytes_words(FILE_BYTES).text, bytes_words((int64_t)limit.rlim_cur).text);
}

/* If the folder cannot be examined, the decision is left to mpirun. */
static enum status folder_fits(void)
{
	struct statvfs disk;
	if (statvfs(room_folder(), &disk) != 0 || disk.f_blocks == 0)
		return ST_OK;
	double free = (double)disk.f_frsize * (double)(geteuid() ? disk.f_bavail : disk.f_bfree);
	if (free >= FOLDER_BYTES)
		return ST_OK;
	return fail(ST_FILE,
	        "%s has room for %s, and mpirun needs %s there: set TMPDIR to a folder with more room",
	        room_folder(), bytes_words((int64_t)free).text, bytes_words(FOLDER_BYTES).text);
}

enum status room_for_mpirun(int n)
{
	enum status status = files_fit(n);
	if (status == ST_OK)
		status = sizes_fit();
	return status == ST_OK ? folder_fits() : status;
}
