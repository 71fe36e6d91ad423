/* keyword_tensor.c -- parses tensor NAME[SHAPE] ... [TYPE] [SPACE] [kind=WORD] [ = SOURCE ].
 *
 *     tensor x[64,64] w[64] bf16 pinned = randn seed=1      a source with its options
 *     tensor y[n*2,d] = 1/sqrt(d)                           an expression: the constant
 *     tensor d = load x.npy                                 a file, which may give the shape
 *     tensor x[4] $type = $init                             by variables: parsed when it runs
 *
 * Names, types and spaces may be in any order before the `=`. A shape may follow its name as a
 * separate word, so a missing shape is reported at the line's end. */
#include "shell/language/parse/parse.h"
#include "kernels/kernel.h"
#include "world/world.h"

static enum status making_repeats(const char *one, const char *other, const char *what)
{
	return fail(ST_ARGUMENT, "tensor: '%s' and '%s': a tensor has one %s", one, other, what);
}

/* Sets *is if the word is a space or a type. */
static enum status making_flag(const struct word *word, struct making *making, bool *is)
{
#define X(symbol, name) name " "
	static const char spaces[] = SPACES(X);
#undef X
#define X(symbol, name, bytes) name " "
	static const char types[] = DTYPES(X);
#undef X
	int space = text_place(spaces, word->at, word->after - word->at);
	int dtype = text_place(types, word->at, word->after - word->at);
	*is = space >= 0 || dtype >= 0;
	if (space >= 0 && making->space_given)
		return making_repeats(space_name(making->space), space_name(space), "space");
	if (dtype >= 0 && making->dtype_given)
		return making_repeats(dtype_name(making->dtype), dtype_name(dtype), "type");
	making->space = space >= 0 ? space : making->space;
	making->dtype = dtype >= 0 ? dtype : making->dtype;
	making->space_given |= space >= 0;
	making->dtype_given |= dtype >= 0;
	return ST_OK;
}

static enum status made_name(struct parser *parser, struct making *making, const struct word *word)
{
	const char *at = word->at, *after = word->after, *stop = word->stop;
	struct made *made = &making->made[making->names++];
	const char *bracket = find_outside(at, after, "[");
	if (stop > at && stop < after && *stop == '(' && after[-1] == ')')
		return fail(ST_SYNTAX, "tensor: a shape goes in square brackets: %.*s[%.*s]",
		        (int)(stop - at), at, (int)(after - stop - 2), stop + 1);
	made->written = slice_of(word);
	enum status status = fresh_name(parser, "tensor", at, bracket ? bracket : after, &made->name);
	return status == ST_OK && bracket ? parse_shape(parser, bracket, after, &made->dim, &made->dims)
	                                  : status;
}

static enum status making_word(struct parser *parser, struct statement *statement, const struct word *word)
{
	struct making *making = statement->making;
	struct made *last = making->names ? &making->made[making->names - 1] : NULL;
	if (word->sign && text_is(word->at, word->sign, "kind"))
		return bind_purpose(parser, statement, word);
	bool flag;
	enum status status = making_flag(word, making, &flag);
	if (flag)
		return status;
	if (word_is(word, "managed"))
		return fail(ST_ARGUMENT, "managed memory is not modelled: host, pinned or device");
	if (last && *word->at == '[' && !last->dims)
		return parse_shape(parser, word->at, word->after, &last->dim, &last->dims);
	return made_name(parser, making, word);
}

static enum status source_options(struct parser *parser, struct making *making, size_t first)
{
	const struct kernel *kernel = making->source;
	const char *has = kernel->option[0].name;
	making->option = tree_alloc(parser->tree, KERNEL_OPTIONS_MAX * sizeof *making->option);
	for (size_t i = first; i < parser->word_count; i++) {
		const struct word *word = &parser->words[i];
		struct key_value *option = &making->option[making->options];
		int k = 0;
		if (making->options == KERNEL_OPTIONS_MAX)
			return fail(
			        ST_ARGUMENT, "%s has at most %d options", kernel->name, KERNEL_OPTIONS_MAX);
		if (!word->sign && i + 1 < parser->word_count && *word[1].at == '=')
			return fail(ST_SYNTAX, "KEY=VALUE has no blanks: write %.*s=...",
			        UP_TO(40, word->at, word->after));
		if (!word->sign)
			return fail(ST_ARGUMENT,
			        "%s: '%.*s' was not expected (write NAME[SHAPE] = %s %s=...)", kernel->name,
			        UP_TO(40, word->at, word->after), kernel->name, has ? has : "KEY");
		while (k < KERNEL_OPTIONS_MAX && kernel->option[k].name &&
		        !text_is(word->at, word->sign, kernel->option[k].name))
			k++;
		if (k == KERNEL_OPTIONS_MAX || !kernel->option[k].name)
			return fail(ST_ARGUMENT, "%s has no option '%.*s'%s%s", kernel->name,
			        UP_TO(40, word->at, word->sign), has ? "; it has " : "", has ? has : "");
		making->options++;
		option->written = slice_of(word);
		option->key = slice_between(word->at, word->sign);
		enum status status = parse_formula(parser, word->sign + 1, word->after, &option->formula);
		if (status != ST_OK)
			return status;
	}
	return ST_OK;
}

static enum status making_source(struct parser *parser, struct making *making, size_t first)
{
	const struct word *word = &parser->words[first];
	char name[WORD_SHOWN];
	if (first == parser->word_count)
		return fail(ST_SYNTAX,
		        "tensor: after '=' comes zeros, ones, randn, uniform, iota, load FILE or an "
		        "expression");
	if (word_is(word, "load")) {
		if (first + 1 == parser->word_count)
			return fail(ST_SYNTAX, "load needs a file: tensor x[64] = load x.npy");
		if (first + 2 < parser->word_count)
			parser->at = word[2].at; /* a word too many */
		return parse_name(parser, word[1].at, word[1].after, &making->file);
	}
	word_text(slice_between(word->at, word->stop), name);
	const struct kernel *kernel = kernel_find(name);
	bool source = kernel && kernel_is_source(kernel);
	making->source = source ? kernel : kernel_find("full");
	if (source && word->name)
		return source_options(parser, making, first + 1);
	if (source && *word->stop == '(' && word->after[-1] == ')')
		return fail(ST_SYNTAX, "write: = %s%s%.*s", name, word->after - word->stop > 2 ? " " : "",
		        (int)(word->after - word->stop - 2), word->stop + 1);
	if (kernel && word->name)
		return fail(ST_SYNTAX,
		        "%s is queued on a stream: NAME = %s ...; `tensor` takes zeros ones randn uniform "
		        "iota",
		        name, name);
	parser->rest = word->at;
	return rest_formula(parser, "tensor ... =", &making->value);
}

static enum status making_shapeless(struct slice_of_text name)
{
	static const struct {
		const char *words, *here;
	} flags[] = {{"float32 float fp32 double float64 f64", "f32"}, {"float16 half fp16", "f16"},
	        {"bfloat16", "bf16"}, {"int32 int int64", "i32"}, {"cuda gpu", "device"}, {"cpu", "host"},
	        {"pin pin_memory", "pinned"}};
	for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
		if (is_listed(flags[i].words, name))
			return fail(ST_SYNTAX,
			        "tensor: '%.*s' is '%s' here (f32 bf16 f16 i32; host pinned device)",
			        WHOLE(name), flags[i].here);
	int length = (int)name.length, count;
	const char *near = text_nearest("host pinned device f32 bf16 f16 i32", name.at, name.length, &count);
	if (near && length > 2)
		return fail(ST_SYNTAX,
		        "tensor %.*s needs a shape: tensor %.*s[64,64]; or did you mean '%.*s'?", length,
		        name.at, length, name.at, count, near);
	return fail(
	        ST_SYNTAX, "tensor %.*s needs a shape: tensor %.*s[64,64]", length, name.at, length, name.at);
}

/* Words the failure of a word with '=': `tensor x[4]=1`, or an option without a source. */
static enum status glued_making(
        const struct parser *parser, const char *line, const struct word *word, enum status status)
{
	const char *sign = find_outside(word->at, word->after, "=");
	if (status != ST_SYNTAX || !sign)
		return status;
	if (is_listed("seed scale", slice_between(word->at, sign)))
		return fail(ST_SYNTAX, "tensor: %.*s follows a source: = randn %.*s", WORD(word), WORD(word));
	enum status glued = spacing_sign(line, parser->rest_end);
	return glued == ST_OK ? status : glued;
}

enum status parse_tensor_line(struct parser *parser, struct statement *statement)
{
	enum { CHOICES_MAX = 4 };
	struct word chosen[CHOICES_MAX];
	size_t choices = 0, count = parser->word_count;
	const char *line = parser->rest - strlen("tensor");
	struct making *making = tree_alloc(parser->tree, sizeof *making);
	statement->making = making;
	making->space = SPACE_DEVICE;
	making->made = tree_alloc(parser->tree, (count + 1) * sizeof *making->made);
	for (size_t i = 0; i < count; i++) {
		const struct word *word = &parser->words[i];
		enum status status = ST_OK;
		bool source = word_is(word, "=");
		/* = $init, = $init seed=1: the variable may be a source or a number */
		bool later = source && i + 1 < count && is_choice(&word[1]) &&
		        (i + 2 == count ? word[1].at[1] != '(' : word[2].sign != NULL);
		if (later)
			chosen[choices++] = word[1];
		else if (source)
			status = making_source(parser, making, i + 1);
		else if (making->names && is_choice(word) && choices < CHOICES_MAX - 1 &&
		        !(i + 1 < count && *word[1].at == '['))
			chosen[choices++] = *word;
		else
			status = glued_making(parser, line, word, making_word(parser, statement, word));
		if (status != ST_OK)
			return status;
		if (source)
			break;
	}
	if (!making->names)
		return fail(ST_SYNTAX, "tensor needs a name and a shape: tensor x[64,64] = randn");
	for (int i = 0; i < making->names; i++)
		if (!making->made[i].dims && !making->file)
			return making_shapeless(making->made[i].written);
	return choices ? choose_later(parser, statement, line, chosen, choices) : ST_OK;
}
