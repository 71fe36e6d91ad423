/* npy.c -- NumPy's .npy files
 *
 *     magic, major, minor, header length (2 or 4 bytes), {'descr': '<f4', 'fortran_order': False,
 *     'shape': (3, 4), }, data; keys in any order */
#include "base/npy.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const descr[DT_COUNT] = {
        [DT_F32] = "<f4", [DT_F16] = "<f2", [DT_BF16] = "<f4", [DT_I32] = "<i4"};
enum { HEADER_MAX = 8192, HEADER_ROOM = 384, PREFIX = 10, ALIGN = 64 };

/* ---- reading ---- */

static enum status npy_broken(const struct npy *npy, const char *what)
{
	return fail(ST_FILE, "%s is not a whole .npy file: %s", npy->path, what);
}

static enum status npy_no_header(const struct npy *npy, const char *what)
{
	return fail(ST_FILE, "%s has no .npy header: %s", npy->path, what);
}

/* Returns the value of 'key', after colon and blanks; NULL if missing. */
static const char *dict_value(const char *header, const char *key)
{
	for (const char *at = strstr(header, key); at; at = strstr(at + 1, key)) {
		const char *end = at + strlen(key);
		if (at == header || (at[-1] != '\'' && at[-1] != '"') || *end != at[-1])
			continue;
		end += 1 + strspn(end + 1, " ");
		if (*end == ':')
			return end + 1 + strspn(end + 1, " ");
	}
	return NULL;
}

/* Reports an unreadable type, and suggests one that holds its values. type: "<i8", `length`
 * letters. f4 loses digits of integers from 2^24 on, i4 wraps. */
static enum status npy_other_type(const struct npy *npy, const char *type, size_t length)
{
	const char *kind = type + strspn(type, "<>|=");
	bool whole = *kind && strchr("iub", *kind);
	bool wide = whole && (kind[1] == '8' || (kind[0] == 'u' && kind[1] == '4'));
	struct text advice = {0};

	if (whole || *kind == 'f')
		text_add(&advice, ": save it with .astype('<%c4')%s", whole ? 'i' : 'f',
		        wide ? " if abs(x).max() < 2**31" : "");
	enum status status = fail(ST_FILE, "%s %s '%.*s'; f4, f2 and i4 can be read%s", npy->path,
	        *type == '>' ? "is big endian," : "holds", (int)length, type, text_string(&advice));
	text_release(&advice);
	return status;
}

static enum status read_descr(const struct npy *npy, const char *text, enum dtype *dtype)
{
	size_t length = text && (*text == '\'' || *text == '"') ? strcspn(text + 1, "'\"") : 0;

	if (!text)
		return npy_broken(npy, "its header names no 'descr'");
	if (length < 2 || length > 16)
		return fail(ST_FILE, "%s holds structured data; f4, f2 and i4 can be read", npy->path);
	size_t skip = strchr("<|=", text[1]) ? 1 : 0;
	for (*dtype = 0; *dtype < DT_COUNT; (*dtype)++)
		if (length - skip == 2 && memcmp(text + 1 + skip, descr[*dtype] + 1, 2) == 0)
			return ST_OK;
	return npy_other_type(npy, text + 1, length);
}

/* "(3, 4)", "(3,)" or "()" */
static enum status read_shape(const struct npy *npy, const char *text, int *dims, int64_t *dim)
{
	if (!text || *text != '(')
		return npy_broken(npy, "its header names no 'shape'");
	*dims = 0;
	for (text += 1 + strspn(text + 1, " "); *text != ')'; text += strspn(text, " ")) {
		char *end;
		if (*text < '0' || *text > '9')
			return npy_broken(npy, "its shape cannot be read");
		if (*dims == DIMS_MAX)
			return fail(ST_FILE, "%s has more than %d dimensions", npy->path, DIMS_MAX);
		errno = 0;
		dim[*dims] = strtoll(text, &end, 10);
		if (errno || dim[(*dims)++] < 0)
			return fail(ST_FILE, "%s has a dimension of %.*s; the least is 0", npy->path,
			        (int)(end - text > 24 ? 24 : end - text), text);
		text = end + strspn(end, "L ");
		if (*text != ',' && *text != ')')
			return npy_broken(npy, "its shape cannot be read");
		text += *text == ',';
	}
	if (*dims == 0)
		dim[(*dims)++] = 1;
	return ST_OK;
}

static enum status read_dict(struct npy *npy, const char *header)
{
	const char *order = dict_value(header, "fortran_order");
	enum dtype dtype = DT_F32;
	int dims = 0;
	int64_t dim[DIMS_MAX];
	enum status status = header[strspn(header, " ")] == '{'
	        ? read_descr(npy, dict_value(header, "descr"), &dtype)
	        : npy_no_header(npy, "it is no Python dict");

	if (!status && !order)
		status = npy_broken(npy, "its header names no 'fortran_order'");
	if (!status && strncmp(order, "False", 5) != 0 && strncmp(order, "True", 4) != 0)
		status = npy_no_header(npy, "'fortran_order' is neither True nor False");
	if (!status && strncmp(order, "True", 4) == 0)
		status =
		        fail(ST_FILE, "%s is in Fortran order; save it with np.ascontiguousarray", npy->path);
	if (!status)
		status = read_shape(npy, dict_value(header, "shape"), &dims, dim);
	if (!status && layout_make(&npy->layout, dtype, dims, dim))
		status = fail(ST_FILE, "%s: its shape is too large", npy->path);
	return status;
}

/*     0 .. 5   "\x93NUMPY"      6, 7  version      8, 9  dict length, low byte first
 *                                                  8 .. 11 from version 2.0 on */
static enum status read_header(struct npy *npy)
{
	unsigned char prefix[PREFIX + 2];
	char header[HEADER_MAX + 1];

	if (fread(prefix, 1, PREFIX, npy->file) != PREFIX || memcmp(prefix, "\x93NUMPY", 6) != 0)
		return npy_broken(npy, "it does not begin as one");
	if (prefix[6] < 1 || prefix[6] > 3)
		return fail(ST_FILE, "%s has .npy version %d.%d; 1.0 to 3.0 can be read", npy->path,
		        prefix[6], prefix[7]);
	if (prefix[6] > 1 && fread(prefix + PREFIX, 1, 2, npy->file) != 2)
		return npy_broken(npy, "it ends within its header");
	size_t length = prefix[8] | prefix[9] << 8;
	if (prefix[6] > 1)
		length |= (size_t)prefix[10] << 16 | (size_t)prefix[11] << 24;
	if (length > HEADER_MAX)
		return npy_broken(npy, "its header is too long");
	if (fread(header, 1, length, npy->file) != length)
		return npy_broken(npy, "it ends within its header");
	header[length] = '\0';
	return read_dict(npy, header);
}

static enum status check_length(const struct npy *npy)
{
	struct stat about;
	long at = ftell(npy->file);

	if (fstat(fileno(npy->file), &about) || at < 0 || about.st_size - at < layout_bytes(&npy->layout))
		return fail(ST_FILE, "%s is cut short: %lld bytes of data, %lld wanted", npy->path,
		        (long long)(about.st_size - at), (long long)layout_bytes(&npy->layout));
	return ST_OK;
}

enum status npy_open(struct npy *npy, const char *path)
{
	*npy = (struct npy){0};
	snprintf(npy->path, sizeof npy->path, "%s", path);
	if (access(path, R_OK) != 0)
		return fail(ST_FILE, "%s cannot be opened: %s", npy->path, strerror(errno));
	enum status status = file_open(&npy->file, path);
	if (status)
		return status;
	status = read_header(npy);
	if (!status)
		status = check_length(npy);
	if (status)
		npy_close(npy);
	return status;
}

enum status npy_read(struct npy *npy, void *elements)
{
	size_t bytes = layout_bytes(&npy->layout);
	if (fread(elements, 1, bytes, npy->file) == bytes)
		return ST_OK;
	return ferror(npy->file) ? fail(ST_FILE, "%s cannot be read: %s", npy->path, strerror(errno))
	                         : npy_broken(npy, "it is cut short");
}

void npy_close(struct npy *npy)
{
	if (npy->file)
		fclose(npy->file);
	npy->file = NULL;
}

/* ---- writing ---- */

/* Blanks align the data to 64 bytes. */
static size_t make_header(const struct layout *layout, char file[HEADER_ROOM])
{
	char dict[HEADER_ROOM - ALIGN];
	int at = snprintf(dict, sizeof dict, "{'descr': '%s', 'fortran_order': False, 'shape': (",
	        descr[layout->dtype]);

	for (int i = 0; i < layout->dims; i++)
		at += snprintf(
		        dict + at, sizeof dict - at, "%s%lld", i ? ", " : "", (long long)layout->dim[i]);
	at += snprintf(dict + at, sizeof dict - at, "%s), }", layout->dims == 1 ? "," : "");
	int padded = (PREFIX + at + 1 + ALIGN - 1) / ALIGN * ALIGN - PREFIX;
	return snprintf(file, HEADER_ROOM, "\x93NUMPY%c%c%c%c%-*s\n", 1, 0, padded & 0xff, padded >> 8,
	        padded - 1, dict);
}

enum status npy_save(const char *path, const struct layout *layout, const void *elements)
{
	char header[HEADER_ROOM];
	size_t count = layout_count(layout), bytes = dtype_bytes(layout->dtype);
	float *values = NULL;

	if (layout->dtype == DT_BF16) {
		bytes = sizeof *values;
		values = mem_alloc(count * bytes);
		dtype_to_f32(DT_BF16, elements, values, count);
	}
	enum status status = file_write_headed(
	        path, header, make_header(layout, header), values ? values : elements, count * bytes);
	mem_free(values);
	return status;
}

bool npy_whole(const char *path)
{
	struct npy npy;
	struct stat about;
	bool whole = npy_open(&npy, path) == ST_OK && fstat(fileno(npy.file), &about) == 0 &&
	        about.st_size - ftell(npy.file) == layout_bytes(&npy.layout);
	npy_close(&npy);
	return whole;
}
