/* open.c -- finds a library, opens it and fills its rows of the table, or reports why not */
#include "cuda/library/library.h"
#include "system/system.h"
#include <dlfcn.h>
#include <glob.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* ---- folders to search: the loader's path, the toolkit, pip's packages */

/* Adds the pattern's new matches in reverse order of name: the newest version first. */
static void add_found(struct text *folders, const char *pattern)
{
	glob_t found = {0};
	if (glob(pattern, GLOB_ONLYDIR | GLOB_NOESCAPE, NULL, &found) == 0)
		for (size_t i = found.gl_pathc; i-- > 0;) {
			struct text line = {0};
			text_add(&line, "\n%s\n", found.gl_pathv[i]);
			if (!strstr(text_string(folders), text_string(&line)))
				text_add(folders, "%s\n", found.gl_pathv[i]);
			text_release(&line);
		}
	globfree(&found);
}
static void add_beneath(struct text *folders, const char *root, const char *folder, const char *pattern)
{
	struct text whole = {0};
	if (folder && *folder)
		text_add(&whole, "%s%s%s", root, folder, pattern);
	if (whole.count)
		add_found(folders, text_string(&whole));
	text_release(&whole);
}

static void add_packages(struct text *folders, const char *root, const char *prefix)
{
	add_beneath(folders, root, prefix, "/lib/python3*/site-packages/nvidia/*/lib");
	add_beneath(folders, root, prefix, "/lib/python3*/dist-packages/nvidia/*/lib");
}

/* The PREFIX of each PREFIX/bin on PATH that has a python3 */
static void add_packages_on_path(struct text *folders)
{
	const char *path = getenv("PATH");
	for (const char *at = path; at && *at;) {
		size_t length = strcspn(at, ":");
		struct text python = {0}, prefix = {0};
		text_add(&python, "%.*s/python3", (int)length, at);
		if (length > 4 && memcmp(at + length - 4, "/bin", 4) == 0 &&
		        access(text_string(&python), X_OK) == 0)
			text_put(&prefix, at, length - 4);
		add_packages(folders, "", text_string(&prefix));
		text_release(&python);
		text_release(&prefix);
		at += length + (at[length] == ':');
	}
}

void cuda_folders_beside(struct text *folders, const char *program)
{
	static const char place[] = "/ranksh/bin/ranksh"; /* in the folder of pip's packages */
	size_t length = strlen(program), tail = sizeof place - 1;
	if (length <= tail || strcmp(program + length - tail, place) != 0)
		return;
	struct text packages = {0};
	text_put(&packages, program, length - tail);
	add_beneath(folders, "", text_string(&packages), "/nvidia/*/lib");
	text_release(&packages);
}

void cuda_folders(struct text *folders, enum cuda_part part, const char *root)
{
	const char *only = getenv("RANKSH_CUDA");
	if (only && *only) {
		text_add(folders, "%s\n", only);
		return;
	}
	text_add(folders, "\n");
	if (part == CUDA_PART_DRIVER) { /* the toolkit contains only a stub of it */
		add_beneath(folders, root, "/usr/lib/wsl/lib", "");
		add_beneath(folders, root, "/usr/local/nvidia/lib64", "");
		add_beneath(folders, root, "/run/opengl-driver/lib", "");
		return;
	}
	const char *toolkits[] = {getenv("CUDA_HOME"), getenv("CUDA_PATH")};
	for (size_t i = 0; i < sizeof toolkits / sizeof *toolkits; i++) {
		add_beneath(folders, "", toolkits[i], "/lib64");
		add_beneath(folders, "", toolkits[i], "/lib");
	}
	char program[4096];
	if (system_own_file(program, sizeof program))
		cuda_folders_beside(folders, program);
	add_packages(folders, "", getenv("VIRTUAL_ENV"));
	add_packages(folders, "", getenv("CONDA_PREFIX"));
	add_packages_on_path(folders);
	add_beneath(folders, root, "/usr/local/cuda", "/lib64");
	add_beneath(folders, root, "/usr/local/cuda-*", "/lib64");
	add_beneath(folders, root, "/usr/local/cuda-*", "/lib");
	const char *home = getenv("HOME");
	struct text local = {0};
	if (home && *home)
		text_add(&local, "%s/.local", home);
	add_packages(folders, "", text_string(&local));
	text_release(&local);
	add_packages(folders, root, "/usr/local");
	add_packages(folders, root, "/usr");
}

/* ---- opening */

/* a row of functions.h; place: the pointer's offset in the table */
struct library_row {
	const char *symbol;
	size_t place;
	bool needed;
};
#define X(name, symbol, needed, result, parameters) {#symbol, offsetof(struct cuda_library, name), needed},
static const struct library_row driver_functions[] = {CUDA_FUNCTIONS(X){NULL, 0, false}};
static const struct library_row cublas_functions[] = {CUBLAS_FUNCTIONS(X){NULL, 0, false}};
static const struct library_row nccl_functions[] = {NCCL_FUNCTIONS(X){NULL, 0, false}};
static const struct library_row nvrtc_functions[] = {NVRTC_FUNCTIONS(X){NULL, 0, false}};
static const struct library_row clock_functions[] = {CLOCK_FUNCTIONS(X){NULL, 0, false}};
#undef X

/* CUDA 12 is the first whose libraries all have the functions. If a file name contains CUDA's
 * version (libcublas.so.13), the driver's version is tried first, then earlier ones. */
enum { LEAST_MAJOR = 12, LEAST_NCCL = 21800 };
static const struct library_part {
	/* companion: a library that this one opens itself and may not find */
	const char *name, *file, *companion;
	bool numbered;
	const struct library_row *functions;
	const char *package_12, *package; /* of pip, for CUDA 12 and for 13 or later; NULL: none */
	const char *other;                /* what else brings it */
} parts[CUDA_PART_COUNT] = {
        [CUDA_PART_DRIVER] = {.name = "NVIDIA's driver",
                .file = "libcuda.so.1",
                .functions = driver_functions,
                .other = "it comes with the driver of a GPU (apt install nvidia-driver)"},
        [CUDA_PART_CUBLAS] = {.name = "cuBLAS",
                .file = "libcublas.so.",
                .companion = "libcublasLt.so.",
                .numbered = true,
                .functions = cublas_functions,
                .package_12 = "nvidia-cublas-cu12",
                .package = "nvidia-cublas",
                .other = "NVIDIA's CUDA toolkit"},
        [CUDA_PART_NCCL] = {.name = "NCCL",
                .file = "libnccl.so.2",
                .functions = nccl_functions,
                .package_12 = "nvidia-nccl-cu12",
                .package = "nvidia-nccl-cu13",
                .other = "apt install libnccl2"},
        [CUDA_PART_NVRTC] = {.name = "NVRTC",
                .file = "libnvrtc.so.",
                .numbered = true,
                .functions = nvrtc_functions,
                .package_12 = "nvidia-cuda-nvrtc-cu12",
                .package = "nvidia-cuda-nvrtc",
                .other = "NVIDIA's CUDA toolkit"},
};

/* Looks up a library's functions; with handle NULL clears them. Returns the first required
 * function that is missing. */
static const char *functions_look_up(
        struct cuda_library *library, const struct library_row *functions, void *handle)
{
	const char *missing = NULL;
	for (const struct library_row *row = functions; row->symbol; row++) {
		void *found = handle ? dlsym(handle, row->symbol) : NULL;
		memcpy((char *)library + row->place, &found, sizeof found);
		if (!found && row->needed && !missing)
			missing = row->symbol;
	}
	return missing;
}

int64_t cuda_real_now(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

static void own_sleep_until(int64_t ns)
{
	struct timespec until = {.tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000};
	while (ns > 0 && clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) != 0)
		;
}
static void own_store(uint32_t *word, uint32_t value, int64_t ns)
{
	(void)ns;
	__atomic_store_n(word, value, __ATOMIC_RELEASE);
}

static bool library_suits(
        struct cuda_library *library, enum cuda_part part, const char *path, struct text *why)
{
	const char *missing = functions_look_up(library, parts[part].functions, library->handles[part]);
	if (missing) {
		text_add(why, "%s is too old or none of NVIDIA's: it has no function %s", path, missing);
		return false;
	}
	if (part == CUDA_PART_NCCL) {
		int *version = &library->nccl_version;
		ncclResult_t result = library->ncclGetVersion(version);
		if (result != ncclSuccess)
			text_add(why, "%s: ncclGetVersion: error %d", path, result);
		else if (*version < LEAST_NCCL)
			text_add(why, "%s is NCCL %d.%d.%d, and 2.18 is the least", path, *version / 10000,
			        *version / 100 % 100, *version % 100);
	}
	if (part == CUDA_PART_DRIVER) {
		int *version = &library->driver_version;
		CUresult result = library->cuDriverGetVersion(version);
		if (result == CUDA_ERROR_STUB_LIBRARY)
			text_add(why, "%s is the toolkit's stub and no driver", path);
		else if (result != CUDA_SUCCESS)
			text_add(why, "%s: cuDriverGetVersion: error %d", path, result);
		else if (*version < LEAST_MAJOR * 1000)
			text_add(why, "%s is a driver for CUDA %d.%d, and %d.0 is the least", path,
			        *version / 1000, *version % 1000 / 10, LEAST_MAJOR);
	}
	return why->count == 0;
}

static void library_shut(struct cuda_library *library, enum cuda_part part)
{
	functions_look_up(library, parts[part].functions, NULL);
	if (part == CUDA_PART_DRIVER) {
		functions_look_up(library, clock_functions, NULL);
		library->driver_version = 0;
	}
	if (part == CUDA_PART_NCCL)
		library->nccl_version = 0;
	if (library->handles[part])
		dlclose(library->handles[part]);
	library->handles[part] = NULL;
}

/* Tries one file. `why` gets the problem of the first file that exists and cannot be used. */
static bool try_file(struct cuda_library *library, enum cuda_part part, const char *path, struct text *why)
{
	if (strchr(path, '/') && access(path, F_OK) != 0)
		return false;
	struct text trouble = {0};
	bool good = false;
	library->handles[part] = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (library->handles[part]) {
		good = library_suits(library, part, path, &trouble);
		if (!good)
			library_shut(library, part);
	} else {
		const char *words = dlerror();
		/* "libnccl.so.2: cannot open shared object file": not on the loader's path */
		size_t length = strlen(path);
		if (strchr(path, '/') || strncmp(words, path, length) != 0 || !strstr(words, "No such file"))
			text_add(&trouble, "%s", words);
	}
	if (!why->count)
		text_add(why, "%s", text_string(&trouble));
	text_release(&trouble);
	return good;
}

static void path_of(struct text *path, const char *folder, size_t length, const char *file, int major)
{
	text_clear(path);
	if (length)
		text_add(path, "%.*s/", (int)length, folder);
	text_add(path, "%s", file);
	if (major)
		text_add(path, "%d", major);
}

/* Opens one version of a library from the first folder with a usable one. */
static bool open_version(
        struct cuda_library *library, enum cuda_part part, const char *folders, int major, struct text *why)
{
	struct text path = {0};
	size_t length;
	bool good = false;
	const char *end = folders + strlen(folders);
	for (const char *at = folders, *line; !good && (line = text_line(&at, end, &length));) {
		void *companion = NULL;
		if (parts[part].companion && length) {
			path_of(&path, line, length, parts[part].companion, major);
			companion = dlopen(text_string(&path), RTLD_NOW | RTLD_LOCAL);
		}
		path_of(&path, line, length, parts[part].file, major);
		good = try_file(library, part, text_string(&path), why);
		if (companion)
			dlclose(companion);
	}
	text_release(&path);
	return good;
}

const char *cuda_library_name(enum cuda_part part)
{
	return parts[part].name;
}

const char *cuda_library_package(const struct cuda_library *library, enum cuda_part part)
{
	return library->driver_version / 1000 == LEAST_MAJOR ? parts[part].package_12 : parts[part].package;
}

/* unusable: gets what is wrong with the file that is there, or nothing; may be NULL */
static enum status library_missing(const struct cuda_library *library, enum cuda_part part,
        const char *folders, const char *why, struct text *unusable)
{
	const struct library_part *row = &parts[part];
	const char *package = cuda_library_package(library, part);
	struct text file = {0}, looked = {0}, remedy = {0};
	text_add(&remedy, package ? "pip install %s, or %s, brings it" : "%s%s", package ? package : "",
	        row->other);
	path_of(&file, NULL, 0, row->file, row->numbered ? library->driver_version / 1000 : 0);
	if (unusable)
		text_add(unusable, "%s", why);
	FOR_LINES (folder, folders, strlen(folders))
		text_add(&looked, "%s%.*s", looked.count ? ", " : "", folder.length ? (int)folder.length : 17,
		        folder.length ? folder.at : "the loader's path");
	if (*why)
		fail(ST_GPU, "%s cannot be used: %s; %s", row->name, why, text_string(&remedy));
	else
		fail(ST_GPU, "%s (%s) is not there: looked in %s; %s", row->name, text_string(&file),
		        text_string(&looked), text_string(&remedy));
	text_release(&file);
	text_release(&looked);
	text_release(&remedy);
	return ST_GPU;
}

static enum status library_open_in(
        struct cuda_library *library, enum cuda_part part, const char *folders, struct text *unusable)
{
	struct text why = {0};
	bool good = false;
	if (!parts[part].numbered)
		good = open_version(library, part, folders, 0, &why);
	else
		for (int major = library->driver_version / 1000; !good && major >= LEAST_MAJOR; major--)
			good = open_version(library, part, folders, major, &why);
	if (good && part == CUDA_PART_DRIVER) {
		functions_look_up(library, clock_functions, library->handles[part]);
		if (!library->host_now || !library->host_sleep_until || !library->host_store) {
			library->host_now = cuda_real_now;
			library->host_sleep_until = own_sleep_until;
			library->host_store = own_store;
		}
	}
	enum status status =
	        good ? ST_OK : library_missing(library, part, folders, text_string(&why), unusable);
	text_release(&why);
	return status;
}

enum status cuda_open_in(struct cuda_library *library, enum cuda_part part, const char *folders)
{
	return library_open_in(library, part, folders, NULL);
}

enum status cuda_library_try(struct cuda_library *library, enum cuda_part part, struct text *why)
{
	bool had_driver = library->handles[CUDA_PART_DRIVER];
	if (library->handles[part])
		return ST_OK;
	enum status status =
	        part == CUDA_PART_DRIVER ? ST_OK : cuda_library_try(library, CUDA_PART_DRIVER, why);
	struct text folders = {0};
	cuda_folders(&folders, part, "");
	if (status == ST_OK)
		status = library_open_in(library, part, text_string(&folders), why);
	if (status != ST_OK && !had_driver && library->handles[CUDA_PART_DRIVER])
		library_shut(library, CUDA_PART_DRIVER);
	text_release(&folders);
	return status;
}

enum status cuda_library_open(struct cuda_library *library, enum cuda_part part)
{
	return cuda_library_try(library, part, NULL);
}

void cuda_library_close(struct cuda_library *library)
{
	for (int part = CUDA_PART_COUNT; part-- > 0;)
		library_shut(library, part);
}
