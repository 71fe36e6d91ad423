/* test_npy.c -- .npy files: written and read again, and broken ones */
#include "base/npy.h"
#include "check.h"

#include <dirent.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/ranksh-npy-XXXXXX";
static char path[64];

static int make_folder(void **state)
{
	(void)state;
	if (!mkdtemp(folder))
		return -1;
	snprintf(path, sizeof path, "%s/x.npy", folder);
	return 0;
}

static int remove_folder(void **state)
{
	(void)state;
	unlink(path);
	return rmdir(folder); /* fails when a file was left behind */
}

static int files_in_folder(void)
{
	DIR *dir = opendir(folder);
	int count = -2; /* "." and ".." */
	while (readdir(dir))
		count++;
	closedir(dir);
	return count;
}

static void check_round_trip(enum dtype dtype, int dims, const int64_t *dim, enum dtype wanted)
{
	struct layout layout;
	struct npy npy;
	char from[4096], to[8192];
	float want[1024], got[1024];

	assert_int_equal(layout_make(&layout, dtype, dims, dim), ST_OK);
	int64_t count = layout_count(&layout);
	for (int64_t i = 0; i < count; i++)
		dtype_set(dtype, from, i, (float)i * 0.5f - 3);
	assert_int_equal(npy_save(path, &layout, from), ST_OK);
	assert_int_equal(npy_open(&npy, path), ST_OK);
	assert_int_equal(npy.layout.dtype, wanted);
	assert_true(layout_same_shape(&npy.layout, &layout));
	assert_int_equal(npy_read(&npy, to), ST_OK);
	npy_close(&npy);
	dtype_to_f32(dtype, from, want, count);
	dtype_to_f32(wanted, to, got, count);
	assert_memory_equal(got, want, (size_t)count * 4);
	assert_int_equal(files_in_folder(), 1);
}

static void what_is_saved_is_loaded(void **state)
{
	(void)state;
	check_round_trip(DT_F32, 2, (int64_t[]){3, 5}, DT_F32);
	check_round_trip(DT_F16, 1, (int64_t[]){7}, DT_F16);
	check_round_trip(DT_I32, 3, (int64_t[]){2, 1, 4}, DT_I32);
	check_round_trip(DT_BF16, 2, (int64_t[]){4, 4}, DT_F32);
	check_round_trip(DT_BF16, 1, (int64_t[]){1}, DT_F32);
	check_round_trip(DT_F32, 6, (int64_t[]){1, 2, 3, 1, 2, 3}, DT_F32);
	check_round_trip(DT_F32, 2, (int64_t[]){0, 3}, DT_F32);
	check_round_trip(DT_BF16, 2, (int64_t[]){3, 0}, DT_F32);
}

static void write_file(const void *bytes, size_t count)
{
	FILE *file = fopen(path, "wb");
	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, count, file), count);
	assert_int_equal(fclose(file), 0);
}

/* A file of that version with that dict and `data` bytes behind it */
static size_t build(char *out, int version, const char *dict, size_t data)
{
	size_t length = strlen(dict), at = 8;
	memcpy(out, "\x93NUMPY", 6);
	out[6] = (char)version;
	out[7] = 0;
	for (int i = 0; i < (version > 1 ? 4 : 2); i++)
		out[at++] = (char)(length >> 8 * i & 0xff);
	memcpy(out + at, dict, length);
	memset(out + at + length, 0, data);
	return at + length + data;
}

static enum status open_file(void)
{
	struct npy npy;
	enum status status = npy_open(&npy, path);
	if (!status)
		npy_close(&npy);
	else
		assert_null(npy.file);
	return status;
}

static void dicts_that_numpy_writes(void **state)
{
	static const struct {
		int version;
		const char *dict;
		size_t data;
		int dims;
		int64_t count;
	} rows[] = {
	        {1, "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }\n", 24, 2, 6},
	        {1, "{'descr': '<f4', 'fortran_order': False, 'shape': (), }\n", 4, 1, 1},
	        {1, "{\"shape\": (5,), \"fortran_order\": False, \"descr\": \"f4\"}", 20, 1, 5},
	        {2, "{'descr':'=i4','fortran_order':False,'shape':(2L, 2L)}", 16, 2, 4},
	        {3, "{'descr': '|f2', 'fortran_order': False, 'shape': (4,)}       \n", 9, 1, 4},
	};
	char bytes[512];
	(void)state;
	for (size_t i = 0; i < LENGTH_OF(rows); i++) {
		struct npy npy;
		write_file(bytes, build(bytes, rows[i].version, rows[i].dict, rows[i].data));
		if (npy_open(&npy, path))
			fail_msg("%s: %s", rows[i].dict, fail_text());
		assert_int_equal(npy.layout.dims, rows[i].dims);
		assert_int_equal(layout_count(&npy.layout), rows[i].count);
		npy_close(&npy);
	}
}

static void broken_files_are_named(void **state)
{
	static const struct {
		int version;
		const char *dict, *words;
	} rows[] = {
	        {1, "{'descr': '>f4', 'fortran_order': False, 'shape': (2,), }", "big endian"},
	        {1, "{'descr': '<f8', 'fortran_order': False, 'shape': (2,), }", "'<f8'"},
	        {1, "{'descr': '<f8', 'fortran_order': False, 'shape': (2,), }",
	                "save it with .astype('<f4')"},
	        {1, "{'descr': '>f4', 'fortran_order': False, 'shape': (2,), }",
	                ": save it with .astype('<f4')"},
	        {1, "{'descr': '>i4', 'fortran_order': False, 'shape': (2,), }",
	                "big endian, '>i4'; f4, f2 and i4 can be read: save it with .astype('<i4')"},
	        {1, "{'descr': '<i8', 'fortran_order': False, 'shape': (2,), }",
	                "holds '<i8'; f4, f2 and i4 can be read: save it with .astype('<i4') if abs(x).max() "
	                "< 2**31"},
	        {1, "{'descr': '<u4', 'fortran_order': False, 'shape': (2,), }",
	                ".astype('<i4') if abs(x).max() < 2**31"},
	        {1, "{'descr': '>i8', 'fortran_order': False, 'shape': (2,), }",
	                ".astype('<i4') if abs(x).max() < 2**31"},
	        {1, "{'descr': '|u1', 'fortran_order': False, 'shape': (2,), }",
	                "'|u1'; f4, f2 and i4 can be read: save it with .astype('<i4')"},
	        {1, "{'descr': '|i1', 'fortran_order': False, 'shape': (2,), }", ".astype('<i4')"},
	        {1, "{'descr': '|b1', 'fortran_order': False, 'shape': (2,), }",
	                "holds '|b1'; f4, f2 and i4 can be read: save it with .astype('<i4')"},
	        {1, "{'descr': '|O', 'fortran_order': False, 'shape': (2,), }",
	                "holds '|O'; f4, f2 and i4 can be read"},
	        {1, "{\"descr\": \"<f4\", \"fortran_order\": false, \"shape\": [2]}",
	                "has no .npy header: 'fortran_order' is neither True nor False"},
	        {1, "['<f4', False, (2,)]", "has no .npy header: it is no Python dict"},
	        {1, "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (2,), }", "structured"},
	        {1, "{'descr': '<f4', 'fortran_order': True, 'shape': (2, 2), }", "Fortran"},
	        {1, "{'descr': '<f4', 'shape': (2,), }", "fortran_order"},
	        {1, "{'fortran_order': False, 'shape': (2,), }", "descr"},
	        {1, "{'descr': '<f4', 'fortran_order': False, }", "shape"},
	        {1, "{'descr': '<f4', 'fortran_order': False, 'shape': 4, }", "shape"},
	        {1, "{'descr': '<f4', 'fortran_order': False, 'shape': (2 3), }", "shape"},
	        {1, "{'descr': '<f4', 'fortran_order': False, 'shape': (2", "shape"},
	        {1, "{'descr': '<f4', 'fortran_order': False, 'shape': (-2,), }", "shape"},
	        {1, "{'descr': '<f4', 'fortran_order': False, 'shape': (1,1,1,1,1,1,1), }", "6 dimensions"},
	        {1, "{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,), }",
	                "dimension"},
	        {1, "{'descr': '<f4', 'fortran_order': False, 'shape': (4000000000, 4000000000), }",
	                "too large"},
	        {1, "{'descr': '<f4', 'fortran_order': False, 'shape': (1000000,), }", "cut short"},
	        {4, "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }", "version 4.0"},
	        {0, "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }", "version"},
	        {1, "{'descr': '<f4', 'descr", "fortran_order"},
	        {1, "", "no Python dict"},
	        {1, "{'descr': '", "structured"},
	        {1, "'descr':", "no Python dict"},
	};
	char bytes[512];
	(void)state;
	for (size_t i = 0; i < LENGTH_OF(rows); i++) {
		write_file(bytes, build(bytes, rows[i].version, rows[i].dict, 16));
		if (open_file() != ST_FILE || !strstr(fail_text(), rows[i].words) ||
		        !strstr(fail_text(), path))
			fail_msg("%s: %s", rows[i].dict, fail_text());
	}
	unlink(path);
	assert_int_equal(open_file(), ST_FILE);
	assert_words("No such file");
	struct npy npy;
	assert_int_equal(npy_open(&npy, folder), ST_FILE);
}

static void a_file_cut_anywhere_is_refused(void **state)
{
	char bytes[512];
	size_t length = build(bytes, 2, "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }", 24);
	(void)state;
	for (size_t cut = 0; cut < length; cut++) {
		write_file(bytes, cut);
		assert_int_equal(open_file(), ST_FILE);
	}
	write_file(bytes, length);
	assert_int_equal(open_file(), ST_OK);
	for (size_t at = 0; at < length - 24; at++) { /* a byte off: read or refused, never a crash */
		bytes[at] ^= 0x55;
		write_file(bytes, length);
		open_file();
		bytes[at] ^= 0x55;
	}
}

static void a_file_cut_while_open_is_told(void **state)
{
	char bytes[512], data[24];
	struct npy npy;
	(void)state;
	write_file(bytes, build(bytes, 1, "{'descr': '<f4', 'fortran_order': False, 'shape': (6,), }", 24));
	assert_int_equal(npy_open(&npy, path), ST_OK);
	assert_int_equal(truncate(path, 20), 0);
	setvbuf(npy.file, NULL, _IONBF, 0);
	fseek(npy.file, 70, SEEK_SET);
	assert_int_equal(npy_read(&npy, data), ST_FILE);
	npy_close(&npy);
}

/* A full disk, played by a limit on the size of files */
static void a_full_disk_leaves_the_old_file(void **state)
{
	struct rlimit old, small = {40000, RLIM_INFINITY};
	struct layout layout;
	static float data[20000];
	struct stat before, after;
	(void)state;
	assert_int_equal(layout_make(&layout, DT_F32, 1, (int64_t[]){3}), ST_OK);
	assert_int_equal(npy_save(path, &layout, data), ST_OK);
	assert_int_equal(stat(path, &before), 0);
	assert_int_equal(layout_make(&layout, DT_F32, 1, (int64_t[]){20000}), ST_OK);
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
	small.rlim_max = old.rlim_max;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	enum status status = npy_save(path, &layout, data);
	layout.dtype = DT_BF16;
	enum status status_bf16 = npy_save(path, &layout, data);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
	assert_int_equal(status, ST_FILE);
	assert_int_equal(status_bf16, ST_FILE);
	assert_words("cannot be written");
	assert_int_equal(stat(path, &after), 0);
	assert_int_equal(after.st_size, before.st_size);
	assert_int_equal(files_in_folder(), 1);
}

static void odd_targets(void **state)
{
	struct layout layout;
	float one = 1;
	char link[80], nowhere[96];
	struct stat about;
	(void)state;
	assert_int_equal(layout_make(&layout, DT_F32, 1, (int64_t[]){1}), ST_OK);
	assert_int_equal(npy_save("/dev/null", &layout, &one), ST_FILE);
	assert_words("regular");
	assert_int_equal(npy_save(folder, &layout, &one), ST_FILE);
	snprintf(nowhere, sizeof nowhere, "%s/none/x.npy", folder);
	assert_int_equal(npy_save(nowhere, &layout, &one), ST_FILE);
	assert_words("No such file");
	assert_int_equal(npy_save(path, &layout, &one), ST_OK);
	snprintf(link, sizeof link, "%s/link", folder);
	assert_int_equal(symlink(path, link), 0);
	assert_int_equal(npy_save(link, &layout, &one), ST_OK);
	assert_int_equal(lstat(link, &about), 0);
	assert_true(S_ISLNK(about.st_mode));
	unlink(link);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(what_is_saved_is_loaded),
	        cmocka_unit_test(dicts_that_numpy_writes),
	        cmocka_unit_test(broken_files_are_named),
	        cmocka_unit_test(a_file_cut_anywhere_is_refused),
	        cmocka_unit_test(a_file_cut_while_open_is_told),
	        cmocka_unit_test(a_full_disk_leaves_the_old_file),
	        cmocka_unit_test(odd_targets),
	};
	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
