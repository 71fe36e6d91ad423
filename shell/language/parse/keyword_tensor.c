/* keyword_tensor.c -- tensor NAME[SHAPE] ... [TYPE] [SPACE] [kind=WORD] [ = SOURCE ].
 *
 *     tensor x[64,64] w[64] bf16 pinned = randn seed=1      a source with its options
 *     tensor y[n*2,d] = 1/sqrt(d)                           an expression: the constant
 *     tensor d = load x.npy                                 a file, which may give the shape
 *     tensor x[4] $type = $init                             a variable says: read when it runs
 *
 * Names, types and spaces stand in any order before the `=`. A name without a shape is refused at the end
 * of the line, because the shape may stand as a word of its own behind it, and because most often it is a
 * type of another language (float32, cuda). */
#include "shell/language/parse/parse.h"
#include "kernels/kernel.h"
#include "world/world.h"
#include "base/text.h"

#include <string.h>

/* ---- the words before = ---- */

static bool space_flag(const char *at, const char *after, int *space)
{
	for (int i = 0; i < SPACE_COUNT; i++)
		if (text_is(at, after, space_name((enum space)i))) {
			*space = i;
			return true;
		}
	return false;
}

static bool dtype_flag(const char *at, const char *after, int *dtype)
{
	for (int i = 0; i < DT_COUNT; i++)
		if (text_is(at, after, dtype_name((enum dtype)i))) {
			*dtype = i;
			return true;
		}
	return false;
}

static enum status made_name(struct parser *parser, struct making *making, const char *at, const char *after)
{
	struct made *made = &making->made[making->names++];
	const char *bracket = find_outside(at, after, "[");
	const char *round = name_end(at, after);
	if (round > at && round < after && *round == '(' && after[-1] == ')')
		return fail(ST_SYNTAX, "tensor: a shape stands in square brackets: %.*s[%.*s]",
		        (int)(round - at), at, (int)(after - round - 2), round + 1);
	made->written = slice_between(at, after);
	enum status status = fresh_name(parser, "tensor", at, bracket ? bracket : after, &made->name);
	return status == ST_OK && bracket ? parse_shape(parser, bracket, after, &made->dim, &made->dims)
	                                  : status;
}

/* One word before the `=`: an option, a space, a type, a shape for the name before it, or the next name */
static enum status making_word(
        struct parser *parser, struct statement *statement, const char *at, const char *after)
{
	struct making *making = statement->making;
	const char *sign = option_sign(at, after);
	if (sign && text_is(at, sign, "kind"))
		return bind_purpose(
		        parser, statement, &(struct word){.at = at, .after = after, .sign = sign});
	if (space_flag(at, after, &making->space))
		return ST_OK;
	if (dtype_flag(at, after, &making->dtype)) {
		making->dtype_given = true;
		return ST_OK;
	}
	if (text_is(at, after, "managed"))
		return fail(ST_ARGUMENT, "managed memory is not modelled: host, pinned or device");
	if (making->names && *at == '[' && !making->made[making->names - 1].dims)
		return parse_shape(parser, at, after, &making->made[making->names - 1].dim,
		        &making->made[making->names - 1].dims);
	return made_name(parser, making, at, after);
}

/* ---- behind = ---- */

static enum status source_option(
        struct parser *parser, struct making *making, const char *at, const char *after)
{
	const struct kernel *kernel = making->source;
	const char *sign = option_sign(at, after);
	struct option *option = &making->option[making->options];
	if (!sign && parser->at < parser->end && *parser->at == '=')
		return fail(ST_SYNTAX, "KEY=VALUE has no blanks: write %.*s=...", UP_TO(40, at, after));
	if (!sign)
		return fail(ST_ARGUMENT, "%s: '%.*s' was not expected (write NAME[SHAPE] = %s %s=...)",
		        kernel->name, UP_TO(40, at, after), kernel->name,
		        kernel->option[0].name ? kernel->option[0].name : "KEY");
	for (int i = 0; i < KERNEL_OPTIONS_MAX && kernel->option[i].name; i++)
		if (text_is(at, sign, kernel->option[i].name)) {
			making->options++;
			option->written = slice_between(at, after);
			option->key = slice_between(at, sign);
			return parse_formula(parser, sign + 1, after, &option->formula);
		}
	return fail(ST_ARGUMENT, "%s has no option '%.*s'%s%s", kernel->name, UP_TO(40, at, sign),
	        kernel->option[0].name ? "; it has " : "",
	        kernel->option[0].name ? kernel->option[0].name : "");
}

/* KEY=VALUE words behind a source; there are as many as its kernel has options */
static enum status source_options(struct parser *parser, struct making *making)
{
	const char *at, *after;
	making->option = tree_alloc(parser->tree, KERNEL_OPTIONS_MAX * sizeof *making->option);
	for (;;) {
		enum status status = next_word(parser, &at, &after);
		if (status != ST_OK || at == after)
			return status;
		if (making->options == KERNEL_OPTIONS_MAX)
			return fail(ST_ARGUMENT, "%s has at most %d options", making->source->name,
			        KERNEL_OPTIONS_MAX);
		status = source_option(parser, making, at, after);
		if (status != ST_OK)
			return status;
	}
}

/* $name alone, which may be a type, a source or a number: what it is shows when the line runs */
static bool is_choice(const char *at, const char *after)
{
	return at < after && *at == '$' && name_end(at, after) == after;
}

/* Steps over the words up to the end of the line */
static enum status skip_words(struct parser *parser)
{
	const char *at, *after;
	enum status status;
	do
		status = next_word(parser, &at, &after);
	while (status == ST_OK && at < after);
	return status;
}

/* Behind `=`: a source with options, a file, or an expression. chosen: a variable says which */
static enum status making_source(
        struct parser *parser, struct making *making, struct word *chosen, size_t *choices)
{
	const char *at, *after, *start = parser->at;
	char word[32];
	enum status status = next_word(parser, &at, &after);
	if (status != ST_OK)
		return status;
	if (at == after)
		return fail(ST_SYNTAX,
		        "tensor: behind '=' comes zeros, ones, randn, uniform, iota, load FILE or an "
		        "expression");
	const char *next = parser->at;
	bool plain = is_choice(at, after) && at[1] != '(' && at_line_end(next, parser->end);
	if (plain || (is_choice(at, after) && option_sign(next, parser->end))) {
		chosen[(*choices)++] = (struct word){.at = at, .after = after};
		return skip_words(parser);
	}
	if (text_is(at, after, "load")) {
		status = next_word(parser, &at, &after);
		if (status == ST_OK && at == after)
			status = fail(ST_SYNTAX, "load wants a file: tensor x[64] = load x.npy");
		return status == ST_OK ? parse_name(parser, at, after, &making->file) : status;
	}
	const char *stop = name_end(at, after);
	size_t length = (size_t)(stop - at) < sizeof word - 1 ? (size_t)(stop - at) : 0;
	memcpy(word, at, length);
	word[length] = '\0';
	const struct kernel *kernel = kernel_find(word);
	bool source = kernel && kernel_is_source(kernel);
	making->source = source ? kernel : kernel_find("full");
	if (!making->source)
		return fail(ST_BUG, "there is no kernel 'full'");
	if (source && stop == after)
		return source_options(parser, making);
	if (source && *stop == '(' && after[-1] == ')')
		return fail(ST_SYNTAX, "write: = %s%s%.*s", word, after - stop > 2 ? " " : "",
		        (int)(after - stop - 2), stop + 1);
	parser->at = start;
	if (kernel && stop == after)
		return fail(ST_SYNTAX,
		        "%s is queued on a stream: NAME = %s ...; `tensor` takes zeros ones randn uniform "
		        "iota",
		        word, word);
	return rest_formula(parser, "tensor ... =", false, &making->value);
}

/* ---- the line ---- */

static int count_words(const struct parser *parser)
{
	int count = 1;
	for (const char *p = parser->at; p < parser->end && *p != '\n' && *p != ';'; p++)
		count += is_blank(*p);
	return count;
}

/* float32, cuda: flags that others spell so */
static enum status shapeless(struct slice_of_text name)
{
	static const struct {
		const char *word, *here;
	} flags[] = {{"float32", "f32"}, {"float", "f32"}, {"fp32", "f32"}, {"float16", "f16"},
	        {"half", "f16"}, {"fp16", "f16"}, {"bfloat16", "bf16"}, {"int32", "i32"}, {"int", "i32"},
	        {"cuda", "device"}, {"gpu", "device"}, {"cpu", "host"}, {"pin", "pinned"},
	        {"pin_memory", "pinned"}, {"double", "f32"}, {"float64", "f32"}, {"f64", "f32"},
	        {"int64", "i32"}};
	for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
		if (text_is(name.at, name.at + name.length, flags[i].word))
			return fail(ST_SYNTAX,
			        "tensor: '%s' is '%s' here (f32 bf16 f16 i32; host pinned device)",
			        flags[i].word, flags[i].here);
	int length = (int)name.length, count;
	const char *near = text_nearest("host pinned device f32 bf16 f16 i32", name.at, name.length, &count);
	if (near && length > 2)
		return fail(ST_SYNTAX,
		        "tensor %.*s wants a shape: tensor %.*s[64,64]; or did you mean '%.*s'?", length,
		        name.at, length, name.at, count, near);
	return fail(
	        ST_SYNTAX, "tensor %.*s wants a shape: tensor %.*s[64,64]", length, name.at, length, name.at);
}

/* What is wrong with the word [at, after) has to do with its '=': `tensor x[4]=1`, or an option without a
 * source */
static enum status glued_making(
        const struct parser *parser, const char *line, const char *at, const char *after, enum status status)
{
	const char *sign = find_outside(at, after, "="), *end = parser->at;
	if (status != ST_SYNTAX || !sign)
		return status;
	if (is_listed("seed scale", at, sign))
		return fail(ST_SYNTAX, "tensor: %.*s stands behind a source: = randn %.*s", (int)(after - at),
		        at, (int)(after - at), at);
	while (!at_line_end(end, parser->end))
		end++;
	enum status glued = glued_sign(line, end);
	return glued == ST_OK ? status : glued;
}

/* Behind the word `tensor`. Where a word is a variable alone its place in the line is kept, and the whole
 * line is read again with its text (choose_later). */
enum status parse_tensor_line(struct parser *parser, struct statement *statement)
{
	enum { CHOICES_MAX = 4 }; /* type, space, source; one to see that there are too many */
	struct word chosen[CHOICES_MAX];
	size_t choices = 0;
	const char *at, *after, *line = parser->at - strlen("tensor");
	struct making *making = tree_alloc(parser->tree, sizeof *making);
	statement->kind = STATEMENT_TENSOR;
	statement->making = making;
	making->space = SPACE_DEVICE;
	making->made = tree_alloc(parser->tree, (size_t)count_words(parser) * sizeof *making->made);
	for (;;) {
		enum status status = next_word(parser, &at, &after);
		if (status == ST_OK && text_is(at, after, "=")) {
			status = making_source(parser, making, chosen, &choices);
			at = after;
		} else if (status == ST_OK && making->names && is_choice(at, after) &&
		        choices < CHOICES_MAX - 1 && (parser->at >= parser->end || *parser->at != '[')) {
			chosen[choices++] = (struct word){.at = at, .after = after};
		} else if (status == ST_OK && at < after) {
			status = glued_making(
			        parser, line, at, after, making_word(parser, statement, at, after));
		}
		if (status != ST_OK)
			return status;
		if (at == after)
			break;
	}
	if (!making->names)
		return fail(ST_SYNTAX, "tensor wants a name and a shape: tensor x[64,64] = randn");
	for (int i = 0; i < making->names; i++)
		if (!making->made[i].dims && !making->file)
			return shapeless(making->made[i].written);
	return choices ? choose_later(parser, statement, line, chosen, choices) : ST_OK;
}
