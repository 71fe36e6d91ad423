/* room.c -- the limits, space and memory that mpirun and its ranks need; a job's shared-memory
 * folder
 *
 * Measured with Open MPI 4.1: with too few descriptors it hangs, or its ranks end silently; with a
 * small address space it hangs; with a small stack it dies. PMIx creates two files of 4 MB in Open
 * MPI's folder, and each rank one of slightly over 4 MB in shared memory; with Open MPI 5 that is
 * 16 MB, and the folder gets less. */
#include "shell/terminal/room.h"
#include "base/number.h"
#include "system/system.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

enum { MB = 1 << 20, FOLDER_BYTES = 9 * MB, RANK_BYTES = 30 * MB };
#define SHARED "/dev/shm"
static const char *const settings[] = {
        "OMPI_MCA_btl_vader_backing_directory", "OMPI_MCA_btl_sm_backing_directory"};

/* ---- limits of this process, which the ranks inherit ---- */

/* The names of a limit: "38 open files", "files of 5 MB"; its letter in `ulimit` */
static const struct limit {
	const char *before, *after;
	int resource;
	char letter;
	bool bytes;
	int64_t own, rank; /* what mpirun and the front end need, and each rank */
} limits[] = {
        [NEED_FILES] = {"", " open files", RLIMIT_NOFILE, 'n', false, 28, 5},
        [NEED_TASKS] = {"", " more processes and threads", RLIMIT_NPROC, 'u', false, 8, 3},
        [NEED_FILE_SIZE] = {"files of ", "", RLIMIT_FSIZE, 'f', true, 0, 0},
        [NEED_ADDRESSES] = {"an address space of ", "", RLIMIT_AS, 'v', true, 300 * MB, 0},
        [NEED_DATA] = {"data of ", "", RLIMIT_DATA, 'd', true, 64 * MB, 0},
        [NEED_STACK] = {"a stack of ", "", RLIMIT_STACK, 's', true, MB / 2, 0},
};

static int64_t limit_there(const struct limit *row)
{
	struct rlimit limit;
	if (row->resource == RLIMIT_NPROC)
		return system_tasks_left();
	if (getrlimit(row->resource, &limit) != 0 || limit.rlim_cur >= INT64_MAX)
		return INT64_MAX;
	return (int64_t)limit.rlim_cur;
}

/* Raises the soft limit by `more`. Returns false if the hard limit forbids it. */
static bool limit_raise(const struct limit *row, int64_t more)
{
	struct rlimit limit;
	if (getrlimit(row->resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
		return false;
	limit.rlim_cur += (rlim_t)more;
	return limit.rlim_cur <= limit.rlim_max && setrlimit(row->resource, &limit) == 0;
}

static void add_amount(struct text *text, int64_t amount, bool bytes)
{
	if (bytes)
		bytes_text(amount, text);
	else
		text_add(text, "%lld", (long long)amount);
}

/* Only root can raise a hard limit. Bytes are unlimited, because shells count them in other
 * units. */
static enum status limit_refuse(const struct limit *row, int n, struct need *need)
{
	struct text wanted = {0}, there = {0}, ranks = {0};
	add_amount(&wanted, need->wanted, row->bytes);
	add_amount(&there, need->there, row->bytes);
	if (geteuid() == 0 && row->resource != RLIMIT_NPROC)
		snprintf(need->type, sizeof need->type, "ulimit -%c %s", row->letter,
		        row->bytes ? "unlimited" : text_string(&wanted));
	const char *type = need->type;
	bool tasks = row->resource == RLIMIT_NPROC;
	if (row->rank)
		text_add(&ranks, " for %d ranks", n);
	fail(ST_FILE, "mpirun needs %s%s%s%s, and the limit %s %s: %s%s%s%s", row->before,
	        text_string(&wanted), row->after, text_string(&ranks), tasks ? "leaves" : "is",
	        text_string(&there), *type ? "`" : "",
	        *type           ? type
	                : tasks ? "end other programs of yours"
	                        : "a new login, or an administrator, can raise it",
	        *type ? "` before ranksh" : "", row->rank ? ", or fewer ranks (-n)" : "");
	text_release(&wanted);
	text_release(&there);
	text_release(&ranks);
	return ST_FILE;
}

/* Returns the size of a rank's file in shared memory, the largest that is made. */
static int64_t segment_bytes(int version)
{
	return (version < 5 ? 5 : 17) * (int64_t)MB;
}

static enum status limit_need(const struct limit *row, int n, int version, struct need *need)
{
	need->bytes = row->bytes;
	need->wanted = row->resource == RLIMIT_FSIZE ? segment_bytes(version) : row->own + row->rank * n;
	need->there = limit_there(row);
	if (need->there < need->wanted && limit_raise(row, need->wanted - need->there))
		need->there = need->wanted;
	return need->there < need->wanted ? limit_refuse(row, n, need) : ST_OK;
}

/* ---- folders ---- */

const char *room_folder(const char **variable)
{
	static const char *const names[] = {"OMPI_MCA_orte_tmpdir_base", "TMPDIR", "TEMP", "TMP"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		const char *folder = getenv(names[i]);
		*variable = names[i];
		if (folder && *folder)
			return folder;
	}
	*variable = NULL;
	return "/tmp";
}

int64_t room_free(const char *folder)
{
	struct statvfs disk;
	struct stat about;
	if (stat(folder, &about) != 0)
		return -1;
	errno = ENOTDIR;
	if (!S_ISDIR(about.st_mode) || access(folder, R_OK | W_OK | X_OK) != 0)
		return -1;
	if (statvfs(folder, &disk) != 0 || disk.f_blocks == 0)
		return INT64_MAX;
	if (disk.f_files && !disk.f_favail)
		return 0; /* no file can be made */
	return (int64_t)disk.f_frsize * (int64_t)(geteuid() ? disk.f_bavail : disk.f_bfree);
}

/* Puts a line with a folder that has room in need->type. */
static void folder_propose(struct need *need, const char *variable)
{
	const char *const folders[] = {"/tmp", "/var/tmp", getenv("XDG_RUNTIME_DIR"), getenv("HOME")};
	for (size_t i = 0; i < sizeof folders / sizeof *folders && !*need->type; i++)
		if (folders[i] && *folders[i] == '/' && room_free(folders[i]) >= need->wanted)
			snprintf(need->type, sizeof need->type, "export %s=%s",
			        variable ? variable : "TMPDIR", folders[i]);
}

static enum status folder_need(struct need *need)
{
	const char *variable, *folder = room_folder(&variable);
	int64_t bytes = room_free(folder);
	int problem = errno;
	*need = (struct need){.bytes = true, .wanted = FOLDER_BYTES, .there = bytes < 0 ? 0 : bytes};
	if (need->there >= need->wanted)
		return ST_OK;
	folder_propose(need, variable);
	if (bytes < 0)
		return fail(ST_FILE,
		        "%s%s%s: %s; mpirun needs a folder that it can write: set %s to one%s%s%s",
		        variable ? variable : "", variable ? "=" : "", folder, strerror(problem),
		        variable ? variable : "TMPDIR", *need->type ? ": `" : "", need->type,
		        *need->type ? "`" : "");
	return fail(ST_FILE,
	        "%s has room for %s, and mpirun needs %s there: set %s to a folder with more room%s%s%s",
	        folder, bytes_words(bytes).text, bytes_words(FOLDER_BYTES).text,
	        variable ? variable : "TMPDIR", *need->type ? ": `" : "", need->type, *need->type ? "`" : "");
}

/* ---- the rest ---- */

static enum status network_need(struct need *need)
{
	struct ifaddrs *all = NULL;
	*need = (struct need){.wanted = 1};
	if (getifaddrs(&all) != 0)
		need->there = 1; /* mpirun may find out */
	for (const struct ifaddrs *one = all; one; one = one->ifa_next)
		need->there += (one->ifa_flags & IFF_UP) != 0;
	freeifaddrs(all);
	if (need->there)
		return ST_OK;
	snprintf(need->type, sizeof need->type, "ip link set lo up");
	return fail(ST_FILE,
	        "no network interface is up, not even lo, and mpirun needs one: `ip link set lo up` as root");
}

const char *room_shared(void)
{
	for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
		if (getenv(settings[i]))
			return getenv(settings[i]);
	return SHARED;
}

static enum status shared_need(int n, int version, struct need *need)
{
	int64_t bytes = room_free(room_shared());
	*need = (struct need){
	        .bytes = true, .wanted = segment_bytes(version) * n, .there = bytes < 0 ? 0 : bytes};
	return need->there >= need->wanted
	        ? ST_OK
	        : fail(ST_FILE, "%s has room for %s, and %d ranks use %s there", room_shared(),
	                  bytes_words(need->there).text, n, bytes_words(need->wanted).text);
}

static enum status memory_need(int n, struct need *need)
{
	*need = (struct need){
	        .bytes = true, .wanted = (int64_t)RANK_BYTES * n, .there = system_memory_left()};
	return need->there >= need->wanted
	        ? ST_OK
	        : fail(ST_MEMORY, "%s of memory are free, and %d ranks use %s", bytes_words(need->there).text,
	                  n, bytes_words(need->wanted).text);
}

enum status room_need(enum need_kind kind, int n, int version, struct need *need)
{
	*need = (struct need){0};
	if (kind <= NEED_STACK)
		return limit_need(&limits[kind], n, version, need);
	return kind == NEED_FOLDER     ? folder_need(need)
	        : kind == NEED_NETWORK ? network_need(need)
	        : kind == NEED_SHARED  ? shared_need(n, version, need)
	                               : memory_need(n, need);
}

enum status room_for_mpirun(int n, int version)
{
	struct need need;
	enum status status = ST_OK;
	for (int kind = 0; kind < NEEDS_VITAL && status == ST_OK; kind++)
		status = room_need((enum need_kind)kind, n, version, &need);
	return status;
}

/* ---- shared memory ---- */

/* Locks the folder. Returns its descriptor; -1 if it is not this user's folder, or its front end
 * lives. */
static int folder_lock(const char *path)
{
	struct stat folder;
	int lock = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (lock >= 0 && fstat(lock, &folder) == 0 && folder.st_uid == geteuid() &&
	        flock(lock, LOCK_EX | LOCK_NB) == 0)
		return lock;
	if (lock >= 0)
		close(lock);
	return -1;
}

/* The folder stays until the next start if a rank still writes to it. */
static void folder_remove(const char *path, int lock)
{
	DIR *entries = opendir(path);
	for (struct dirent *entry; entries && (entry = readdir(entries));)
		unlinkat(lock, entry->d_name, 0);
	if (entries)
		closedir(entries);
	rmdir(path);
	close(lock);
}

static void remove_dead(const char *prefix)
{
	DIR *entries = opendir(SHARED);
	for (struct dirent *entry; entries && (entry = readdir(entries));) {
		char path[sizeof SHARED + sizeof entry->d_name];
		int lock;
		snprintf(path, sizeof path, SHARED "/%s", entry->d_name);
		if (strncmp(entry->d_name, prefix, strlen(prefix)) == 0 && (lock = folder_lock(path)) >= 0)
			folder_remove(path, lock);
	}
	if (entries)
		closedir(entries);
}

/* Makes no folder if another start removes it before it is locked. */
void segments_open(struct segments *segments)
{
	char prefix[32];
	struct stat folder;
	*segments = (struct segments){.lock = -1};
	unsetenv("RANKSH_SEGMENTS");
	snprintf(prefix, sizeof prefix, "ranksh.%u.", (unsigned)geteuid());
	remove_dead(prefix);
	for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
		if (getenv(settings[i]))
			return;
	snprintf(segments->path, sizeof segments->path, SHARED "/%sXXXXXX", prefix);
	if (!mkdtemp(segments->path)) {
		*segments->path = '\0';
		return;
	}
	segments->lock = folder_lock(segments->path);
	if (segments->lock < 0 || fstat(segments->lock, &folder) != 0 || folder.st_nlink == 0)
		segments_close(segments);
	else
		setenv("RANKSH_SEGMENTS", segments->path, 1);
}

void segments_close(struct segments *segments)
{
	if (*segments->path && segments->lock >= 0)
		folder_remove(segments->path, segments->lock);
	else if (*segments->path)
		rmdir(segments->path);
	*segments = (struct segments){.lock = -1};
}
