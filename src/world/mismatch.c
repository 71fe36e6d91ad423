/* mismatch.c -- messages about members that disagree: "rank 3 brings 2 kB, ranks 0-2 bring 4 kB"
 *
 * The message groups the members by the first aspect that differs; the smallest set comes
 * first. */
#include "world/books.h"
#include "base/arithmetic.h"
#include "base/ranks.h"

int member_sets(const struct world *world, const struct match *match, member_same *same, int by,
        int first[BRINGS_MOST], struct ranks *ranks)
{
	int count = 0;

	for (int place = 0; place < match->n; place++) {
		int k = 0;
		if (!match->member[place])
			continue;
		while (k < count && !same(world, match, first[k], place, by))
			k++;
		if (k == BRINGS_MOST)
			continue;
		if (k == count)
			first[count++] = place;
		if (ranks)
			ranks_add(&ranks[k], match->ranks[place]);
	}
	return count;
}

/* One comparison for each member suffices: if two members differ, one of them differs from the
 * first. */
static enum aspect first_aspect(const struct world *world, const struct match *match)
{
	struct share first = member_share(world, match, match->first);
	enum aspect aspect = ASPECTS;

	for (int place = 0; place < match->n; place++) {
		if (!match->member[place])
			continue;
		struct share share = member_share(world, match, place);
		enum aspect differs = differing(&first, &share);
		aspect = differs < aspect ? differs : aspect;
	}
	return aspect;
}

static bool same_aspect(const struct world *world, const struct match *match, int a, int b, int aspect)
{
	return member_share(world, match, a).aspect[aspect] == member_share(world, match, b).aspect[aspect];
}

/* Appends the ranks that bring the same as the member at `place`. */
static void camp_text(const struct world *world, const struct match *match, int place,
        const struct ranks *ranks, enum aspect aspect, const char *(*algorithm_word)(int), struct text *why)
{
	static const char *const reductions[] = {"sum", "avg", "max", "min"};
	int64_t brings = member_share(world, match, place).aspect[aspect];
	bool one = ranks_count(ranks) == 1;
	const char *s = one ? "s" : "";
	const char *verb = !match->p2p ? "bring" : place == 0 ? "send" : "receive";

	text_add(why, one ? "rank " : "ranks ");
	ranks_text(ranks, why);
	switch (aspect) {
	case ASPECT_TITLE:
		text_add(why, " call%s %s", s, names_text(world->names, brings));
		break;
	case ASPECT_OBJECT:
		text_add(why, " name%s %s", s, names_text(world->names, brings));
		break;
	case ASPECT_DTYPE:
		text_add(why, " %s%s %s", verb, s, dtype_name(brings));
		break;
	case ASPECT_SPLIT:
		text_add(why, brings ? " give%s send= and recv=" : " give%s no counts", s);
		break;
	case ASPECT_BYTES:
		text_add(why, " %s%s ", verb, s);
		bytes_text(brings, why);
		break;
	case ASPECT_ROOT:
		text_add(why, " name%s root %d", s, (int)brings);
		break;
	case ASPECT_OP:
		text_add(why, " take%s op=%s", s, reductions[brings]);
		break;
	case ASPECT_BACKUP:
		text_add(why, " take%s backup=%d", s, (int)brings);
		break;
	default:
		text_add(why, " take%s algo=%s", s, algorithm_word(brings));
	}
}

static void unmatched_text(const struct world *world, const struct match *match, struct text *why)
{
	struct unmatched rows;
	for (int a = 0; a < match->n; a++)
		for (int b = a; b < match->n; b++) {
			if (!match->member[a] || !match->member[b] || !rows_differ(world, match, a, b, &rows))
				continue;
			text_add(why, "rank %d sends %lld row%s to rank %d, which expects %lld",
			        match->ranks[rows.from], (long long)rows.sent, rows.sent == 1 ? "" : "s",
			        match->ranks[rows.to], (long long)rows.expected);
			return;
		}
}

/* Returns the total rows of an allgather without rows= whose members bring parts of it; else 0. */
static int64_t rows_in_parts(const struct world *world, const struct match *match)
{
	int64_t rows = 0;

	if (match->count < match->n || match->p2p)
		return 0;
	for (int place = 0; place < match->n; place++) {
		const struct record *record = op_record(world, match->member[place]);
		const struct operand *in = record_source(record), *out = record_target(record);
		if (record->window || record->root >= 0 || !in || !out || in == out ||
		        out->layout.dim[0] != match->n * in->layout.dim[0])
			return 0;
		rows += in->layout.dim[0];
	}
	for (int place = 0; place < match->n; place++) {
		struct layout first = record_source(op_record(world, match->member[0]))->layout,
		              own = record_source(op_record(world, match->member[place]))->layout;
		if (own.dim[0] != chunk_at(rows, match->n, place + 1) - chunk_at(rows, match->n, place))
			return 0;
		own.dim[0] = first.dim[0];
		if (!layout_same_shape(&own, &first))
			return 0;
	}
	return rows;
}

/* "; as parts of 5 rows: `W = allgather w rows=5 in pair on comm`" */
static void rows_text(const struct world *world, const struct match *match, struct text *why)
{
	const struct op *op = &world->ops[match->member[match->first]];
	const struct record *record = op_record(world, match->member[match->first]);
	int64_t rows = rows_in_parts(world, match);
	if (!rows)
		return;
	text_add(why, "; as parts of %lld rows: `%s = %s %s rows=%lld", (long long)rows,
	        names_text(world->names, record_target(record)->name),
	        names_text(world->names, record->title),
	        names_text(world->names, record_source(record)->name), (long long)rows);
	if (match->group > 0)
		text_add(why, " in %s", names_text(world->names, world->groups[match->group].name));
	if (op->stream != STREAM_DEFAULT)
		text_add(why, " on %s",
		        names_text(world->names, world_stream(world, op->rank, op->stream)->name));
	text_add(why, "`");
}

void world_mismatch(const struct world *world, op_id id, const char *(*algorithm_word)(int), struct text *why)
{
	struct ranks ranks[BRINGS_MOST] = {0};
	int place[BRINGS_MOST], count;
	const struct match *match = NULL;

	FOR_MATCHES (of, world, id)
		if (!match && of.match->mismatch)
			match = of.match;
	enum aspect aspect = first_aspect(world, match);
	if (aspect == ASPECTS) {
		unmatched_text(world, match, why);
		return;
	}
	count = member_sets(world, match, same_aspect, aspect, place, ranks);
	for (int n = 0; n < count; n++) {
		int least = -1;
		for (int k = 0; k < count; k++)
			if (!ranks_empty(&ranks[k]) &&
			        (least < 0 || ranks_count(&ranks[k]) < ranks_count(&ranks[least])))
				least = k;
		text_add(why, "%s", n ? ", " : "");
		camp_text(world, match, place[least], &ranks[least], aspect, algorithm_word, why);
		ranks[least] = (struct ranks){0}; /* reported */
	}
	if (aspect == ASPECT_BYTES)
		rows_text(world, match, why);
}
