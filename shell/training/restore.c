/* restore.c -- finds and reads a checkpoint, and gives its elements to the parts that `part` lines
 * declare, which may cut parameters differently
 *
 * A parameter is assembled from its shards, then each rank takes the elements of its parts.
 * part_place maps an element of a shard, or of a part, to its place in the whole:
 *
 *     shards, of 2 ranks by columns      whole [2,4]        parts, of 4 ranks, flat
 *     a b | c d                          a b c d            a b | c d | e f | g h
 *     e f | g h                          e f g h
 *
 * Rank 0 reads the files and sends the manifest and the elements. Every value of the manifest is
 * validated; an invalid one makes the checkpoint incomplete. */
#include "shell/training/checkpoint.h"
#include "base/memory.h"
#include "base/npy.h"
#include "base/number.h"
#include "base/search.h"
#include "base/text.h"
#include "mpi/transport.h"
#include "shell/wire/members.h"
#include "shell/language/run/interpreter.h"
#include "shell/session/queue.h"
#include "shell/session/quote.h"
#include "shell/training/training.h"
#include "shell/training/verify.h"
#include "shell/values/read.h"
#include "shell/values/share.h"

#include <cjson/cJSON.h>
#include <dirent.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- the manifest ---- */

static enum status manifest_refuse(const struct checkpoint *c, const char *what)
{
	return fail(ST_FILE, "%s is not a complete checkpoint: %s", c->path, what);
}

/* Returns -1 if the value is missing, or not a whole number from 0 to 1e15. */
static int64_t json_whole(const cJSON *object, const char *key)
{
	double value = cJSON_GetNumberValue(cJSON_GetObjectItemCaseSensitive(object, key));
	return number_is_whole(value, 0, 1e15) ? (int64_t)value : -1;
}

/* Returns "" if the key is missing; NULL if its value is not a text. */
static const char *json_text(const cJSON *object, const char *key)
{
	return cJSON_HasObjectItem(object, key) ? member_text(object, key) : "";
}

static enum status manifest_read_whole(struct checkpoint *c, const cJSON *object)
{
	const char *of = member_text(object, "of"), *state = member_text(object, "as");
	struct whole *whole = &c->whole[c->wholes++];
	*whole = (struct whole){.rows = json_whole(object, "rows"), .cols = json_whole(object, "cols")};
	if (!of || !state || whole->rows < 1 || whole->cols < 1 || whole->rows > (1LL << 40) / whole->cols)
		return manifest_refuse(c, "a parameter has no name or shape");
	if (strlen(of) >= sizeof whole->name || strlen(state) >= sizeof whole->state)
		return manifest_refuse(c, "the name of a parameter is too long");
	snprintf(whole->name, sizeof whole->name, "%s", of);
	snprintf(whole->state, sizeof whole->state, "%s", state);
	return ST_OK;
}

static enum status manifest_read_shard(struct checkpoint *c, const cJSON *object)
{
	const char *of = member_text(object, "of"), *state = json_text(object, "as"),
	           *file = member_text(object, "file"), *digest = member_text(object, "digest");
	int64_t rank = json_whole(object, "rank");
	struct shard *shard = &c->shard[c->shards++];
	if (!of || !state || !file || strchr(file, '/') || !digest ||
	        strspn(digest, "0123456789abcdef") != 16 || digest[16])
		return manifest_refuse(c, "a shard has no name, file or digest");
	if (rank < 0 || rank >= RANKS_MAX)
		return fail(
		        ST_FILE, "%s is not a complete checkpoint: the rank of %s is missing", c->path, file);
	struct part_line line = {.rank = (int)rank,
	        .of = names_keep(c->names, of),
	        .state = names_keep(c->names, state),
	        .flat = cJSON_HasObjectItem(object, "at"),
	        .row = json_whole(object, "row"),
	        .col = json_whole(object, "col")};
	if (line.flat) {
		line.at = json_whole(object, "at");
		line.rows = json_whole(object, "rows");
		line.cols = json_whole(object, "cols");
	}
	*shard = (struct shard){
	        .file = names_keep(c->names, file), .line = line, .digest = strtoull(digest, NULL, 16)};
	if (line.at < 0 || line.row < 0 || line.col < 0 || line.rows < 0 || line.cols < 0)
		return fail(ST_FILE, "%s is not a complete checkpoint: the place of %s is missing", c->path,
		        file);
	return ST_OK;
}

static enum status manifest_read(struct checkpoint *c, const cJSON *object)
{
	const cJSON *wholes = cJSON_GetObjectItemCaseSensitive(object, "parameters"),
	            *shards = cJSON_GetObjectItemCaseSensitive(object, "shards"), *one;
	const char *what = member_text(object, "ranksh"), *model = member_text(object, "model"),
	           *loses = json_text(object, "loses");
	int64_t iteration = json_whole(object, "iteration"), parts = json_whole(object, "parts");
	enum status status = ST_OK;
	if (!what || strcmp(what, "checkpoint") != 0)
		return manifest_refuse(c, "it has no mark of a checkpoint");
	if (!model || iteration < 0 || iteration > 1000000000 || !cJSON_GetArraySize(wholes))
		return manifest_refuse(c, "its model, iteration or parameters are missing");
	if (!loses || parts > 1000000 || (parts < 0 && cJSON_HasObjectItem(object, "parts")))
		return manifest_refuse(c, "its parts or loses are invalid");
	c->model = mem_copy_text(model, strlen(model));
	c->loses = mem_copy_text(loses, strlen(loses));
	c->iteration = (int)iteration;
	c->parts = parts > 0 ? (int)parts : 0;
	c->names = names_create();
	c->whole = mem_alloc((size_t)cJSON_GetArraySize(wholes) * sizeof *c->whole);
	c->shard = mem_alloc((size_t)cJSON_GetArraySize(shards) * sizeof *c->shard);
	cJSON_ArrayForEach(one, wholes) status = status == ST_OK ? manifest_read_whole(c, one) : status;
	cJSON_ArrayForEach(one, shards) status = status == ST_OK ? manifest_read_shard(c, one) : status;
	return status;
}

/* Returns the highest N below `below` with a file PREFIX-N.json; -1 if there is none. */
static long checkpoint_latest(const char *prefix, long below)
{
	const char *slash = strrchr(prefix, '/'), *name = slash ? slash + 1 : prefix;
	struct text folder = {0};
	long most = -1;
	text_put(&folder, slash ? prefix : ".", slash ? (size_t)(slash - prefix) + 1 : 1);
	DIR *open = opendir(text_string(&folder));
	for (struct dirent *entry; open && (entry = readdir(open));) {
		size_t length = strlen(name);
		char *end;
		if (strncmp(entry->d_name, name, length) != 0 || entry->d_name[length] != '-')
			continue;
		long number = strtol(entry->d_name + length + 1, &end, 10);
		if (end > entry->d_name + length + 1 && strcmp(end, ".json") == 0 && number > most &&
		        number < below)
			most = number;
	}
	if (open)
		closedir(open);
	text_release(&folder);
	return most;
}

/* Runs on rank 0. Finds `path` with .json appended, or the latest of a PREFIX. Fails with ST_FILE
 * if none exists. */
static enum status manifest_find(const char *path, struct text *found)
{
	long number;
	text_add(found, "%s%s", path, path_ends(path, ".json") ? "" : ".json");
	if (access(text_string(found), F_OK) == 0)
		return ST_OK;
	number = checkpoint_latest(path, LONG_MAX);
	if (number < 0)
		return fail(ST_FILE, "there is no checkpoint %s: neither %s nor %s-ITERATION.json is there",
		        path, text_string(found), path);
	text_clear(found);
	text_add(found, "%s-%ld.json", path, number);
	return ST_OK;
}

/* If the latest checkpoint, `found`, failed with `status`, names the one before it. Collective.
 * Returns `status`. */
static enum status checkpoint_name_before(
        struct shell *shell, const char *prefix, const char *found, enum status status)
{
	if (status == ST_OK)
		return ST_OK;
	size_t length = strlen(prefix);
	bool is_latest = strncmp(found, prefix, length) == 0 && found[length] == '-';
	long before = is_latest ? checkpoint_latest(prefix, strtol(found + length + 1, NULL, 10)) : -1;
	if (transport_rank(shell->transport) == 0 && before >= 0) {
		char words[400];
		snprintf(words, sizeof words, "%s", fail_text());
		status = fail(status, "%s; the one before is %s-%ld", words, prefix, before);
	}
	return shell_agree(shell, 0, status);
}

enum status checkpoint_open(struct shell *shell, const char *path, struct checkpoint *c)
{
	struct text found = {0};
	char place[CHECKPOINT_PATH_ROOM] = "", *bytes = NULL;
	size_t count;
	*c = (struct checkpoint){0};
	enum status status = transport_rank(shell->transport) == 0 ? manifest_find(path, &found) : ST_OK;
	snprintf(place, sizeof place, "%s", text_string(&found));
	text_release(&found);
	status = shell_spread(shell, status, place, sizeof place);
	if (status != ST_OK)
		return status;
	c->path = mem_copy_text(place, strlen(place));
	status = shell_file(shell, place, &bytes, &count);
	cJSON *object = status == ST_OK ? cJSON_ParseWithLength(bytes, count) : NULL;
	if (status == ST_OK)
		status = object ? manifest_read(c, object) : manifest_refuse(c, "it is not JSON");
	cJSON_Delete(object);
	mem_free(bytes);
	return checkpoint_name_before(shell, path, place, status);
}

bool manifest_whole(const char *path)
{
	struct checkpoint c = {0};
	char *bytes = NULL;
	size_t count = 0;
	cJSON *object = read_file(path, &bytes, &count) == ST_OK ? cJSON_ParseWithLength(bytes, count) : NULL;
	c.path = mem_copy_text(path, strlen(path));
	bool whole = object && manifest_read(&c, object) == ST_OK;
	cJSON_Delete(object);
	mem_free(bytes);
	checkpoint_release(&c);
	return whole;
}

/* ---- shards ---- */

/* Runs on rank 0. Checks the digest. The caller frees *values. */
static enum status shard_read(
        const struct checkpoint *c, const struct shard *shard, struct layout *layout, float **values)
{
	struct npy npy = {0};
	struct text path = {0};
	const char *slash = strrchr(c->path, '/');
	text_put(&path, c->path, slash ? (size_t)(slash - c->path) + 1 : 0);
	text_add(&path, "%s", shard->file);
	*values = NULL;
	enum status status = npy_open(&npy, text_string(&path));
	if (status == ST_OK && npy.layout.dtype != DT_F32)
		status =
		        fail(ST_FILE, "%s is not f32, the type of a checkpoint's shards", text_string(&path));
	if (status == ST_OK) {
		size_t bytes = (size_t)layout_bytes(&npy.layout);
		*values = mem_alloc(bytes);
		status = npy_read(&npy, *values);
		if (status == ST_OK && hash_bytes(HASH_BEGIN, *values, bytes) != shard->digest)
			status = fail(ST_FILE, "%s has changed since it was written: its digest differs",
			        text_string(&path));
	}
	*layout = npy.layout;
	npy_close(&npy);
	text_release(&path);
	return status;
}

/* Runs on rank 0. Puts the elements into `values` [whole_count], and marks them in `seen`. */
static enum status shard_place(const struct checkpoint *c, const struct shard *shard,
        const struct whole *whole, float *values, bool *seen)
{
	struct layout layout;
	float *read;
	enum status status = shard_read(c, shard, &layout, &read);
	int64_t count = status == ST_OK ? layout_count(&layout) : 0;
	for (int64_t i = 0; i < count && status == ST_OK; i++) {
		int64_t place = part_place(&shard->line, &layout, whole, i);
		if (place < 0) {
			status = fail(ST_FILE,
			        "%s is not a complete checkpoint: %s has elements outside of %s", c->path,
			        shard->file, whole->name);
			break;
		}
		values[place] = read[i];
		seen[place] = true;
	}
	mem_free(read);
	return status;
}

/* Runs on rank 0. Fills values[whole_count] from all shards. */
static enum status whole_gather(const struct checkpoint *c, const struct whole *whole, float *values)
{
	int64_t count = whole_count(whole), i = 0;
	bool *seen = mem_alloc((size_t)count);
	enum status status = ST_OK;
	for (size_t k = 0; k < c->shards && status == ST_OK; k++)
		if (whole_find(c->whole, c->wholes, c->shard[k].line.of, c->shard[k].line.state) == whole)
			status = shard_place(c, &c->shard[k], whole, values, seen);
	while (i < count && seen[i])
		i++;
	if (status == ST_OK && i < count)
		status = fail(ST_FILE,
		        "%s is not a complete checkpoint: no shard has %s%s%s[%" PRId64 ",%" PRId64 "]",
		        c->path, whole->name, *whole->state ? "'s " : "", whole->state, i / whole->cols,
		        i % whole->cols);
	mem_free(seen);
	return status;
}

enum status checkpoint_whole(struct shell *shell, const char *path, const struct checkpoint *c)
{
	enum status status = ST_OK;
	for (int i = 0; i < c->wholes && status == ST_OK && transport_rank(shell->transport) == 0; i++) {
		float *values = mem_alloc((size_t)whole_count(&c->whole[i]) * sizeof *values);
		status = whole_gather(c, &c->whole[i], values);
		mem_free(values);
	}
	return checkpoint_name_before(shell, path, c->path, shell_agree(shell, 0, status));
}

static enum status restore_refuse_model(
        const struct checkpoint *c, const struct whole *whole, const char *words)
{
	return fail(ST_SHAPE, "%s was saved from %s: %s%s%s %s", c->path, c->model, whole->name,
	        *whole->state ? "'s " : "", whole->state, words);
}

/* Reports an item that only one side has: the checkpoint (saved) or the model. m and v are Adam's
 * (strategies/parts/parameters.rsh) and sgd has none. So if the item is an m or v and the other
 * side has no state at all, the optimizers differ. Otherwise the item is missing. */
static enum status restore_refuse_state(const struct checkpoint *c, const struct whole *whole, bool saved,
        const struct whole *others, int count)
{
	bool adam = strcmp(whole->state, "m") == 0 || strcmp(whole->state, "v") == 0;
	for (int i = 0; i < count; i++)
		adam = adam && !*others[i].state;
	if (!adam)
		return restore_refuse_model(
		        c, whole, saved ? "is not in this model" : "is not in the checkpoint");
	return fail(ST_SHAPE,
	        "%s has optimizer=%s, but this model has optimizer=%s: `model %s`, as it was saved, "
	        "continues it",
	        c->path, saved ? "adam" : "sgd", saved ? "sgd" : "adam", c->model);
}

enum status checkpoint_fits(struct shell *shell, const struct checkpoint *c, const struct program *program)
{
	struct whole *whole;
	int count;
	enum status status = alone_wholes(shell, program, &whole, &count);
	for (int i = 0; i < count && status == ST_OK; i++) {
		const struct whole *there = whole_find(c->whole, c->wholes, whole[i].name, whole[i].state);
		char words[128];
		if (!there)
			status = restore_refuse_state(c, &whole[i], false, c->whole, c->wholes);
		else if (there->rows != whole[i].rows || there->cols != whole[i].cols) {
			snprintf(words, sizeof words,
			        "is [%" PRId64 ",%" PRId64 "] there and [%" PRId64 ",%" PRId64 "] here",
			        there->rows, there->cols, whole[i].rows, whole[i].cols);
			status = restore_refuse_model(c, there, words);
		}
	}
	for (int i = 0; i < c->wholes && status == ST_OK; i++)
		if (!whole_find(whole, count, c->whole[i].name, c->whole[i].state))
			status = restore_refuse_state(c, &c->whole[i], true, whole, count);
	mem_free(whole);
	return status;
}

/* Every host waits first, because queued work may still write a part's memory. */
static enum status parts_await(struct shell *shell)
{
	const struct part_lines *parts = &shell->training->parts;
	size_t n = (size_t)shell->world->n;
	op_id *ids = mem_alloc((n + parts->count) * sizeof *ids);
	int count = 0;
	enum status status = ST_OK;
	struct record sync = queue_record(shell, OP_SYNC, "sync");
	sync.reason = names_make(shell->world->names, "restore", strlen("restore"));
	for (size_t rank = 0; rank < n && status == ST_OK; rank++)
		status =
		        shell_queue(shell, (int)rank, STREAM_HOST, &sync, 0, OP_EVERYTHING, 0, &ids[count++]);
	for (size_t i = 0; i < parts->count && status == ST_OK; i++) {
		const struct part_line *line = &parts->line[i];
		struct view view;
		struct record record = queue_record(shell, OP_FILL, "restore");
		status = interpreter_view(shell, line->rank, line->tensor, &view);
		if (status != ST_OK)
			break;
		struct operand operand = view_operand(&view, ACCESS_WRITE);
		record.operand = &operand;
		record.operands = 1;
		record.object = view.name;
		record.dtype = view.layout.dtype;
		record.bytes = layout_bytes(&view.layout);
		status = shell_queue(shell, line->rank, STREAM_HOST, &record, 0, 0, 0, &ids[count++]);
	}
	if (status == ST_OK)
		status = shell_reach(shell, ids, count);
	mem_free(ids);
	return status;
}

static enum status part_fill(
        struct shell *shell, const struct part_line *line, const struct whole *whole, const float *values)
{
	struct view view;
	enum status status = interpreter_view(shell, line->rank, line->tensor, &view);
	if (status != ST_OK)
		return status;
	int64_t count = layout_count(&view.layout);
	float *mine = mem_alloc((size_t)count * sizeof *mine);
	void *packed = mem_alloc((size_t)layout_bytes(&view.layout));
	for (int64_t i = 0; i < count; i++) {
		int64_t place = part_place(line, &view.layout, whole, i);
		mine[i] = place < 0 ? 0 : values[place];
	}
	dtype_from_f32((enum dtype)view.layout.dtype, mine, packed, count);
	shell_keep(
	        shell, shell->backend->write(shell->backend, view.space, view.address, &view.layout, packed));
	mem_free(packed);
	mem_free(mine);
	return ST_OK;
}

enum status checkpoint_restore(struct shell *shell, const struct checkpoint *c)
{
	const struct part_lines *parts = &shell->training->parts;
	enum status status = parts_await(shell);
	for (int i = 0; i < c->wholes && status == ST_OK && !shell->dry; i++) {
		const struct whole *whole = &c->whole[i];
		size_t bytes = (size_t)whole_count(whole) * sizeof(float);
		float *values = mem_alloc(bytes);
		if (transport_rank(shell->transport) == 0)
			status = whole_gather(c, whole, values);
		status = shell_spread(shell, status, values, bytes);
		for (size_t k = 0; k < parts->count && status == ST_OK; k++) {
			const struct part_line *line = &parts->line[k];
			if (line->rank == shell->world->me && strcmp(line->of, whole->name) == 0 &&
			        strcmp(line->state, whole->state) == 0)
				status = part_fill(shell, line, whole, values);
		}
		mem_free(values);
	}
	return status;
}
