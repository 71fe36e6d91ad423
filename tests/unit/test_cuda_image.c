/* test_cuda_image.c -- how kernels are loaded into a driver: from fat binaries, from cached
 * files, or by NVRTC. Driver and NVRTC are functions of this test: an image by NVRTC begins
 * with "good", and the driver accepts no other. */
#include "check.h"
#include "cuda/kernels/image.h"
#include "base/memory.h"

#include <dirent.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char root[64]; /* mkdtemp's */
static int compiled, loaded, ptx, known, fails;
static int compile_ms;           /* how long it takes */
static atomic_int *compilations; /* of all processes, if there are several */
static bool takes_all;

static CUresult load(CUmodule *module, const void *code, unsigned count, CUjit_option *options, void **values)
{
	(void)count, (void)options, (void)values;
	if (!takes_all && memcmp(code, "good", 4) != 0)
		return CUDA_ERROR_NO_BINARY_FOR_GPU;
	loaded++;
	*module = (CUmodule)&loaded;
	return CUDA_SUCCESS;
}
static CUresult unload(CUmodule module)
{
	assert_ptr_equal(module, &loaded);
	loaded--;
	return CUDA_SUCCESS;
}
static CUresult get_function(CUfunction *function, CUmodule module, const char *name)
{
	(void)module;
	*function = (CUfunction)&loaded;
	return strcmp(name, "there") == 0 ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}
static CUresult error_name(CUresult result, const char **text)
{
	(void)result;
	*text = "CUDA_ERROR";
	return CUDA_SUCCESS;
}
static nvrtcResult version(int *major, int *minor)
{
	*major = 13;
	*minor = 0;
	return NVRTC_SUCCESS;
}
static nvrtcResult count_architectures(int *count)
{
	*count = 2;
	return NVRTC_SUCCESS;
}
static nvrtcResult architectures(int *at)
{
	at[0] = 75;
	at[1] = known;
	return NVRTC_SUCCESS;
}
/* Every header that a source includes is given with it. */
static nvrtcResult create(nvrtcProgram *program, const char *source, const char *name, int count,
        const char *const *headers, const char *const *names)
{
	assert_non_null(strstr(name, ".cu"));
	for (const char *at = source; (at = strstr(at, "#include \"")); at++) {
		bool found = false;
		for (int i = 0; i < count; i++)
			found |= strncmp(at + 10, names[i], strlen(names[i])) == 0 && headers[i][0];
		assert_true(found);
	}
	*program = (nvrtcProgram)&compiled;
	return NVRTC_SUCCESS;
}
static nvrtcResult destroy(nvrtcProgram *program)
{
	*program = NULL;
	return NVRTC_SUCCESS;
}
static nvrtcResult compile(nvrtcProgram program, int count, const char *const *options)
{
	bool exact = false, fmad = false;
	(void)program;
	for (int i = 0; i < count; i++) {
		exact |= strcmp(options[i], "--gpu-architecture=sm_90") == 0 ||
		        strcmp(options[i], "--gpu-architecture=compute_75") == 0;
		fmad |= strcmp(options[i], "--fmad=false") == 0;
	}
	assert_true(exact && fmad);
	compiled++;
	if (compilations)
		atomic_fetch_add(compilations, 1);
	poll(NULL, 0, compile_ms);
	return fails ? NVRTC_ERROR_COMPILATION : NVRTC_SUCCESS;
}
static nvrtcResult log_size(nvrtcProgram program, size_t *bytes)
{
	(void)program;
	*bytes = sizeof "line one\nline two";
	return NVRTC_SUCCESS;
}
static nvrtcResult log_text(nvrtcProgram program, char *text)
{
	(void)program;
	strcpy(text, "line one\nline two");
	return NVRTC_SUCCESS;
}
static nvrtcResult code_size(nvrtcProgram program, size_t *bytes)
{
	(void)program;
	*bytes = 5;
	return NVRTC_SUCCESS;
}
static nvrtcResult code(nvrtcProgram program, char *text)
{
	(void)program;
	strcpy(text, "good");
	return NVRTC_SUCCESS;
}
static nvrtcResult code_ptx(nvrtcProgram program, char *text)
{
	ptx++;
	return code(program, text);
}

static struct cuda_library cuda = {
        .handles = {[CUDA_PART_DRIVER] = root, [CUDA_PART_NVRTC] = root},
        .cuModuleLoadDataEx = load,
        .cuModuleUnload = unload,
        .cuModuleGetFunction = get_function,
        .cuGetErrorName = error_name,
        .cuGetErrorString = error_name,
        .nvrtcVersion = version,
        .nvrtcGetNumSupportedArchs = count_architectures,
        .nvrtcGetSupportedArchs = architectures,
        .nvrtcCreateProgram = create,
        .nvrtcDestroyProgram = destroy,
        .nvrtcCompileProgram = compile,
        .nvrtcGetProgramLogSize = log_size,
        .nvrtcGetProgramLog = log_text,
        .nvrtcGetCUBINSize = code_size,
        .nvrtcGetCUBIN = code,
        .nvrtcGetPTXSize = code_size,
        .nvrtcGetPTX = code_ptx,
};

/* The files in a folder of ROOT but the lock; each is emptied, or removed, with the lock */
static int files_in(const char *name, bool empty, bool removed)
{
	char path[128], file[512];
	int count = 0;
	snprintf(path, sizeof path, "%s/%s", root, name);
	DIR *folder = opendir(path);
	for (struct dirent *entry; folder && (entry = readdir(folder));) {
		if (entry->d_name[0] == '.')
			continue;
		count += strcmp(entry->d_name, "lock") != 0;
		snprintf(file, sizeof file, "%s/%s", path, entry->d_name);
		if (empty)
			assert_int_equal(truncate(file, 1), 0);
		if (removed)
			assert_int_equal(unlink(file), 0);
	}
	if (folder)
		closedir(folder);
	return count;
}

/* The kept files of the user's cache */
static int kept(bool empty, bool removed)
{
	return files_in("cache/ranksh", empty, removed);
}
/* Those of the second folder */
static int kept_aside(bool removed)
{
	char name[64];
	snprintf(name, sizeof name, "ranksh-%u", (unsigned)geteuid());
	return files_in(name, false, removed);
}

static int begin(void **state)
{
	char cache[80];
	(void)state;
	strcpy(root, "/tmp/ranksh-image-XXXXXX");
	assert_non_null(mkdtemp(root));
	snprintf(cache, sizeof cache, "%s/cache", root);
	setenv("XDG_CACHE_HOME", cache, 1);
	setenv("TMPDIR", root, 1);
	compiled = loaded = ptx = fails = compile_ms = 0;
	known = 90;
	takes_all = false;
	return 0;
}

static int end(void **state)
{
	char path[128];
	(void)state;
	kept(false, true);
	kept_aside(true);
	snprintf(path, sizeof path, "%s/ranksh-%u", root, (unsigned)geteuid());
	rmdir(path);
	snprintf(path, sizeof path, "%s/cache/ranksh", root);
	rmdir(path);
	snprintf(path, sizeof path, "%s/cache", root);
	rmdir(path);
	return rmdir(root);
}

static int load_and_unload(int architecture)
{
	struct image image;
	compiled = 0;
	assert_int_equal(image_load(&image, &cuda, architecture, NULL), ST_OK);
	assert_true(loaded > 0 && loaded == image.modules);
	image_unload(&image);
	assert_int_equal(loaded, 0);
	return compiled;
}

static void compiled_once_and_kept(void **state)
{
	long live = mem_live();
	(void)state;
	int families = load_and_unload(90);
	assert_true(families > 1);
	assert_int_equal(kept(false, false), families);
	assert_int_equal(load_and_unload(90), 0);
	kept(true, false); /* what the driver does not take is made again */
	assert_int_equal(load_and_unload(90), families);
	assert_int_equal(load_and_unload(90), 0);
	assert_int_equal(ptx, 0);
	assert_int_equal(mem_live(), live);
}

static void a_newer_gpu_gets_ptx(void **state)
{
	(void)state;
	known = 75;
	int families = load_and_unload(90);
	assert_int_equal(ptx, families);
	assert_int_equal(load_and_unload(90), 0);
}

/* /proc takes no file, of root's neither. */
static void a_read_only_folder_has_one_beside_it(void **state)
{
	(void)state;
	setenv("XDG_CACHE_HOME", "/proc", 1);
	int families = load_and_unload(90);
	assert_int_equal(kept_aside(false), families);
	assert_int_equal(load_and_unload(90), 0);
}

static void no_folder_at_all_is_no_error(void **state)
{
	(void)state;
	setenv("XDG_CACHE_HOME", "/dev/null/none", 1);
	setenv("TMPDIR", "/proc", 1);
	int families = load_and_unload(90);
	assert_int_equal(load_and_unload(90), families);
}

/* Code of a folder in which others can write is not loaded, and none is put there. */
static void a_folder_of_others_is_left_alone(void **state)
{
	char path[128];
	(void)state;
	setenv("XDG_CACHE_HOME", "/proc", 1);
	load_and_unload(90);
	snprintf(path, sizeof path, "%s/ranksh-%u", root, (unsigned)geteuid());
	assert_int_equal(chmod(path, 0777), 0);
	assert_true(load_and_unload(90) > 0);
}

/* No byte can be written, as on a full disk: what was kept is still read, and no half file is left. */
static void a_full_disk_is_no_error(void **state)
{
	struct rlimit before, full;
	(void)state;
	int families = load_and_unload(90);
	getrlimit(RLIMIT_FSIZE, &before);
	full = (struct rlimit){0, before.rlim_max};
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &full), 0);
	int kept_full = load_and_unload(90), files = kept(false, true);
	int anew = load_and_unload(90);
	setrlimit(RLIMIT_FSIZE, &before);
	assert_int_equal(kept_full, 0);
	assert_int_equal(files, families);
	assert_int_equal(anew, families);
	assert_int_equal(kept(false, false), 0);
}

/* Several processes that start together share the families. */
static void processes_compile_once(void **state)
{
	enum { PROCESSES = 3 };
	pid_t process[PROCESSES];
	(void)state;
	compilations =
	        mmap(NULL, sizeof *compilations, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(compilations, MAP_FAILED);
	compile_ms = 20;
	for (int i = 0; i < PROCESSES; i++)
		if ((process[i] = fork()) == 0) {
			struct image image;
			_exit(image_load(&image, &cuda, 90, NULL) == ST_OK && compiled < image.modules ? 0
			                                                                               : 1);
		}
	for (int i = 0; i < PROCESSES; i++) {
		int status = -1;
		assert_int_equal(waitpid(process[i], &status, 0), process[i]);
		assert_int_equal(status, 0);
	}
	assert_int_equal(atomic_load(compilations), kept(false, false));
	munmap(compilations, sizeof *compilations);
	compilations = NULL;
}

/* After one second a line is written, once. */
static void a_long_compilation_is_reported(void **state)
{
	struct cuda_library reporting = cuda;
	struct image image;
	char words[500] = "";
	int ends[2];
	(void)state;
	assert_int_equal(pipe(ends), 0);
	reporting.progress = ends[1];
	assert_int_equal(image_load(&image, &reporting, 90, NULL), ST_OK);
	image_unload(&image);
	kept(false, true);
	compile_ms = 200;
	assert_int_equal(image_load(&image, &reporting, 90, NULL), ST_OK);
	image_unload(&image);
	close(ends[1]);
	ssize_t count = read(ends[0], words, sizeof words - 1);
	assert_true(count > 0);
	assert_non_null(strstr(words, "compiling the kernels"));
	assert_ptr_equal(strchr(words, '\n'), words + count - 1);
	close(ends[0]);
}

static void what_does_not_compile_is_told(void **state)
{
	struct image image;
	struct cuda_library old = cuda;
	(void)state;
	fails = 1;
	assert_int_equal(image_load(&image, &cuda, 90, NULL), ST_GPU);
	assert_non_null(strstr(fail_text(), "line one"));
	assert_null(strstr(fail_text(), "line two"));
	assert_int_equal(image.modules, 0);
	assert_int_equal(image_load(&image, &old, 50, NULL), ST_GPU);
	assert_non_null(strstr(fail_text(), "5.0"));
	assert_int_equal(loaded, 0);
}

static void functions_by_name(void **state)
{
	struct image image;
	CUfunction function;
	(void)state;
	assert_int_equal(image_load(&image, &cuda, 90, NULL), ST_OK);
	assert_int_equal(image_function(&image, "there", &function), ST_OK);
	assert_ptr_equal(function, &loaded);
	assert_int_equal(image_function(&image, "none", &function), ST_GPU);
	image_unload(&image);
}

static int asked, good; /* functions that were asked for; that many can be loaded */
static CUresult function_count(unsigned *count, CUmodule module)
{
	assert_ptr_equal(module, &loaded);
	*count = 3;
	return CUDA_SUCCESS;
}
static CUresult all_functions(CUfunction *functions, unsigned count, CUmodule module)
{
	assert_ptr_equal(module, &loaded);
	for (unsigned i = 0; i < count; i++)
		functions[i] = (CUfunction)&loaded;
	return CUDA_SUCCESS;
}
static CUresult load_function(CUfunction function)
{
	assert_ptr_equal(function, &loaded);
	return ++asked > good ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_SUCCESS;
}

/* No launch has to load one later; where one does not fit, nothing is loaded. */
static void all_functions_are_loaded_at_once(void **state)
{
	struct cuda_library newer = cuda;
	struct image image;
	(void)state;
	newer.cuModuleGetFunctionCount = function_count;
	newer.cuModuleEnumerateFunctions = all_functions;
	newer.cuFuncLoad = load_function;
	asked = 0;
	good = 1000;
	assert_int_equal(image_load(&image, &newer, 90, NULL), ST_OK);
	assert_int_equal(asked, 3 * image.modules);
	image_unload(&image);
	good = asked + 4;
	assert_true(image_load(&image, &newer, 90, NULL) != ST_OK);
	assert_int_equal(loaded, 0);
}

/* The binaries of this program, where it has some, are taken before anything is compiled. */
static void binaries_come_first(void **state)
{
	int count = 0;
	(void)state;
	takes_all = true;
	while (image_binaries[count].path)
		count++;
	int here = load_and_unload(90);
	assert_true(count ? here == 0 : here > 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
	const struct CMUnitTest tests[] = {
	        TEST(compiled_once_and_kept),
	        TEST(a_newer_gpu_gets_ptx),
	        TEST(a_read_only_folder_has_one_beside_it),
	        TEST(no_folder_at_all_is_no_error),
	        TEST(a_folder_of_others_is_left_alone),
	        TEST(a_full_disk_is_no_error),
	        TEST(processes_compile_once),
	        TEST(a_long_compilation_is_reported),
	        TEST(what_does_not_compile_is_told),
	        TEST(functions_by_name),
	        TEST(all_functions_are_loaded_at_once),
	        TEST(binaries_come_first),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
