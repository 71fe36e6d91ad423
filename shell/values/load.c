/* load.c -- number files for `load` and `data`
 *
 * A file's digest is recorded for replays. Loading takes no time (OP_FILL). Queued work may still
 * write the memory for its last owner, so the bytes are stored only after the OP_FILL has
 * completed. */
#include "shell/values/load.h"
#include "base/characters.h"
#include "base/memory.h"
#include "base/npy.h"
#include "shell/session/queue.h"
#include "shell/values/share.h"

#include <string.h>

struct content {
	struct layout layout;
	int64_t vocab;  /* of a text */
	void *elements; /* packed; owned */
};

bool file_is_npy(const char *path)
{
	size_t count = strlen(path);
	return count >= 4 && strcmp(path + count - 4, ".npy") == 0;
}

static enum status load_text(const char *path, struct content *content)
{
	struct characters characters = {0};
	char *bytes = NULL;
	size_t count;
	enum status status = read_file(path, &bytes, &count);
	if (status == ST_OK)
		status = characters_make(&characters, path, bytes, count);
	if (status == ST_OK)
		status = layout_make(&content->layout, DT_I32, 1, &characters.count);
	content->vocab = characters.vocab;
	content->elements = characters.id;
	mem_free(bytes);
	return status;
}

/* Only rank 0 reads. whole: reads elements, too (a text file always gives them). text: the file is
 * a text, whatever its name */
static enum status read_content(
        const struct shell *shell, const char *path, bool whole, bool text, struct content *content)
{
	struct npy npy = {0};
	*content = (struct content){0};
	if (shell->files.none)
		return shell_no_file(path);
	if (transport_rank(shell->transport) != 0)
		return ST_OK;
	if (text || !file_is_npy(path))
		return load_text(path, content);
	enum status status = npy_open(&npy, path);
	content->layout = npy.layout;
	if (status == ST_OK && whole) {
		content->elements = mem_alloc((size_t)layout_bytes(&npy.layout));
		status = npy_read(&npy, content->elements);
	}
	npy_close(&npy);
	return status;
}

enum status file_header(struct shell *shell, const char *path, struct layout *layout)
{
	struct content content;
	enum status status = read_content(shell, path, false, false, &content);
	*layout = content.layout;
	mem_free(content.elements);
	status = shell_spread(shell, status, layout, sizeof *layout);
	if (status != ST_OK)
		return status;
	struct text words = {0};
	text_add(&words, "%s %s", dtype_name((enum dtype)layout->dtype), shape_text(layout).text);
	shell_read_file(shell, path, words.bytes, words.count);
	text_release(&words);
	return ST_OK;
}

enum status data_text(struct shell *shell, const char *path, struct data_facts *facts)
{
	struct content content;
	enum status status = read_content(shell, path, true, true, &content);
	*facts = (struct data_facts){.count = content.layout.dim[0], .vocab = content.vocab};
	if (status == ST_OK && content.elements)
		shell_read_file(shell, path, content.elements, (size_t)layout_bytes(&content.layout));
	mem_free(content.elements);
	return shell_spread(shell, status, facts, sizeof *facts);
}

/* Reads elements[bytes] and shares them; NULL: only records the file. Fails with ST_FILE if their
 * size differs. */
static enum status read_elements(struct shell *shell, const char *path, void *elements, size_t bytes)
{
	struct content content;
	enum status status = read_content(shell, path, true, false, &content);
	if (status == ST_OK && content.elements) {
		if ((size_t)layout_bytes(&content.layout) != bytes)
			status = fail(ST_FILE, "%s: the file has changed since its header was read", path);
		else if (elements)
			memcpy(elements, content.elements, bytes);
		shell_read_file(shell, path, content.elements, (size_t)layout_bytes(&content.layout));
	}
	mem_free(content.elements);
	return elements ? shell_spread(shell, status, elements, bytes) : shell_agree(shell, 0, status);
}

static enum status read_rows(struct shell *shell, const char *path, int64_t *rows, int64_t *columns)
{
	struct layout layout;
	enum status status = file_header(shell, path, &layout);
	if (status != ST_OK)
		return status;
	if (layout.dims != 2 || layout.dtype == DT_I32 || layout_count(&layout) == 0)
		return fail(ST_SHAPE,
		        "%s is %s %s: rows of numbers are required, [rows,columns] in f32 or f16", path,
		        dtype_name((enum dtype)layout.dtype), shape_text(&layout).text);
	*rows = layout.dim[0];
	*columns = layout.dim[1];
	return read_elements(shell, path, NULL, (size_t)layout_bytes(&layout));
}

enum status data_pair(struct shell *shell, const char *samples, const char *targets, struct data_facts *facts)
{
	int64_t rows = 0;
	*facts = (struct data_facts){0};
	enum status status = read_rows(shell, samples, &facts->count, &facts->in);
	if (status == ST_OK)
		status = read_rows(shell, targets, &rows, &facts->out);
	if (status == ST_OK && rows != facts->count)
		status = fail(ST_SHAPE,
		        "%s has %lld rows, %s has %lld: each row of samples needs its row of targets",
		        samples, (long long)facts->count, targets, (long long)rows);
	return status;
}

static void put_elements(
        struct shell *shell, const struct tensor *tensor, const struct layout *from, const void *elements)
{
	int64_t count = layout_count(from);
	float *values = NULL;
	void *packed = NULL;
	if (from->dtype != tensor->layout.dtype) {
		values = mem_alloc((size_t)count * sizeof *values);
		packed = mem_alloc((size_t)layout_bytes(&tensor->layout));
		dtype_to_f32((enum dtype)from->dtype, elements, values, count);
		dtype_from_f32((enum dtype)tensor->layout.dtype, values, packed, count);
	}
	shell_keep(shell,
	        shell->backend->write(shell->backend, (enum space)tensor->space, tensor->address,
	                &tensor->layout, packed ? packed : elements));
	mem_free(values);
	mem_free(packed);
}

static enum status fill_at_its_place(
        struct shell *shell, const struct ranks *set, const int *tensor, const struct record *like)
{
	op_id *ids = mem_alloc((size_t)ranks_count(set) * sizeof *ids);
	int count = 0;
	enum status status = ST_OK;
	FOR_RANKS (rank, set) {
		if (status != ST_OK)
			break;
		struct operand operand = queue_operand(shell, tensor[count], ACCESS_WRITE);
		struct record record = *like;
		record.operand = &operand;
		status = shell_queue(shell, rank, STREAM_HOST, &record, 0, 0, 0, &ids[count++]);
	}
	if (status == ST_OK)
		status = shell_reach(shell, ids, count);
	mem_free(ids);
	return status;
}

enum status file_load(struct shell *shell, const char *path, const struct layout *header,
        const struct ranks *set, const int *tensor, const struct record *like)
{
	size_t bytes = (size_t)layout_bytes(header);
	void *elements = mem_alloc(bytes);
	enum status status = read_elements(shell, path, elements, bytes);
	if (status == ST_OK)
		status = fill_at_its_place(shell, set, tensor, like);
	FOR_RANKS (rank, set) {
		if (rank == shell->world->me && status == ST_OK)
			put_elements(shell, &shell->world->tensors[*tensor], header, elements);
		tensor++;
	}
	mem_free(elements);
	return status;
}
