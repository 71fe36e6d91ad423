/* bind.c -- binds a line's words to the arguments of its command's row, and checks them.
 *
 *     row     ARG_TENSOR      ARG_ARROW     ARG_RESULT       ARG_WORD "async" optional
 *     line    x[0:4]          ->            y                (none)
 *
 * Options and clauses are bound first. Of the other words, from left to right, each argument row
 * takes one, or all that fit if it is ARG_MANY. Only a word's form selects its row, so a line
 * means the same in every world. A kernel's shape, numbers and type may be in any order:
 *
 *     spin x 2ms on s       x: KERNEL_TENSORS, or a number: `mixed`    2ms: KERNEL_NUMBERS
 *     randn [64,64] bf16    [64,64]: KERNEL_SHAPE                      bf16: KERNEL_DTYPE */
#include "shell/language/parse/parse.h"
#include "kernels/kernel.h"
#include "world/tensor_kind.h"

static bool argument_fits(const struct argument_row *row, const struct word *word)
{
	switch (row->kind) {
	case ARG_TENSOR:
	case ARG_RESULT:
		return word->tensor;
	case ARG_NEW:
	case ARG_STREAM:
	case ARG_EVENT:
	case ARG_WAITABLE:
	case ARG_GROUP:
		return word->name;
	case ARG_SHAPE:
		return *word->at == '[';
	case ARG_WORD:
		return !row->words || is_listed(row->words, slice_of(word)) || is_choice(word);
	case ARG_ARROW:
		return word_is(word, "->");
	case ARG_RANKS:
		return strchr("0123456789($", *word->at) || word_is(word, "all");
	case ARG_EXPRESSION:
	case ARG_PRINTABLE:
		return !word_is(word, "->") && !is_operator(word);
	case ARG_REMOTE:
		return word->stop > word->at && find_outside(word->at, word->after, "@");
	case ARG_FILE:
	case ARG_TEXT:
	case ARG_OP:
		return true;
	default:
		return false;
	}
}

/* The x of `print x` may be a tensor or a variable. Both are kept until the line runs (call.c). */
static enum status bind_printable(struct parser *parser, struct argument *argument, const struct word *word)
{
	if (!word->tensor)
		return parse_formula(parser, word->at, word->after, &argument->formula);
	enum status status = parse_tensor(parser, word->at, word->after, &argument->tensor);
	if (status == ST_OK && parse_formula(parser, word->at, word->after, &argument->formula) != ST_OK)
		argument->formula = NULL;
	return status;
}

static enum status check_reserved(struct slice_of_text name)
{
	return name_is_reserved(name)
	        ? fail(ST_NAME, "'%.*s' is a reserved word: take another name", WHOLE(name))
	        : ST_OK;
}

static enum status bind_word(struct parser *parser, struct argument *argument, int row,
        const struct argument_row *rows, const struct word *word)
{
	enum status status;
	const char *sign;
	argument->kind = (uint8_t)rows[row].kind;
	argument->row = (uint8_t)row;
	argument->part = (uint8_t)word->part;
	argument->written = slice_of(word);
	switch (argument->kind) {
	case ARG_TENSOR:
	case ARG_RESULT:
		return parse_tensor(parser, word->at, word->after, &argument->tensor);
	case ARG_EXPRESSION:
		return parse_formula(parser, word->at, word->after, &argument->formula);
	case ARG_REMOTE:
		sign = find_outside(word->at, word->after, "@");
		status = parse_tensor(parser, word->at, sign, &argument->tensor);
		if (status == ST_OK && sign + 1 == word->after)
			status = fail(
			        ST_SYNTAX, "%.*s: after '@' comes a rank of the window's group", WORD(word));
		return status == ST_OK ? parse_formula(parser, sign + 1, word->after, &argument->formula)
		                       : status;
	case ARG_SHAPE:
		return parse_shape(parser, word->at, word->after, &argument->dim, &argument->dims);
	case ARG_RANKS:
		return parse_ranks(parser, word->at, word->after, &argument->ranks);
	case ARG_PRINTABLE:
		return bind_printable(parser, argument, word);
	case ARG_ARROW:
		return ST_OK;
	default:
		break;
	}
	if (argument->kind == ARG_TEXT && *word->at == '"')
		return parse_formula(parser, word->at, word->after, &argument->formula);
	status = argument->kind == ARG_NEW ? check_reserved(argument->written) : ST_OK;
	return status == ST_OK ? parse_name(parser, word->at, word->after, &argument->name) : status;
}

const struct argument_row *argument_row(const struct command *row, enum argument_kind kind)
{
	for (int i = 0; i < ARGUMENT_ROWS_MAX && row->argument[i].kind != ARG_END; i++)
		if (row->argument[i].kind == kind)
			return &row->argument[i];
	return NULL;
}

const struct option_row *option_row(const struct command *row, const char *at, const char *sign)
{
	for (int i = 0; i < OPTION_ROWS_MAX && row->option[i].name; i++)
		if (text_is(at, sign, row->option[i].name))
			return &row->option[i];
	return NULL;
}

enum status bind_purpose(struct parser *parser, struct statement *statement, const struct word *word)
{
	struct slice_of_text value = slice_between(word->sign + 1, word->after);
	if (statement->purpose)
		return fail(ST_ARGUMENT, "'kind' is given twice on this line");
	enum status status = parse_name(parser, value.at, word->after, &statement->purpose);
	if (status != ST_OK || !statement->purpose->constant || is_listed(TENSOR_KIND_WORDS, value))
		return status;
	return none_of(
	        statement->row ? statement->row->name : "tensor", slice_of(word), value, TENSOR_KIND_WORDS);
}

/* Checks a word that has a list, unless it has `$`. Numbers and units are checked when the line
 * runs. */
static enum status bind_option(struct parser *parser, struct statement *statement, const struct word *word)
{
	const struct option_row *row = option_row(statement->row, word->at, word->sign);
	struct key_value *option = &statement->option[statement->options];
	struct slice_of_text key = slice_between(word->at, word->sign);
	const char *at = word->sign + 1;

	if (!row && (statement->results || statement->row->argument[0].kind == ARG_RESULT) &&
	        text_is(word->at, word->sign, "kind"))
		return bind_purpose(parser, statement, word);
	if (!row && !argument_row(statement->row, ARG_KEYS))
		return no_option(statement->row, word->at, word->sign);
	for (int i = 0; i < statement->options; i++)
		if (statement->option[i].part == word->part && slices_equal(statement->option[i].key, key))
			return fail(ST_ARGUMENT, "'%.*s' is given twice on this line", WHOLE(key));
	if (at == word->after)
		return fail(ST_ARGUMENT, "%.*s needs a value right after the =", WHOLE(key));
	statement->options++;
	option->row = row;
	option->written = slice_of(word);
	option->key = key;
	option->part = word->part;
	enum status status = parse_name(parser, at, word->after, &option->word);
	if (status != ST_OK)
		return status;
	if (row && row->kind == ARG_WORD) {
		struct slice_of_text value = slice_between(at, word->after);
		return row->words && option->word->constant && !is_listed(row->words, value)
		        ? none_of(statement->row->name, option->written, value, row->words)
		        : ST_OK;
	}
	if (row && (row->kind == ARG_FILE || row->kind == ARG_TEXT))
		return ST_OK;
	status = parse_formula(parser, at, word->after, &option->formula);
	if (status == ST_OK || row)
		return status;
	option->formula = NULL; /* a word: machine=dgx-h100 */
	return ST_OK;
}

/* Returns the argument row that a kernel's word has by its form; -1: none, or it may be a tensor
 * or a number. */
static int kernel_argument(
        const struct kernel *kernel, const struct argument_row *rows, const struct word *word)
{
	if (*word->at == '[' && rows[KERNEL_SHAPE].kind == ARG_SHAPE)
		return KERNEL_SHAPE;
	if (kernel_is_source(kernel) &&
	        (*word->at == '$' || is_listed(rows[KERNEL_DTYPE].words, slice_of(word))))
		return KERNEL_DTYPE;
	if (word->tensor != (kernel->positional > 0))
		return word->tensor ? KERNEL_TENSORS : KERNEL_NUMBERS;
	return -1;
}

static enum status bind_kernel(struct parser *parser, struct statement *statement)
{
	const struct kernel *kernel = statement->row->kernel;
	const struct argument_row *rows = statement->row->argument;
	enum status status = ST_OK;
	for (size_t i = 0; i < parser->word_count && status == ST_OK; i++) {
		const struct word *word = &parser->words[i];
		struct argument *argument = &statement->argument[statement->arguments++];
		if (is_operator(word))
			return lonely_operator(parser, i);
		if (kernel->option[0].kind == KO_DTYPE && is_listed("f32 f16 bf16 i32", slice_of(word)))
			return fail(ST_ARGUMENT, "%s: write %s=%.*s", kernel->name, kernel->option[0].name,
			        WORD(word));
		int row = kernel_argument(kernel, rows, word);
		if (row >= 0) {
			status = bind_word(parser, argument, row, rows, word);
		} else if (!word->tensor) {
			status = word_surplus(parser, statement, i);
		} else {
			argument->written = slice_of(word);
			argument->kind = ARG_PRINTABLE;
			status = bind_printable(parser, argument, word);
			statement->mixed = true;
		}
	}
	return status;
}

static enum status bind_rows(struct parser *parser, struct statement *statement)
{
	const struct argument_row *rows = statement->row->argument;
	const struct word *words = parser->words;
	size_t i = 0, count = parser->word_count;
	for (int row = 0; row < ARGUMENT_ROWS_MAX && rows[row].kind != ARG_END; row++) {
		if (rows[row].kind == ARG_KEYS || rows[row].kind == ARG_BLOCK)
			continue;
		size_t before = i;
		bool many = rows[row].flags & ARG_MANY;
		bool next = row + 1 < ARGUMENT_ROWS_MAX && rows[row + 1].kind == ARG_WORD;
		const char *end = next ? rows[row + 1].words : NULL;
		while (i < count && argument_fits(&rows[row], &words[i]) &&
		        (i == before || (many && !is_listed(end, slice_of(&words[i]))))) {
			enum status status = bind_word(
			        parser, &statement->argument[statement->arguments++], row, rows, &words[i]);
			if (status != ST_OK)
				return status;
			i++;
		}
		if (i == before && !(rows[row].flags & ARG_OPTIONAL))
			return word_wrong(parser, statement, &rows[row], i);
	}
	return i < count ? word_surplus(parser, statement, i) : ST_OK;
}

static enum status check_clauses(const struct statement *statement)
{
	const struct command *row = statement->row;
	if (statement->clauses.stream && !row->stream_ok)
		return fail(ST_ARGUMENT, "%s does not run on a stream: leave `on %.*s` out", row->name,
		        WHOLE(statement->clauses.stream->written));
	if (statement->clauses.group && !row->group_ok)
		return fail(ST_ARGUMENT, "%s does not use a group: leave `in %.*s` out", row->name,
		        WHOLE(statement->clauses.group->written));
	return ST_OK;
}

enum status bind_command(struct parser *parser, struct statement *statement)
{
	enum status status = parse_clauses(parser, statement, 0);
	size_t count = parser->word_count, kept = 0;
	const char *divided = statement->row->divided;
	int part = 0;

	size_t options = 0;
	for (size_t i = 0; i < count; i++)
		options += parser->words[i].sign != NULL;
	statement->argument = tree_alloc(parser->tree, (count - options) * sizeof *statement->argument);
	statement->option = options ? tree_alloc(parser->tree, options * sizeof *statement->option) : NULL;
	for (size_t i = 0; i < count && status == ST_OK; i++) {
		struct word *word = &parser->words[i];
		if (divided && word->after - word->at == 1 && strchr(divided, *word->at)) {
			int most = divided[1] ? PARTS_ALL : PARTS_MAX;
			if (i + 1 == count)
				return fail(
				        ST_ARGUMENT, "a part of the line is missing after the %c", *word->at);
			if (++part == most)
				return fail(ST_LIMIT, "a line has at most %d parts with %c between", most,
				        *divided);
			continue;
		}
		word->part = part;
		status = divided ? plus_apart(word) : ST_OK;
		if (status != ST_OK)
			return status;
		if (!word->sign) {
			parser->words[kept++] = *word;
			continue;
		}
		status = bind_option(parser, statement, word);
		if (status == ST_OK && !divided && i + 1 < count && is_operator(word + 1))
			status = lonely_operator(parser, i + 1);
	}
	if (status == ST_OK)
		status = check_clauses(statement);
	if (status != ST_OK)
		return status;
	parser->word_count = kept;
	status = statement->row->kernel ? bind_kernel(parser, statement) : bind_rows(parser, statement);
	const struct argument_row *keys = argument_row(statement->row, ARG_KEYS);
	return status == ST_OK && keys && !(keys->flags & ARG_OPTIONAL) && !statement->options
	        ? word_missing(statement, keys)
	        : status;
}

static enum status bind_value(struct parser *parser, struct argument *argument, const struct word *word)
{
	argument->kind = ARG_PRINTABLE;
	argument->written = slice_of(word);
	if (!word->tensor || word_is(word, "rank") || word_is(word, "world"))
		return parse_formula(parser, word->at, word->after, &argument->formula);
	return word->name ? parse_name(parser, word->at, word->after, &argument->name)
	                  : parse_tensor(parser, word->at, word->after, &argument->tensor);
}

enum status bind_call(struct parser *parser, struct statement *statement, size_t first)
{
	enum status status = parse_clauses(parser, statement, first);
	size_t count = parser->word_count;
	statement->argument = tree_alloc(parser->tree, count * sizeof *statement->argument);
	for (size_t i = first; i < count && status == ST_OK; i++)
		status = is_operator(&parser->words[i])
		        ? lonely_operator(parser, i)
		        : bind_value(parser, &statement->argument[statement->arguments++], &parser->words[i]);
	return status;
}

enum status bind_results(struct parser *parser, struct statement *statement, size_t count)
{
	statement->result = tree_alloc(parser->tree, count * sizeof *statement->result);
	for (size_t i = 0; i < count; i++) {
		const struct word *word = &parser->words[i];
		struct argument *result = &statement->result[statement->results++];
		result->kind = ARG_RESULT;
		result->written = slice_of(word);
		result->dropped = word_is(word, "_");
		if (result->dropped)
			continue;
		enum status status = check_reserved(slice_between(word->at, word->stop));
		if (status == ST_OK)
			status = parse_tensor(parser, word->at, word->after, &result->tensor);
		if (status != ST_OK)
			return status;
	}
	return ST_OK;
}
