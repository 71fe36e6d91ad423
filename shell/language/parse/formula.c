/* formula.c -- parses expressions by operator precedence, loosest first.
 *
 *     or   and   not   == != < <= > >=   + -   * / // %   -x   number, name, x[0,0], f(..), ( )
 *
 *     a + b * c == d       COMPARISON       ==
 *                            SUM           /  \
 *                              PRODUCT    +    d        operators of one strength nest left:
 *                                SIGN    / \            a - b - c is (a - b) - c
 *                                       a   *
 *                                          / \
 *                                         b   c
 *
 * The root lists the nodes that read tensor elements (`reads`), because their values are fetched
 * for all ranks before the evaluation. */
#include "shell/language/parse/parse.h"

enum strength { OR, AND, NOT, COMPARISON, SUM, PRODUCT, SIGN };
static enum status read_from(struct formula_reader *reader, enum strength strength, struct formula **made);

void reader_skip(struct formula_reader *reader)
{
	reader->at = skip_blanks(reader->at, reader->end, true);
}

enum status reader_fails(const struct formula_reader *reader, const char *what)
{
	if (reader->at == reader->end)
		return fail(ST_SYNTAX, "'%.*s': %s", UP_TO(60, reader->begin, reader->end), what);
	return fail(ST_SYNTAX, "'%.*s': %s at '%.*s'", UP_TO(60, reader->begin, reader->end), what,
	        UP_TO(40, reader->at, reader->end));
}

struct formula *formula_node(struct formula_reader *reader, enum formula_kind kind, const char *from)
{
	struct formula *formula = tree_alloc(reader->parser->tree, sizeof *formula);
	formula->kind = (uint8_t)kind;
	formula->written = slice_between(from, from);
	formula->depth = 1;
	return formula;
}

/* Evaluation recurses, so the depth is limited. A chain of operators nests on the left. */
void formula_holds(struct formula *formula, const struct formula *part)
{
	if (!part)
		return;
	formula->reads_data |= part->reads_data;
	formula->moment |= part->moment;
	if (part->depth >= formula->depth)
		formula->depth = (uint16_t)(part->depth + 1);
}

void formula_holds_name(struct formula *formula)
{
	const struct name *name = formula->name;
	for (int i = 0; name && i < name->parts; i++)
		formula_holds(formula, name->part[i].formula);
}

enum status formula_finish(struct formula_reader *reader, struct formula *formula, struct formula **made)
{
	formula->written.length = (uint32_t)(reader->at - formula->written.at);
	*made = formula;
	if (formula->depth > FORMULA_DEPTH_MAX)
		return fail(
		        ST_LIMIT, "an expression has more than %d operations in a row", FORMULA_DEPTH_MAX);
	return ST_OK;
}

static enum status read_bracket(struct formula_reader *reader, struct formula **made)
{
	if (++reader->parser->depth > NESTING_MAX)
		return fail(ST_LIMIT, "brackets nest deeper than %d", NESTING_MAX);
	reader->at++;
	enum status status = read_from(reader, OR, made);
	if (status != ST_OK)
		return status;
	reader_skip(reader);
	if (reader->at >= reader->end || *reader->at != ')')
		return reader_fails(reader, "')' was expected");
	reader->at++;
	reader->parser->depth--;
	return ST_OK;
}

static enum status read_value(struct formula_reader *reader, struct formula **made)
{
	reader_skip(reader);
	if (reader->at >= reader->end)
		return reader_fails(reader, "a value was expected at its end");
	char c = *reader->at;
	if (c == '(')
		return read_bracket(reader, made);
	if (c == '"')
		return read_text(reader, made);
	if ((c >= '0' && c <= '9') || c == '.')
		return read_number(reader, made);
	return read_name(reader, made);
}

/* --x is x, and -x*y is (-x)*y. */
static enum status read_sign(struct formula_reader *reader, struct formula **made)
{
	int signs = 0;
	struct formula *formula = NULL, *outer;
	reader_skip(reader);
	const char *from = reader->at;
	while (reader->at < reader->end && (*reader->at == '-' || *reader->at == '+')) {
		signs += *reader->at++ == '-';
		reader_skip(reader);
	}
	enum status status = read_value(reader, &formula);
	if (status != ST_OK || signs % 2 == 0) {
		*made = formula;
		return status;
	}
	outer = formula_node(reader, FORMULA_NEGATE, from);
	outer->left = formula;
	formula_holds(outer, formula);
	return formula_finish(reader, outer, made);
}

struct operator
{
	const char *text;
	enum formula_kind kind;
};

/* Takes the first match: a longer operator must precede its prefix in the list. */
static bool operator_read(
        struct formula_reader *reader, const struct operator* operators, enum formula_kind *kind)
{
	reader_skip(reader);
	for (; operators->text; operators++) {
		size_t length = strlen(operators->text);
		if ((size_t)(reader->end - reader->at) < length ||
		        memcmp(reader->at, operators->text, length) != 0)
			continue;
		if (is_name_start(*operators->text) && (size_t)(reader->end - reader->at) > length &&
		        is_name_char(reader->at[length]))
			continue;
		reader->at += length;
		*kind = operators->kind;
		return true;
	}
	return false;
}

static const struct operator operators_of[SIGN][7] = {
        [OR] = {{"or", FORMULA_OR}},
        [AND] = {{"and", FORMULA_AND}},
        [NOT] = {{"not", FORMULA_NOT}},
        [COMPARISON] = {{"==", FORMULA_EQUAL}, {"!=", FORMULA_UNEQUAL}, {"<=", FORMULA_AT_MOST},
                {">=", FORMULA_AT_LEAST}, {"<", FORMULA_LESS}, {">", FORMULA_MORE}},
        [SUM] = {{"+", FORMULA_ADD}, {"-", FORMULA_SUBTRACT}},
        [PRODUCT] = {{"*", FORMULA_MULTIPLY}, {"//", FORMULA_WHOLE}, {"/", FORMULA_DIVIDE},
                {"%", FORMULA_REMAINDER}},
};

const char *formula_sign(enum formula_kind kind)
{
	for (enum strength strength = OR; strength < SIGN; strength++)
		for (const struct operator* at = operators_of[strength]; at->text; at++)
			if (at->kind == kind)
				return at->text;
	return NULL;
}

/* `not not ...` nests without brackets, so it has its own limit. */
static enum status read_not(struct formula_reader *reader, struct formula **made)
{
	enum formula_kind kind;
	reader_skip(reader);
	const char *from = reader->at;
	if (!operator_read(reader, operators_of[NOT], &kind))
		return read_from(reader, COMPARISON, made);
	struct formula *formula = formula_node(reader, kind, from);
	if (++reader->parser->depth > NESTING_MAX)
		return fail(ST_LIMIT, "`not` nests deeper than %d", NESTING_MAX);
	enum status status = read_not(reader, &formula->left);
	reader->parser->depth--;
	formula_holds(formula, formula->left);
	return status == ST_OK ? formula_finish(reader, formula, made) : status;
}

/* Parses operators of this precedence, nested left, with operands that bind tighter. */
static enum status read_from(struct formula_reader *reader, enum strength strength, struct formula **made)
{
	enum formula_kind kind;
	if (strength == NOT)
		return read_not(reader, made);
	if (strength == SIGN)
		return read_sign(reader, made);
	reader_skip(reader);
	const char *from = reader->at;
	enum status status = read_from(reader, strength + 1, made);
	while (status == ST_OK && operator_read(reader, operators_of[strength], &kind)) {
		struct formula *formula = formula_node(reader, kind, from);
		formula->left = *made;
		status = read_from(reader, strength + 1, &formula->right);
		if (status != ST_OK)
			return status;
		formula_holds(formula, formula->left);
		formula_holds(formula, formula->right);
		status = formula_finish(reader, formula, made);
	}
	/* a < b < c would compare a truth value with c; (a < b) == c is allowed: its node begins
	 * before its left one */
	const struct formula *left = status == ST_OK && strength == COMPARISON ? (*made)->left : NULL;
	return left && is_comparison(*made) && is_comparison(left) && left->written.at == (*made)->written.at
	        ? reader_fails(reader, "one comparison at a time, with `and` between them")
	        : status;
}

static enum status read_all(struct formula_reader *reader, struct formula **made)
{
	enum status status = read_from(reader, OR, made);
	reader_skip(reader);
	if (status == ST_OK && reader->at < reader->end && *reader->at == '=')
		return reader_fails(reader, "'=' is not a comparison (== is)");
	if (status == ST_OK && reader->at < reader->end)
		return reader_fails(reader, "an operator was expected");
	return status;
}

static void root_keep_reads(struct parser *parser, struct formula *root, size_t before)
{
	size_t count = parser->read_count - before;
	if (!count)
		return;
	root->reads = tree_alloc(parser->tree, count * sizeof *root->reads);
	memcpy(root->reads, parser->reads + before, count * sizeof *root->reads);
	root->read_count = (int)count;
	root->skippable = true;
	for (size_t i = 0; i < count; i++) {
		root->reads[i]->place -= (int)before;
		root->skippable &= root->reads[i]->kind == FORMULA_FUNCTION &&
		        function_is_close(root->reads[i]->function);
	}
	parser->read_count = before;
}

/* Recursive for a `$( )` in a name or an index; only the outermost expression is a root. */
enum status parse_formula(struct parser *parser, const char *at, const char *after, struct formula **made)
{
	struct formula_reader reader = {parser, at, after, at};
	size_t before = parser->read_count;
	int depth = parser->depth;

	*made = NULL;
	if (++parser->depth > NESTING_MAX)
		return fail(ST_LIMIT, "brackets nest deeper than %d", NESTING_MAX);
	bool root = parser->formula_depth++ == 0;
	enum status status = read_all(&reader, made);
	parser->formula_depth--;
	parser->depth = depth;
	if (status != ST_OK && root)
		parser->read_count = before;
	if (status == ST_OK && root)
		root_keep_reads(parser, *made, before);
	return status;
}
