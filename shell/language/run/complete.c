/* complete.c -- TAB: completes the word before the cursor, by the row of the line's command.
 *
 *     first word           commands, keywords, defs; tensors, for NAME = ...
 *     after `on`, `in`     streams, groups
 *     KEY=                 the words of that option; ranks after to=, from=, root=
 *     an expression        variables, tensors, functions and metrics
 *     after `=`            commands that give a result
 *     else                 words of the argument's kind, or of its name (SECTION, STREAM); KEY=
 *                          names; `on` and `in` if the command takes them
 *
 * The line may be incomplete, so it is not parsed: words end at blanks, and argument rows are only
 * estimated. */
#include "shell/language/parse/glossary.h"
#include "shell/language/parse/parse.h"
#include "shell/language/run/run.h"

#include <glob.h>

struct endings {
	const struct shell *shell;
	const char *prefix;
	/* head: bytes of the prefix before the name to complete: "time(" */
	size_t length, head;
	struct text *out;
};

/* Offers `word` after `before` if it extends the prefix; "hook=none" only after its '='. */
static void offer(struct endings *endings, const char *before, const char *word, size_t length)
{
	struct text whole = {0};
	text_add(&whole, "%.*s%s%.*s", (int)endings->head, endings->prefix, before, (int)length, word);
	const char *text = text_string(&whole), *sign = strchr(text, '=');
	bool value = sign && sign[1], asked = strchr(endings->prefix, '=') != NULL, offered = false;
	for (const char *p = text_string(endings->out); *p; p += strcspn(p, "\n") + 1)
		offered |= strncmp(p, text, whole.count) == 0 && p[whole.count] == '\n';
	if (*text && (!sign || value == asked) && strncmp(text, endings->prefix, endings->length) == 0 &&
	        !offered)
		text_add(endings->out, "%s\n", text);
	text_release(&whole);
}

static void offer_word(struct endings *endings, const char *word)
{
	offer(endings, "", word, strlen(word));
}

static void offer_list(struct endings *endings, const char *before, const char *words)
{
	for (size_t length; words && *words; words += length + strspn(words + length, " \n")) {
		length = strcspn(words, " \n");
		offer(endings, before, words, length);
	}
}

static bool thing_fits(enum argument_kind kind, enum thing_kind thing)
{
	static const unsigned kinds[] = {[ARG_TENSOR] = 1u << THING_TENSOR,
	        [ARG_RESULT] = 1u << THING_TENSOR,
	        [ARG_OP] = 1u << THING_TENSOR,
	        [ARG_REMOTE] = 1u << THING_TENSOR,
	        [ARG_STREAM] = 1u << THING_STREAM,
	        [ARG_EVENT] = 1u << THING_EVENT,
	        [ARG_WAITABLE] = 1u << THING_EVENT | 1u << THING_STREAM,
	        [ARG_GROUP] = 1u << THING_GROUP,
	        [ARG_PRINTABLE] = 1u << THING_TENSOR | 1u << THING_VARIABLE,
	        [ARG_EXPRESSION] = 1u << THING_VARIABLE,
	        [ARG_BLOCK] = 0};
	return kinds[kind] >> thing & 1;
}

static void offer_names(struct endings *endings, enum argument_kind kind)
{
	const struct world *world = endings->shell->world;
	for (name_id name = 1; name <= names_count(world->names); name++)
		for (int rank = 0; rank < world->n; rank++) {
			struct thing thing = world_find(world, rank, name);
			if (thing.kind == THING_NONE || !thing_fits(kind, thing.kind))
				continue;
			offer_word(endings, names_text(world->names, name));
			break;
		}
}

/* A bracket or a sign begins a new name. Functions are many, so they need a first letter. */
static void offer_values(struct endings *endings)
{
#define X(symbol, compute, name, least, kinds, nature) name " "
	static const char functions[] = FUNCTIONS(X);
#undef X
	for (size_t i = 0; i < endings->length; i++)
		if (strchr("([,:+-*/%<>=!", endings->prefix[i]))
			endings->head = i + 1;
	offer_names(endings, ARG_PRINTABLE);
	if (endings->length > endings->head)
		offer_list(endings, "", functions);
}

/* Offers the files that begin with the prefix, without hidden ones. scripts: only *.rsh and
 * folders */
static void offer_files(struct endings *endings, bool scripts)
{
	const char *slash = strrchr(endings->prefix, '/');
	struct text pattern = {0};
	glob_t found;
	text_add(&pattern, "%.*s*", slash ? (int)(slash - endings->prefix + 1) : 0, endings->prefix);
	if (glob(text_string(&pattern), GLOB_MARK, NULL, &found) == 0) {
		for (size_t i = 0; i < found.gl_pathc; i++)
			if (!scripts || strstr(found.gl_pathv[i], ".rsh") || strchr(found.gl_pathv[i], '/'))
				offer_word(endings, found.gl_pathv[i]);
		globfree(&found);
	}
	text_release(&pattern);
}

static const char *statement_start(const char *line, int cursor)
{
	const char *start = line;
	bool quoted = false;
	for (const char *p = line; p < line + cursor; p++) {
		quoted ^= *p == '"';
		if (!quoted && strchr(";{}\n", *p))
			start = p + 1;
	}
	return start + strspn(start, " \t");
}

enum { TYPED_MOST = 32 };
struct typed {
	struct slice_of_text word[TYPED_MOST];
	int count;
};

static void split_words(const char *at, const char *end, struct typed *typed)
{
	typed->count = 0;
	for (size_t length; at < end; at += length + strspn(at + length, " \t")) {
		length = strcspn(at, " \t");
		if (at + length >= end)
			return;
		if (typed->count < TYPED_MOST && *at != '@')
			typed->word[typed->count++] = (struct slice_of_text){at, (uint32_t)length};
	}
}

static void offer_commands(struct endings *endings, bool results)
{
	for (int i = 0; commands_at(i); i++)
		if (!results || commands_at(i)->results_ok)
			offer_word(endings, commands_at(i)->name);
}

static void offer_help(struct endings *endings)
{
	struct glossary_entry entry;
	offer_commands(endings, false);
	offer_list(endings, "",
	        "kernels collectives figures causes words grammar all tensor let if repeat for def expect");
	for (const char *at = NULL; endings->length && glossary_next(&at, &entry);)
		if (!memchr(entry_name(&entry).at, ' ', entry_name(&entry).length))
			offer(endings, "", entry_name(&entry).at, entry_name(&entry).length);
}

static void offer_first(struct endings *endings)
{
	const struct namespace *learner = &endings->shell->interpreter->learner;
	offer_commands(endings, false);
	offer_list(endings, "", "tensor let if repeat for def expect option refuse");
	for (size_t k = 0; k < learner->room; k++)
		if (learner->entry[k].definition)
			offer_word(endings, names_text(endings->shell->world->names, (name_id)k));
	if (endings->length)
		offer_names(endings, ARG_TENSOR); /* left of '=' */
}

static const struct argument_row *argument_at(const struct command *row, int words)
{
	const struct argument_row *last = NULL;
	for (int i = 0; i < ARGUMENT_ROWS_MAX && row->argument[i].kind != ARG_END; i++) {
		last = &row->argument[i];
		if (words-- <= 0 || last->flags & ARG_MANY)
			return last;
	}
	return last;
}

static void offer_follows(
        struct endings *endings, const struct command *row, const struct typed *typed, int first)
{
	struct text lines = {0};
	char name[WORD_SHOWN] = "";
	for (int i = first + 1; i < typed->count; i++) {
		struct slice_of_text word = typed->word[i];
		const char *sign = memchr(word.at, '=', word.length);
		if (row->divided && word.length == 1 && strchr(row->divided, *word.at))
			*name = '\0';
		else if (!*name)
			word_text(sign ? slice_between(word.at, sign) : word, name);
	}
	const struct argument_row *argument = &row->argument[0];
	if (!*name && endings->length && argument->kind == ARG_FILE)
		offer_files(endings, !strstr(argument->name, "FILE"));
	row->follows(name, &lines);
	offer_list(endings, "", text_string(&lines));
	text_release(&lines);
}

static void offer_options(struct endings *endings, const struct command *row, bool values)
{
	enum { RANKS_MOST = 16 };
	char digits[12];
	for (int i = 0; i < OPTION_ROWS_MAX && row->option[i].name; i++) {
		const struct option_row *option = &row->option[i];
		struct text key = {0};
		text_add(&key, "%s=", option->name);
		if (!values)
			offer_word(endings, text_string(&key));
		else if (text_place("to from root", option->name, strlen(option->name)) >= 0)
			for (int rank = 0; rank < endings->shell->world->n && rank < RANKS_MOST; rank++)
				offer(endings, text_string(&key), digits,
				        (size_t)(number_digits(digits, rank) - digits));
		else
			offer_list(endings, text_string(&key), option->words);
		text_release(&key);
	}
}

static void offer_called(struct endings *endings, const char *called)
{
	static const struct {
		const char *word;
		enum argument_kind kind;
	} words[] = {{"STREAM", ARG_STREAM}, {"GROUP", ARG_GROUP}, {"EVENT", ARG_EVENT}, {"OP", ARG_OP}};
	const struct world *world = endings->shell->world;
	if (strstr(called, "SECTION"))
		for (size_t i = 1; i < world->section_count; i++)
			offer_word(endings, names_text(world->names, world->sections[i].name));
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (strstr(called, words[i].word))
			offer_names(endings, words[i].kind);
}

static void offer_argument(struct endings *endings, const struct command *row, int words)
{
	const struct argument_row *argument = argument_at(row, words);
	if (strchr(endings->prefix, '=')) {
		offer_options(endings, row, true);
		return;
	}
	enum argument_kind kind = argument ? argument->kind : ARG_END;
	bool file = kind == ARG_FILE, word = kind == ARG_WORD;
	if (file || word)
		offer_list(endings, "", argument->words);
	if ((word || file || kind == ARG_NEW) && argument->name && !argument->words)
		offer_called(endings, argument->name);
	/* words that may end a list, as `by` in `group pair by rank//2` */
	if (argument && argument->flags & ARG_MANY)
		for (const struct argument_row *at = argument + 1; at < row->argument + ARGUMENT_ROWS_MAX;
		        at++)
			offer_list(endings, "", at->kind == ARG_WORD ? at->words : NULL);
	if (file)
		offer_files(endings, false);
	else if (kind == ARG_EXPRESSION || kind == ARG_PRINTABLE)
		offer_values(endings);
	else if (!word)
		offer_names(endings, kind);
	if (row->kernel || row->collective)
		offer_names(endings, ARG_TENSOR);
	offer_options(endings, row, false);
	if (row->stream_ok && endings->length)
		offer_word(endings, "on");
	if (row->group_ok && endings->length)
		offer_word(endings, "in");
}

void interpreter_complete(struct shell *shell, const char *line, int cursor, struct text *out)
{
	struct typed typed;
	char prefix[256];
	if (cursor < 0 || cursor > (int)strlen(line))
		cursor = (int)strlen(line);
	const char *start = statement_start(line, cursor), *end = line + cursor, *word = end;
	if (start > end)
		start = end;
	while (word > start && !strchr(" \t", word[-1]))
		word--;
	if ((size_t)(end - word) >= sizeof prefix)
		return;
	memcpy(prefix, word, end - word);
	prefix[end - word] = '\0';
	struct endings endings = {.shell = shell, .prefix = prefix, .length = end - word, .out = out};
	split_words(start, end, &typed);
	int first = 0;
	/* an expression follows its `=` */
	bool let = typed.count && slice_is(typed.word[0], "let");
	for (int i = 0; i < typed.count && !let; i++)
		if (slice_is(typed.word[i], "=") || slice_is(typed.word[i], "+="))
			first = i + 1;
	const struct command *row = first < typed.count ? command_called(typed.word[first]) : NULL;
	for (int i = first + 1; row && row->kernel && i < typed.count; i++)
		if (slice_is(typed.word[i], "->")) /* `add g -> w@0` is not the kernel */
			row = command_beside_kernel(typed.word[first]);
	struct slice_of_text last = typed.count ? typed.word[typed.count - 1] : slice_of_string("");
	if (slice_is(last, "on"))
		offer_names(&endings, ARG_STREAM);
	else if (slice_is(last, "in"))
		offer_names(&endings, ARG_GROUP);
	else if (first >= typed.count && first) {
		offer_commands(&endings, true);
		if (endings.length)
			offer_names(&endings, ARG_TENSOR);
	} else if (first >= typed.count)
		offer_first(&endings);
	else if (slice_is(typed.word[first], "help"))
		offer_help(&endings);
	else if (row && row->follows)
		offer_follows(&endings, row, &typed, first);
	else if (row)
		offer_argument(&endings, row, typed.count - first - 1);
	else if (slice_is(typed.word[first], "tensor"))
		offer_list(&endings, "",
		        "host pinned device f32 bf16 f16 i32 zeros ones randn uniform iota load seed= "
		        "scale=");
	else {
		if (endings.length && typed.count == first + 1 && slice_is(last, "expect"))
			offer_list(&endings, "", "error verify");
		offer_values(&endings);
	}
}
