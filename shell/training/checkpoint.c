/* checkpoint.c -- writes a training's state to files
 *
 *     every rank   refuse other files with these names, unless `force`
 *     every rank   wait for all work, copy its parts to the host, wait
 *     every rank   check the files again
 *     every rank   write shards PREFIX-20.0.npy.new ..., share their digests
 *     rank 0       write the manifest PREFIX-20.json.new
 *     rank 0       remove an earlier manifest with this name
 *     every rank   rename its shards
 *     rank 0       rename the manifest
 *
 * So a full disk leaves the earlier checkpoint whole, and a manifest never names overwritten
 * shards. */
#include "shell/training/checkpoint.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/npy.h"
#include "base/search.h"
#include "shell/language/run/interpreter.h"
#include "shell/session/queue.h"
#include "shell/session/quote.h"
#include "shell/values/read.h"
#include "shell/values/share.h"
#include "shell/wire/members.h"
#include "shell/training/training.h"
#include "shell/training/verify.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void checkpoint_release(struct checkpoint *c)
{
	mem_free(c->path);
	mem_free(c->model);
	mem_free(c->loses);
	mem_free(c->whole);
	mem_free(c->shard);
	names_free(c->names);
	*c = (struct checkpoint){0};
}

/* Of the parts with equal parameter, state, place and shape, takes the first rank's. */
static enum status shards_choose(struct shell *shell, struct checkpoint *c)
{
	const struct part_lines *parts = &shell->training->parts;
	struct names *seen = names_create();
	enum status status = ST_OK;
	for (size_t i = 0; i < parts->count && status == ST_OK; i++) {
		const struct part_line *line = &parts->line[i];
		struct text key = {0};
		struct view view;
		status = interpreter_view(shell, line->rank, line->tensor, &view);
		if (status != ST_OK)
			break;
		text_add(&key, "%s %s %d %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 " %s",
		        line->of, line->state, line->flat, line->row, line->col, line->at, line->rows,
		        line->cols, shape_text(&view.layout).text);
		if (!names_find(seen, key.bytes, key.count)) {
			names_make(seen, key.bytes, key.count);
			struct shard *shard = MEM_ADD(&c->shard, &c->shards);
			*shard = (struct shard){.line = *line};
			status = layout_make(&shard->layout, DT_F32, view.layout.dims, view.layout.dim);
		}
		text_release(&key);
	}
	names_free(seen);
	return status;
}

static enum status shards_bring_rank(struct shell *shell, int rank, const struct checkpoint *c, op_id *sync)
{
	struct record record = queue_record(shell, OP_SYNC, "sync");
	op_id last = 0;
	record.reason = names_make(shell->world->names, "checkpoint", strlen("checkpoint"));
	enum status status = shell_queue(shell, rank, STREAM_HOST, &record, 0, OP_EVERYTHING, 0, sync);
	for (size_t i = 0; i < c->shards && status == ST_OK; i++) {
		struct record copy = queue_record(shell, OP_COPY, "copy");
		struct view view;
		if (c->shard[i].line.rank != rank)
			continue;
		status = interpreter_view(shell, rank, c->shard[i].line.tensor, &view);
		if (status == ST_OK)
			status = shell_bring(shell, rank, STREAM_DEFAULT, &view, copy, NULL, &last);
	}
	if (status == ST_OK && last)
		status = shell_queue(shell, rank, STREAM_HOST, &record, 0, last, 0, sync);
	return status;
}

static enum status shards_bring(struct shell *shell, const struct checkpoint *c)
{
	int n = shell->world->n;
	op_id *sync = mem_alloc((size_t)n * sizeof *sync);
	enum status status = ST_OK;
	for (int rank = 0; rank < n && status == ST_OK; rank++)
		status = shards_bring_rank(shell, rank, c, &sync[rank]);
	if (status == ST_OK)
		status = shell_reach(shell, sync, n);
	mem_free(sync);
	return status;
}

/* Returns the path of shard i, or (i == shards) of the manifest. suffix: ".new" until all is
 * written, or "" */
static const char *checkpoint_file(const char *prefix, const struct checkpoint *c, size_t i,
        const char *suffix, char path[CHECKPOINT_PATH_ROOM])
{
	if (i == c->shards)
		snprintf(path, CHECKPOINT_PATH_ROOM, "%s.json%s", prefix, suffix);
	else
		snprintf(path, CHECKPOINT_PATH_ROOM, "%s.%zu.npy%s", prefix, i, suffix);
	return path;
}

static bool checkpoint_writes(const struct shell *shell, const struct checkpoint *c, size_t i)
{
	if (shell->replay.depth)
		return false;
	return i < c->shards ? c->shard[i].line.rank == shell->world->me
	                     : transport_rank(shell->transport) == 0;
}

static enum status checkpoint_rename(
        struct shell *shell, const char *prefix, const struct checkpoint *c, size_t from, size_t to)
{
	char path[CHECKPOINT_PATH_ROOM], written[CHECKPOINT_PATH_ROOM];
	enum status status = ST_OK;
	for (size_t i = from; i < to && status == ST_OK; i++)
		if (checkpoint_writes(shell, c, i) &&
		        rename(checkpoint_file(prefix, c, i, ".new", written),
		                checkpoint_file(prefix, c, i, "", path)) != 0)
			status = fail(ST_FILE, "%s cannot be written: %s", path, strerror(errno));
	return shell_agree_all(shell, status);
}

static enum status shard_write(struct shell *shell, const char *prefix, struct checkpoint *c, size_t number)
{
	struct shard *shard = &c->shard[number];
	struct view view;
	char path[CHECKPOINT_PATH_ROOM];
	size_t bytes = (size_t)layout_bytes(&shard->layout);
	float *values = mem_alloc(bytes);
	enum status status = interpreter_view(shell, shard->line.rank, shard->line.tensor, &view);
	if (status == ST_OK)
		status = read_floats(shell, 0, &view, values);
	if (status == ST_OK && !shell->replay.depth)
		status = npy_save(checkpoint_file(prefix, c, number, ".new", path), &shard->layout, values);
	shard->digest = hash_bytes(HASH_BEGIN, values, bytes);
	mem_free(values);
	return status;
}

/* All processes get all digests, or the failure. */
static enum status shards_write(struct shell *shell, const char *prefix, struct checkpoint *c)
{
	struct transport *transport = shell->transport;
	int processes = transport_size(transport);
	uint64_t *mine = mem_alloc(c->shards * sizeof *mine),
	         *all = mem_alloc((size_t)processes * c->shards * sizeof *all);
	enum status status = ST_OK;
	for (size_t i = 0; i < c->shards && status == ST_OK; i++)
		if (c->shard[i].line.rank == shell->world->me) {
			status = shard_write(shell, prefix, c, i);
			mine[i] = c->shard[i].digest;
		}
	status = shell_agree_all(shell, status);
	if (status == ST_OK)
		status = transport_share(transport, mine, all, c->shards * sizeof *mine);
	for (size_t i = 0; i < c->shards && status == ST_OK; i++)
		c->shard[i].digest = all[(size_t)c->shard[i].line.rank * c->shards + i];
	mem_free(mine);
	mem_free(all);
	return status;
}

static cJSON *shard_json(const char *prefix, size_t number, const struct shard *shard)
{
	const struct part_line *line = &shard->line;
	cJSON *object = cJSON_CreateObject();
	const char *slash = strrchr(prefix, '/');
	char text[CHECKPOINT_PATH_ROOM];
	snprintf(text, sizeof text, "%s.%zu.npy", slash ? slash + 1 : prefix, number);
	cJSON_AddStringToObject(object, "file", text);
	cJSON_AddStringToObject(object, "of", line->of);
	if (*line->state)
		cJSON_AddStringToObject(object, "as", line->state);
	cJSON_AddNumberToObject(object, "row", (double)line->row);
	cJSON_AddNumberToObject(object, "col", (double)line->col);
	if (line->flat) {
		cJSON_AddNumberToObject(object, "at", (double)line->at);
		cJSON_AddNumberToObject(object, "rows", (double)line->rows);
		cJSON_AddNumberToObject(object, "cols", (double)line->cols);
	}
	cJSON_AddNumberToObject(object, "rank", line->rank);
	snprintf(text, sizeof text, "%016" PRIx64, shard->digest);
	cJSON_AddStringToObject(object, "digest", text);
	return object;
}

static const struct output_kind shard_kind = {.is = "whole .npy file of a tensor", .is_own = npy_whole},
                                manifest_kind = {
                                        .is = "whole manifest of a checkpoint", .is_own = manifest_whole};

static enum status manifest_write(
        struct shell *shell, const char *prefix, const struct output *how, const struct checkpoint *c)
{
	struct text text = {0};
	char path[CHECKPOINT_PATH_ROOM];
	struct output output = *how;
	text_add(&text, "{\"ranksh\":\"checkpoint\",\"iteration\":%d,\"model\":", c->iteration);
	put_json_line(&text, cJSON_CreateString(c->model), "");
	text_add(&text, ",\"parts\":%d,\"loses\":", c->parts);
	put_json_line(&text, cJSON_CreateString(c->loses), ",\"parameters\":[");
	for (int i = 0; i < c->wholes; i++) {
		cJSON *object = cJSON_CreateObject();
		cJSON_AddStringToObject(object, "of", c->whole[i].name);
		cJSON_AddStringToObject(object, "as", c->whole[i].state);
		cJSON_AddNumberToObject(object, "rows", (double)c->whole[i].rows);
		cJSON_AddNumberToObject(object, "cols", (double)c->whole[i].cols);
		put_json_line(&text, object, i + 1 < c->wholes ? "," : "],\"shards\":[");
	}
	for (size_t i = 0; i < c->shards; i++)
		put_json_line(&text, shard_json(prefix, i, &c->shard[i]), i + 1 < c->shards ? "," : "]}");
	output.path = checkpoint_file(prefix, c, c->shards, ".new", path);
	output.kind = &manifest_kind;
	enum status status = shell_write(shell, &output, &text);
	text_release(&text);
	return status;
}

/* Checks the files that this process writes, with and without `.new`. how: `force` and `line` */
static enum status checkpoint_check_files(
        struct shell *shell, const char *prefix, const struct output *how, const struct checkpoint *c)
{
	char path[CHECKPOINT_PATH_ROOM];
	struct output output = *how;
	enum status status = ST_OK;
	output.path = path;
	for (size_t i = 0; i < 2 * (c->shards + 1) && status == ST_OK; i++) {
		if (!checkpoint_writes(shell, c, i / 2))
			continue;
		checkpoint_file(prefix, c, i / 2, i % 2 ? ".new" : "", path);
		output.kind = i / 2 < c->shards ? &shard_kind : &manifest_kind;
		status = may_replace(&output);
	}
	return shell_agree_all(shell, status);
}

static enum status checkpoint_write(
        struct shell *shell, const char *prefix, const struct output *how, struct checkpoint *c)
{
	char path[CHECKPOINT_PATH_ROOM];
	const char *slash = strrchr(prefix, '/');
	const char *manifest = checkpoint_file(prefix, c, c->shards, "", path);
	bool writes_it = checkpoint_writes(shell, c, c->shards),
	     earlier = writes_it && file_there(manifest) == FILE_REGULAR && manifest_whole(manifest);
	enum status status = checkpoint_check_files(shell, prefix, how, c);
	if (status != ST_OK)
		return status;
	struct text folder = {0};
	text_put(&folder, prefix, slash ? (size_t)(slash - prefix) : 0);
	if (folder.count && !shell->replay.depth)
		mkdir(text_string(&folder), 0777);
	text_release(&folder);
	status = shards_write(shell, prefix, c);
	if (status == ST_OK)
		status = manifest_write(shell, prefix, how, c);
	/* no rank renames a shard before the earlier manifest is gone */
	if (status == ST_OK && writes_it)
		unlink(manifest);
	if (status == ST_OK)
		status = shell_agree(shell, 0, ST_OK);
	if (status == ST_OK)
		status = checkpoint_rename(shell, prefix, c, 0, c->shards);
	if (status == ST_OK)
		status = checkpoint_rename(shell, prefix, c, c->shards, c->shards + 1);
	bool more = status == ST_OK && earlier; /* remove further shards of the earlier one */
	for (size_t i = c->shards; more; i++) {
		snprintf(path, sizeof path, "%s.%zu.npy", prefix, i);
		more = file_there(path) == FILE_REGULAR && npy_whole(path) && unlink(path) == 0;
	}
	for (size_t i = 0; i <= c->shards && status != ST_OK; i++)
		if (checkpoint_writes(shell, c, i))
			unlink(checkpoint_file(prefix, c, i, ".new", path));
	return status;
}

static enum status checkpoint_check(const struct shell *shell)
{
	const struct training *t = shell->training;
	if (shell_keeps_no_data(shell))
		return fail(ST_ARGUMENT, "checkpoint: a dry run has no data");
	if (!t->now.program || !t->now.program->loops)
		return fail(ST_ARGUMENT,
		        "checkpoint saves the training of a strategy: `strategy ddp` and `run` first");
	if (t->iteration == t->now.program->first && (t->in_setup || !t->at))
		return fail(ST_ARGUMENT, "checkpoint: nothing was trained yet: `run` first");
	if (t->at || t->torn)
		return fail(ST_ARGUMENT,
		        "checkpoint: it is written between two iterations; `run` finishes this one");
	return ST_OK;
}

static void checkpoint_report(struct shell *shell, const char *prefix, const struct checkpoint *c)
{
	struct text size = {0};
	double bytes = 0;
	for (size_t i = 0; i < c->shards; i++)
		bytes += (double)layout_bytes(&c->shard[i].layout);
	number_text((struct number){bytes, UNIT_BYTES}, &size);
	out_say(shell->out, "   %s.json: iteration %d, %zu shards, %s\n", prefix, c->iteration, c->shards,
	        text_string(&size));
	text_release(&size);
}

enum status checkpoint_save(struct shell *shell, const char *prefix, long every, bool force)
{
	const struct training *t = shell->training;
	struct checkpoint c = {.iteration = t->iteration};
	struct text path = {0}, model = {0}, loses = {0}, line = {0};
	enum status status = checkpoint_check(shell);
	if (status != ST_OK)
		return status;
	text_add(&path, "%s-%d", prefix, t->iteration);
	program_model(t->now.program, &model);
	c.model = mem_copy_text(text_string(&model), model.count);
	program_parts(shell, &c.parts);
	status = program_loses(shell, &loses);
	c.loses = mem_copy_text(text_string(&loses), loses.count);
	if (status == ST_OK)
		status = alone_wholes(shell, t->now.program, &c.whole, &c.wholes);
	if (status == ST_OK)
		status = shards_choose(shell, &c);
	text_add(&line, "checkpoint ");
	if (every)
		text_add(&line, "every=%ld ", every);
	text_add(&line, "to=%s", quoted_word("%s", prefix).text);
	struct output how = {.force = force, .line = text_string(&line)};
	bool chosen = status == ST_OK;
	if (chosen && !shell->replay.recalls)
		status = checkpoint_check_files(shell, text_string(&path), &how, &c);
	if (chosen)
		status = shell_replaces(shell, text_string(&path), status);
	if (status == ST_OK)
		status = shards_bring(shell, &c);
	bool gathered = status == ST_OK;
	if (status == ST_OK && !shell->replay.recalls)
		status = checkpoint_write(shell, text_string(&path), &how, &c);
	if (gathered)
		status = shell_written(shell, text_string(&path), status);
	if (status == ST_OK && !shell->replay.recalls)
		checkpoint_report(shell, text_string(&path), &c);
	text_release(&path);
	text_release(&model);
	text_release(&loses);
	text_release(&line);
	checkpoint_release(&c);
	return status;
}
