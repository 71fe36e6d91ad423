/* blame.c -- stalled time by the operation to blame, printed with the largest first
 *
 *      largest
 *         to 2.00 ms  peer    0-2 default  waited for allreduce g on default of rank 3
 *            0.40 ms  engine  0-3 io       busy with copy h on io
 *
 * Spans with equal reasons are one row, over the operations of a loop and over ranks: the key
 * holds names. A row's figure is the largest loss of one rank, because ranks lose time in
 * parallel. Slowed work is a row too. */
#include "trace/blame.h"
#include "trace/lanes.h"
#include "trace/sharing.h"
#include "backend/cost.h"
#include "base/names.h"
#include "trace/table.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

/* If no queued operation is to blame, a rank has not reached a match. */
static struct blame_key key_of(const struct lanes *lanes, int stream, const struct span *span)
{
	const struct world *world = lanes->trace->world;
	bool issued = false;
	struct blame_key key = {.cause = span->cause,
	        .by_rank = -1,
	        .on_host = stream == STREAM_HOST,
	        .lane = world_stream(world, lanes->rank, stream)->name};

	if (span->cause <= CAUSE_HOST)
		issued = span->op && span->from >= backend_times(lanes->trace->backend, span->op).issue;
	if (span->cause == CAUSE_HOST && issued)
		key.cause = BLAME_ANSWERED;
	if (!span->blame && span->op && cause_is_peers((enum cause)span->cause))
		key.by_rank = trace_missing_rank(world, span->op);
	/* an operation that is itself to blame is not named, except for its launch */
	bool itself = span->blame == span->op && (span->cause != CAUSE_LAUNCH || issued);
	if (!span->blame || itself || key.cause == BLAME_ANSWERED)
		return key;
	const struct op *by = &world->ops[span->blame];
	const struct record *record = op_record(world, span->blame);
	key.title = record_called(record);
	key.object = record->object;
	key.stream = by->stream == STREAM_HOST ? 0 : world_stream(world, by->rank, by->stream)->name;
	key.by_rank = by->rank == lanes->rank ? -1 : by->rank;
	return key;
}

/* Ranks come one after the other, so the current rank's sum and the extremes of earlier ranks
 * suffice. */
static void blame_count(struct blames *blames, struct blame_key key, int rank, int64_t ns)
{
	if (!blames->keys)
		blames->keys = names_create();
	size_t number = (size_t)names_make(blames->keys, (const char *)&key, sizeof key);
	if (number > blames->count)
		*MEM_ADD(&blames->blame, &blames->count) =
		        (struct blame){.key = key, .least = INT64_MAX, .rank = -1};
	struct blame *blame = &blames->blame[number - 1];
	if (blame->rank != rank) {
		if (blame->rank >= 0 && blame->ns < blame->least)
			blame->least = blame->ns;
		blame->rank = rank;
		blame->ns = 0;
		ranks_add(&blame->ranks, rank);
	}
	blame->ns += ns;
	if (blame->ns > blame->most)
		blame->most = blame->ns;
}

static enum slowed_by how_shared(const struct world *world, op_id id, op_id with)
{
	enum op_kind kind = op_record(world, id)->kind;
	if (id == with)
		return SHARED_ITSELF;
	if (trace_meets(world, id, with))
		return SHARED_PARTNER;
	return kind == OP_KERNEL || (kind == OP_COPY && copy_way(op_record(world, id)) == COPY_ON_DEVICE)
	        ? SHARED_DEVICE
	        : SHARED_LINK;
}

static struct blame_key slowed_key(
        const struct blames *blames, const struct lanes *lanes, int stream, const struct span *span)
{
	const struct world *world = lanes->trace->world;
	op_id with = sharing_with(blames->sharing, span->op);
	struct span itself = {.cause = (enum cause)BLAME_SLOWED, .op = span->op, .blame = with};
	struct blame_key key = key_of(lanes, stream, &itself);
	key.own_title = op_record(world, span->op)->title;
	key.own_object = op_record(world, span->op)->object;
	key.shared = (int)how_shared(world, span->op, with);
	return key;
}

void blames_add(
        struct blames *blames, const struct lanes *lanes, int stream, const struct span *span, int64_t slowed)
{
	if (slowed)
		blame_count(blames, slowed_key(blames, lanes, stream, span), lanes->rank, slowed);
	else if (span->kind == SPAN_STALL && span->cause != CAUSE_DONE)
		blame_count(blames, key_of(lanes, stream, span), lanes->rank, span->to - span->from);
}

/* By their texts: numbers of names depend on the order of typing. */
static int by_names(const struct blame_key *a, const struct blame_key *b, const struct names *names)
{
	const name_id parts[][2] = {{a->lane, b->lane}, {a->stream, b->stream}, {a->title, b->title},
	        {a->object, b->object}, {a->own_title, b->own_title}, {a->own_object, b->own_object}};
	int difference = 0;
	for (size_t i = 0; i < sizeof parts / sizeof *parts && !difference; i++)
		difference = strcmp(names_text(names, parts[i][0]), names_text(names, parts[i][1]));
	return difference;
}

/* The largest first; equal ones in an order that is the same in every run */
static int by_size(const void *a, const void *b, void *names)
{
	const struct blame *x = a, *y = b;
	const struct blame_key *k = &x->key, *l = &y->key;
	if (k->on_host != l->on_host)
		return k->on_host - l->on_host;
	if (x->most != y->most)
		return x->most > y->most ? -1 : 1;
	int parts[] = {k->cause - l->cause, k->shared - l->shared,
	        ranks_first(&x->ranks) - ranks_first(&y->ranks), k->by_rank - l->by_rank};
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
		if (parts[i])
			return parts[i];
	return by_names(k, l, names);
}

static void put_slowed(const struct blame_key *key, const struct names *names, struct text *out)
{
	static const char *const with[] = {[SHARED_DEVICE] = "ran beside ",
	        [SHARED_LINK] = "shared a link with ",
	        [SHARED_ITSELF] = "shared a link with parts of its own",
	        [SHARED_PARTNER] = "had begun before "};
	text_add(out, "%s%s%s %s", names_text(names, key->own_title), key->own_object ? " " : "",
	        names_text(names, key->own_object), with[key->shared]);
}

static void put_operation(const struct blame_key *key, const struct names *names, struct text *out)
{
	text_add(out, "%s%s%s", names_text(names, key->title), key->object ? " " : "",
	        names_text(names, key->object));
	if (key->stream)
		text_add(out, " on %s", names_text(names, key->stream));
	if (key->by_rank >= 0)
		text_add(out, " of rank %d", key->by_rank);
}

static void put_host(const struct blame_key *key, const struct names *names, struct text *out)
{
	if (key->cause == CAUSE_LAUNCH && !key->title)
		text_add(out, "the launch was on its way to the device");
	else if (key->cause == CAUSE_LAUNCH || key->cause == CAUSE_SYNC)
		text_add(out, "the host was %s %s%s%s", key->cause == CAUSE_SYNC ? "in" : "issuing",
		        names_text(names, key->title), key->object ? " " : "",
		        names_text(names, key->object));
	else
		text_add(out, "%s",
		        key->cause == CAUSE_HOST ? "the host had not reached it" : "the host got memory");
}

static void put_blamed(const struct blame_key *key, const struct names *names, struct text *out)
{
	if (key->cause == BLAME_ANSWERED) {
		text_add(out, "the line came after an answer (a loss)");
	} else if (key->cause == BLAME_SLOWED) {
		put_slowed(key, names, out);
		if (key->shared != SHARED_ITSELF)
			put_operation(key, names, out);
	} else if (key->cause <= CAUSE_MEMORY && !key->on_host) {
		put_host(key, names, out);
	} else if (key->title) {
		text_add(out, "%s", key->cause == CAUSE_ENGINE ? "busy with " : "waited for ");
		put_operation(key, names, out);
	} else if (key->cause == CAUSE_MEMORY) {
		text_add(out, "got memory");
	} else {
		text_add(out, "%s",
		        key->cause == CAUSE_ENGINE ? "busy with other work" : "waited for a missing line");
		if (key->by_rank >= 0)
			text_add(out, " on rank %d", key->by_rank);
	}
}

static void put_row(struct table *table, const struct blame *blame, const struct names *names)
{
	text_add(&table->cells, "%s", blame->least < blame->most || blame->ns < blame->most ? "to " : "");
	table_time(table, blame->most);
	table_cells(table, trace_causes[blame->key.cause == BLAME_ANSWERED ? CAUSE_HOST : blame->key.cause]);
	table_ranks(table, &blame->ranks);
	table_cell(table, " %s", names_text(names, blame->key.lane));
	put_blamed(&blame->key, names, &table->cells);
	table_end(table);
	table_row(table);
}

static void print_narrow(const struct table *rows, int width, struct text *out)
{
	struct text line = {0};
	for (const char *at = text_string(&rows->cells); *at; at++) {
		while (*at != '\n') {
			size_t length = strcspn(at, CELL_END);
			bool last = at[length + 1] == '\n';
			if (last) {
				text_wrapped(out, text_string(&line), 3, width);
				text_clear(&line);
			}
			text_add(&line, "%s%.*s", line.count ? "  " : "", (int)length, at);
			at += length + 1;
		}
		text_wrapped(out, text_string(&line), 6, width);
		text_clear(&line);
	}
	text_release(&line);
}

void blames_print(struct blames *blames, const struct trace *trace, int most, int width, struct text *out)
{
	enum { HOSTS_MOST = 2 };
	struct names *names = trace->world->names;
	struct table table = {.align = "rlll"};
	int left[] = {most, HOSTS_MOST};

	if (!blames->count)
		return;
	qsort_r(blames->blame, blames->count, sizeof *blames->blame, by_size, names);
	for (size_t i = 0; i < blames->count; i++)
		if (left[blames->blame[i].key.on_host]-- > 0)
			put_row(&table, &blames->blame[i], names);
	text_add(out, "largest\n");
	if (table_width(&table) > width)
		print_narrow(&table, width, out);
	else
		table_print(&table, width, out);
	table_release(&table);
}

void blames_release(struct blames *blames)
{
	mem_free(blames->blame);
	names_free(blames->keys);
	*blames = (struct blames){0};
}
