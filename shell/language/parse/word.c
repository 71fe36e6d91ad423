/* word.c -- parses a word: a name with `$`, a tensor, a shape.
 *
 *     name    = ( letter | "_" | "$" variable | "$(" expr ")" ) { the same | digit | "#" } d$(m+1)
 *     tensor  = name [ ".T" ] [ "[" index { "," index } "]" ]                           w.T[0:4,i]
 *     index   = expr | [ expr ] ":" [ expr ]
 *     shape   = "[" expr { "," expr } "]"
 *
 * A name's meaning depends on the world; it is looked up when the line runs. */
#include "shell/language/parse/parse.h"
#include "base/search.h"

/* After an unmatched closing bracket the depth is negative, and no mark is found. */
const char *find_outside(const char *at, const char *after, const char *marks)
{
	int depth = 0;
	for (; at < after; at++) {
		if (*at == '"') {
			const char *text = quote_end(at, after);
			if (!text)
				return NULL;
			at = text - 1;
			continue;
		}
		if (!depth && *at && strchr(marks, *at))
			return at;
		depth += *at == '(' || *at == '[' ? 1 : *at == ')' || *at == ']' ? -1 : 0;
	}
	return NULL;
}

static const char *bracket_end(const char *at, const char *end)
{
	const char *close = find_outside(at + 1, end, ")]");
	return close ? close + 1 : end;
}

/* Returns the position after a `$i` or `$(i+1)` at `at`; `at` if it is neither. */
static const char *dollar_end(const char *at, const char *end)
{
	const char *p = at + 1;
	if (p < end && *p == '(')
		return bracket_end(p, end);
	while (p < end && is_name_char(*p) && *p != '#' && (p > at + 1 || is_name_start(*p)))
		p++;
	return p == at + 1 ? at : p;
}

/* "h$i", "d$(p)_old" and "x" are names; "3x", "" and "$" are not. */
const char *name_end(const char *at, const char *end)
{
	const char *p = at;
	if (p < end && *p != '$' && !is_name_start(*p))
		return at;
	while (p < end) {
		if (*p == '$') {
			const char *next = dollar_end(p, end);
			if (next == p)
				break;
			p = next;
		} else if (is_name_char(*p)) {
			p++;
		} else {
			break;
		}
	}
	return p;
}

static void add_text_part(struct name *name, const char *at, const char *after)
{
	if (after > at)
		name->part[name->parts++].text = slice_between(at, after);
}

/* Splits [at, after) at each `$`. In quotes `\"`, `\\`, `\n` and `\$` are escapes. */
static enum status name_split(struct parser *parser, struct name *name, const char *at, const char *after)
{
	const char *from = at;
	enum status status = ST_OK;
	while (at < after && status == ST_OK) {
		bool escape = name->quoted && *at == '\\' && at + 1 < after;
		const char *next = escape ? at + 2 : *at == '$' ? dollar_end(at, after) : at;
		if (next == at) {
			at++;
			continue;
		}
		add_text_part(name, from, at);
		from = next;
		if (!escape && at[1] == '(' && (next - at < 3 || next[-1] != ')'))
			return fail(ST_SYNTAX, "'%.*s': ')' is missing", UP_TO(40, at + 1, next));
		if (!escape) {
			name->constant = false;
			status = parse_formula(parser, at + 1, next, &name->part[name->parts++].formula);
		} else if (at[1] == 'n')
			name->part[name->parts++].text = (struct slice_of_text){"\n", 1};
		else
			from = at + 1;
		at = next;
	}
	add_text_part(name, from, after);
	return status;
}

static enum status name_make(struct parser *parser, const char *at, const char *after, struct name **made)
{
	struct name *name = tree_alloc(parser->tree, sizeof *name);
	name->written = slice_between(at, after);
	name->constant = true;
	name->quoted = at < after && *at == '"';
	if (name->quoted && (after - at < 2 || after[-1] != '"'))
		return fail(ST_SYNTAX, "%.*s: the closing quote is missing", UP_TO(60, at, after));
	*made = name;
	const char *from = at + name->quoted, *to = after - name->quoted;
	size_t parts = 1; /* at most: each `$` and each escape ends a part and begins another */
	for (const char *p = from; p < to; p++)
		parts += *p == '$' || *p == '\\' ? 2 : 0;
	name->part = tree_alloc(parser->tree, parts * sizeof *name->part);
	return name_split(parser, name, from, to);
}

/* Makes the parts that evaluate_text joins:
 *
 *     h$i                 text h, formula i
 *     "loss $(x[0])\n"    text "loss ", formula x[0], text newline
 *
 * A cache with one entry for each hash lets equal names share a node, and the id that is looked up
 * for it (evaluate_name). */
enum status parse_name(struct parser *parser, const char *at, const char *after, struct name **made)
{
	uint64_t hash = hash_bytes(HASH_BEGIN, at, after - at);
	struct name **known = &parser->known[(hash ^ hash >> 16) % KNOWN_NAMES];
	if (*known && slices_equal((*known)->written, slice_between(at, after))) {
		*made = *known;
		return ST_OK;
	}
	enum status status = name_make(parser, at, after, made);
	if (status != ST_OK)
		return status;
	/* a name that reads data cannot be shared: the expression around it lists its reads */
	bool shared = !(*made)->quoted;
	for (int i = 0; i < (*made)->parts; i++)
		shared &= !(*made)->part[i].formula || !(*made)->part[i].formula->reads_data;
	if (shared)
		*known = *made;
	return ST_OK;
}

/* Accepts [4].T, so that parse_tensor reports the misplaced .T. */
bool is_slice(const char *at, const char *after)
{
	for (int dots = 0; at < after;) {
		if (is_transposed(at, after) && !dots++)
			at += 2;
		else if (*at == '[')
			at = bracket_end(at, after);
		else
			return false;
	}
	return true;
}

static enum status parse_index(struct parser *parser, const char *at, const char *after, struct index *index)
{
	const char *colon = find_outside(at, after, ":");
	at = skip_blanks(at, after, true);
	if (!colon && at == after)
		return fail(ST_SYNTAX, "an index is missing between brackets or commas");
	if (!colon)
		return parse_formula(parser, at, after, &index->from);
	if (find_outside(colon + 1, after, ":"))
		return fail(ST_SYNTAX, "a slice is from:to, without a step");
	index->range = true;
	enum status status = ST_OK;
	if (skip_blanks(at, colon, true) < colon)
		status = parse_formula(parser, at, colon, &index->from);
	if (status == ST_OK && skip_blanks(colon + 1, after, true) < after)
		status = parse_formula(parser, colon + 1, after, &index->to);
	return status;
}

/* Parses a list in brackets; `at` is the `[`, *after the position after the `]`. */
static enum status parse_indices(struct parser *parser, const char *at, const char *end, struct index **made,
        int *indices, const char **after)
{
	const char *stop;
	*made = tree_alloc(parser->tree, DIMS_MAX * sizeof **made);
	do {
		stop = find_outside(++at, end, ",]");
		if (!stop)
			return fail(ST_SYNTAX, "']' is missing");
		if (*indices == DIMS_MAX)
			return fail(ST_SHAPE, "a tensor has at most %d dimensions", DIMS_MAX);
		enum status status = parse_index(parser, at, stop, &(*made)[(*indices)++]);
		if (status != ST_OK)
			return status;
		at = stop;
	} while (*stop == ',');
	*after = stop + 1;
	return ST_OK;
}

enum status parse_tensor(struct parser *parser, const char *at, const char *after, struct tensor_ref **made)
{
	struct name *name;
	const char *p = name_end(at, after);
	if (p == at)
		return fail(ST_ARGUMENT,
		        "'%.*s' is not a tensor: a name, NAME.T or NAME[slice] was "
		        "expected",
		        UP_TO(60, at, after));
	enum status status = parse_name(parser, at, p, &name);
	if (status != ST_OK)
		return status;
	if (p == after && name->tensor) {
		*made = name->tensor;
		return ST_OK;
	}
	struct tensor_ref *tensor = tree_alloc(parser->tree, sizeof *tensor);
	tensor->written = slice_between(at, after);
	tensor->name = name;
	if (p == after)
		name->tensor = tensor;
	if (is_transposed(p, after)) {
		tensor->transposed = true;
		p += 2;
	}
	if (p < after && *p == '[')
		status = parse_indices(parser, p, after, &tensor->index, &tensor->indices, &p);
	if (status == ST_OK && is_transposed(p, after))
		return fail(ST_SYNTAX, "%.*s: .T follows the name, before the slice", UP_TO(60, at, after));
	if (status == ST_OK && p != after)
		return fail(ST_SYNTAX, "'%.*s' cannot follow '%.*s'", UP_TO(40, p, after), UP_TO(40, at, p));
	*made = tensor;
	return status;
}

/* Parsed as a slice whose indices are sizes. Requires *dims 0. */
enum status parse_shape(
        struct parser *parser, const char *at, const char *after, struct formula ***made, int *dims)
{
	struct index *index = NULL;
	const char *p = at;
	if (at >= after || *at != '[')
		return fail(ST_SHAPE, "'%.*s': a shape was expected, as in [64,64]", UP_TO(40, at, after));
	enum status status = parse_indices(parser, at, after, &index, dims, &p);
	if (status != ST_OK)
		return status;
	if (p != after && *p == ',')
		return fail(ST_SYNTAX, "no comma after %.*s: blanks separate tensors", UP_TO(40, at, p));
	if (p != after)
		return fail(ST_SYNTAX, "'%.*s' cannot follow a shape", UP_TO(40, p, after));
	*made = tree_alloc(parser->tree, *dims * sizeof **made);
	for (int i = 0; i < *dims; i++) {
		if (index[i].range)
			return fail(ST_SHAPE, "%.*s: a shape has sizes, not ranges", UP_TO(40, at, after));
		(*made)[i] = index[i].from;
	}
	return ST_OK;
}
