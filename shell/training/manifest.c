/* manifest.c -- finds and reads the manifest of a checkpoint
 *
 * Rank 0 finds the file and sends its bytes. Every value is validated: an impossible one makes
 * the checkpoint torn. */
#include "shell/training/checkpoint.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/text.h"
#include "mpi/transport.h"
#include "shell/session/quote.h"
#include "shell/values/share.h"
#include "shell/training/parts.h"
#include "shell/training/verify.h"

#include <cjson/cJSON.h>
#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static enum status manifest_refuse(const struct checkpoint *c, const char *what)
{
	return fail(ST_FILE, "%s is not a complete checkpoint: %s", c->path, what);
}

/* NULL: missing, or no text */
static const char *json_word(const cJSON *object, const char *key)
{
	return cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, key));
}

/* -1: missing, or not a whole number from 0 on */
static int64_t json_whole(const cJSON *object, const char *key)
{
	double value = cJSON_GetNumberValue(cJSON_GetObjectItemCaseSensitive(object, key));
	return number_is_whole(value, 0, 1e15) ? (int64_t)value : -1;
}

static enum status manifest_read_whole(struct checkpoint *c, const cJSON *object)
{
	const char *of = json_word(object, "of"), *state = json_word(object, "as");
	struct whole *whole = &c->whole[c->wholes++];
	*whole = (struct whole){.rows = json_whole(object, "rows"), .cols = json_whole(object, "cols")};
	if (!of || !state || whole->rows < 1 || whole->cols < 1 || whole->rows > (1LL << 40) / whole->cols)
		return manifest_refuse(c, "one of its parameters has no name or shape");
	snprintf(whole->name, sizeof whole->name, "%s", of);
	snprintf(whole->state, sizeof whole->state, "%s", state);
	return ST_OK;
}

static enum status manifest_read_shard(struct checkpoint *c, const cJSON *object)
{
	const char *of = json_word(object, "of"), *state = json_word(object, "as"),
	           *file = json_word(object, "file"), *digest = json_word(object, "digest");
	struct shard *shard = &c->shard[c->shards++];
	if (!of || !file || strchr(file, '/') || !digest)
		return manifest_refuse(c, "one of its shards has no name, file or digest");
	struct part_line line = {.rank = (int)json_whole(object, "rank"),
	        .of = names_keep(c->names, of),
	        .state = names_keep(c->names, state ? state : ""),
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
		return fail(ST_FILE, "%s is not a complete checkpoint: it does not say where %s lies",
		        c->path, file);
	return ST_OK;
}

static enum status manifest_read(struct checkpoint *c, const cJSON *object)
{
	const cJSON *wholes = cJSON_GetObjectItemCaseSensitive(object, "parameters"),
	            *shards = cJSON_GetObjectItemCaseSensitive(object, "shards"), *one;
	const char *what = json_word(object, "ranksh"), *model = json_word(object, "model"),
	           *loses = json_word(object, "loses");
	int64_t iteration = json_whole(object, "iteration"), parts = json_whole(object, "parts");
	enum status status = ST_OK;
	if (!what || strcmp(what, "checkpoint") != 0)
		return manifest_refuse(c, "it does not say that it is one");
	if (!model || iteration < 0 || iteration > 1000000000 || !cJSON_GetArraySize(wholes))
		return manifest_refuse(c, "its model, iteration or parameters are missing");
	c->model = mem_copy_text(model, strlen(model));
	c->loses = mem_copy_text(loses ? loses : "", loses ? strlen(loses) : 0);
	c->iteration = (int)iteration;
	c->parts = parts > 0 && parts <= 1000000 ? (int)parts : 0;
	c->names = names_create();
	c->whole = mem_alloc((size_t)cJSON_GetArraySize(wholes) * sizeof *c->whole);
	c->shard = mem_alloc((size_t)cJSON_GetArraySize(shards) * sizeof *c->shard);
	cJSON_ArrayForEach(one, wholes) status = status == ST_OK ? manifest_read_whole(c, one) : status;
	cJSON_ArrayForEach(one, shards) status = status == ST_OK ? manifest_read_shard(c, one) : status;
	return status;
}

/* Returns the highest N below `below` with a file PREFIX-N.json; -1: none. */
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

/* On rank 0: the path itself, with .json appended, or the latest of PREFIX. ST_FILE: none
 * exists */
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

enum status checkpoint_name_before(
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
	char place[512] = "", *bytes = NULL;
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
