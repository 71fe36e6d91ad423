/* help.c -- help [WORD]: the texts in the rows of commands, kernels and collectives
 *
 * Strategies and models are described by the heads of their files; words, figures and causes by
 * docs/help/glossary.txt. Tests run the examples. */
#include "base/embedded.h"
#include "collectives/algorithm.h"
#include "collectives/collective.h"
#include "kernels/kernel.h"
#include "shell/language/parse/glossary.h"
#include "shell/language/parse/lex.h"
#include "shell/language/run/answer.h"
#include "shell/language/run/command.h"
#include "shell/training/choose.h"

#include <string.h>

static const char screen[] =
        "  COMMAND ARGS [on STREAM] [in GROUP] [@RANKS]      y = matmul x w on compute\n"
        "  make     tensor x[64,64] pinned = randn   stream io   event e   group   mesh\n"
        "  compute  y = matmul x w   add relu ... (help kernels)   spin 2ms   host 2ms\n"
        "  move     copy h -> x on io   send x to=1   recv x from=0   allreduce g\n"
        "           ... (help collectives)\n"
        "  order    record e on s   wait e on s   wait io on compute   sync   query\n"
        "           barrier   together { }   capture G { }   launch G\n"
        "  read     print x[0:2,0:2] (the host waits)   peek x (nothing waits)\n"
        "  look     timeline  view  replay  split  stats  stalls  why y  critical  mem\n"
        "           traffic  roofline  races  stuck  tensors  streams  events  groups\n"
        "           whatif launch=2x   compare ddp / zero   diff A B   export F.json\n"
        "  steer    @2 slow 2x   set launch=20us   machine   abort   undo   mark   reset\n"
        "  learn    tour   lessons   hunt ddp   explain on   help WORD   help words\n"
        "  train    model gpt   data text F   strategy ddp   step   run 20   verify\n"
        "  write    let  if  for  repeat  def  expect  say  source      help grammar\n";

enum { WIDTH = 78 };

/* Appends words from column `from` on, up to which the caller has filled the line. */
static void help_put_wrapped(struct text *text, const char *words, int from)
{
	int column = from;
	for (const char *word = words; *word; word += strspn(word, " ")) {
		size_t length = strcspn(word, " ");
		int columns = (int)length + (column > from);
		if (column > from && column + columns > WIDTH) {
			text_add(text, "\n%*s", from, "");
			column = from;
			columns = length;
		}
		text_add(text, "%s%.*s", column > from ? " " : "", (int)length, word);
		column += columns;
		word += length;
	}
	text_put(text, "\n", 1);
}

static void help_short_usage(const char *usage, struct text *out)
{
	static const char *const common[] = {
	        " [in GROUP]", " [on STREAM]", " [algo=" ALGORITHM_CHOICE "]", " [unroll]"};
	while (*usage && *usage != ',') {
		size_t skip = 0;
		for (size_t i = 0; i < sizeof common / sizeof common[0] && !skip; i++)
			if (strncmp(usage, common[i], strlen(common[i])) == 0)
				skip = strlen(common[i]);
		if (!skip)
			text_put(out, usage, 1);
		usage += skip ? skip : 1;
	}
}

static void help_put_row(struct text *text, const char *usage, const char *help)
{
	enum { WIDE = 36 };
	struct text left = {0};
	help_short_usage(usage, &left);
	int used = text_columns(text_string(&left)), pad = WIDE - used;
	text_add(text, "  ");
	if (pad < 2) {
		help_put_wrapped(text, text_string(&left), 2);
		text_add(text, "%*s", WIDE + 2, "");
	} else {
		text_add(text, "%s%*s", text_string(&left), pad, "");
	}
	help_put_wrapped(text, help, WIDE + 2);
	text_release(&left);
}

static bool has_algorithm(const struct collective *collective)
{
	return !collective->direct && !collective->bare;
}

/* Appends "allreduce, broadcast, reduce": the collectives for which `holds` returns true. */
static void help_put_collectives(struct text *words, const char *before,
        bool (*holds)(const struct collective *collective), const char *behind)
{
	const char *between = before;
	for (int i = 0; collective_at(i); i++)
		if (holds(collective_at(i))) {
			text_add(words, "%s%s", *between ? between : " ", collective_at(i)->name);
			between = ", ";
		}
	text_add(words, "%s", behind);
}

static void help_collectives(struct text *text)
{
	struct text words = {0};
	text_add(&words,
	        "Every rank in the group must call a collective; it starts when the last rank reaches it. "
	        "Each takes [in GROUP] [on STREAM];");
	help_put_collectives(&words, "", has_algorithm, " take [algo=" ALGORITHM_CHOICE "]");
	help_put_collectives(&words, "; ", collective_unrolls,
	        " take the word unroll, which makes each step an operation.");
	text_wrapped(text, text_string(&words), 2, WIDTH);
	text_release(&words);
	for (int i = 0; collective_at(i); i++)
		if (!collective_at(i)->bare)
			help_put_row(text, collective_at(i)->usage, collective_at(i)->help);
	static const char *const also[] = {"send", "recv", "sendrecv", "together", "barrier"};
	for (size_t i = 0; i < sizeof also / sizeof also[0]; i++) {
		const struct command *command = command_find(also[i]);
		if (command && command->topic)
			help_put_row(text, command_usage(command), command->help);
	}
}

static void help_put_labelled(struct text *text, const char *label, const char *words)
{
	enum { FROM = 13 };
	if (!words || !*words)
		return;
	text_add(text, "  %-10s ", label);
	help_put_wrapped(text, words, FROM);
}

static void help_put_options(struct text *text, const struct command *command)
{
	struct text words = {0};
	for (int i = 0; i < OPTION_ROWS_MAX && command->option[i].name; i++) {
		const struct option_row *option = &command->option[i];
		text_clear(&words);
		text_add(&words, "%s=", option->name);
		for (const char *word = option->words ? option->words : ""; *word; word++)
			text_add(&words, "%c", *word == ' ' ? '|' : *word);
		text_add(&words, "%s %s", option->words ? ";" : "", option->about ? option->about : "");
		help_put_labelled(text, i ? "" : "options", text_string(&words));
	}
	text_release(&words);
}

static void help_command(struct text *text, const struct command *command)
{
	help_put_labelled(text, command->name, command_usage(command));
	help_put_labelled(text, "", command->help);
	help_put_options(text, command);
	const char *example = command->example ? command->example : "";
	FOR_LINES (line, example, strlen(example))
		text_add(text, "  %-10s %.*s\n", line.at == example ? "example" : "", (int)line.length,
		        line.at);
	help_put_labelled(text, "PyTorch", command->torch);
	help_put_labelled(text, "CUDA, NCCL", command->cuda);
}

/* Appends the rows of a topic ("make", "look"); false if no command has it. */
static bool help_topic(struct text *text, const char *topic)
{
	bool any = false;
	for (int i = 0; commands_at(i); i++) {
		const struct command *command = commands_at(i);
		if (!command->topic || strcmp(command->topic, topic) != 0)
			continue;
		help_put_row(text, command_usage(command), command->help);
		any = true;
	}
	return any;
}

static bool help_keyword(struct text *text, const char *word)
{
	static const char *const rows[][3] = {
	        {"tensor",
	                "tensor NAME[SHAPE] ... [host|pinned|device|disk] [f32|bf16|f16|i32] [= "
	                "randn|zeros|ones|uniform|iota|EXPR|load F.npy|F.txt] [seed= scale=]",
	                "makes tensors on every rank. This takes memory but no time, and every later line "
	                "sees "
	                "the data. A file not named .npy is read as text: i32, one number for each "
	                "character"},
	        {"let", "let NAME = EXPR", "sets a variable; each rank has its own value"},
	        {"if", "if EXPR { LINES } else { LINES }",
	                "runs the first block on the ranks for which EXPR is true, the second on the others"},
	        {"for", "for NAME in 0:8 { LINES }   or   for NAME in w1 w2 { LINES }",
	                "runs the lines for each number (the end is left out) or word"},
	        {"repeat", "repeat N { LINES }", "runs the lines N times"},
	        {"def", "def NAME PARAMETERS { LINES }", "makes a command of your own"},
	        {"expect", "expect EXPR   or   expect error \"WORDS\" { LINES }   or   expect verify",
	                "checks on every rank that EXPR is true. error: checks that one of the lines is "
	                "refused, or a "
	                "timeout is reported in them, and that the message contains WORDS (without WORDS: "
	                "any message). "
	                "verify: checks that the ranks have the numbers of training on one rank. In a script "
	                "a failed expect "
	                "makes the exit status 1"}};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
		if (strcmp(word, rows[i][0]) == 0) {
			help_put_labelled(text, word, rows[i][1]);
			help_put_labelled(text, "", rows[i][2]);
			return true;
		}
	return false;
}

/* "  peer       sentences" or "  peer       cause: sentences". lines: also what to try */
static void help_put_entry(struct text *text, const struct glossary_entry *entry, bool lines)
{
	static const char *const kinds[] = {
	        [ENTRY_WORD] = "", [ENTRY_FIGURE] = "`stats`: ", [ENTRY_CAUSE] = "`stalls`, cause: "};
	enum { FROM = 13 };
	struct text words = {0};
	int used = (int)entry_name(entry).length;
	text_add(text, "  %.*s%*s", WHOLE(entry_name(entry)), used > FROM - 3 ? 0 : FROM - 2 - used, "");
	text_add(&words, "%s", lines ? kinds[entry->kind] : "");
	FOR_LINES (line, entry->text.at, entry->text.length)
		text_add(&words, "%s%.*s", line.at > entry->text.at ? " " : "", (int)line.length, line.at);
	if (used > FROM - 3)
		text_add(text, "\n%*s", FROM, "");
	help_put_wrapped(text, text_string(&words), FROM);
	text_release(&words);
	FOR_LINES (line, entry->lines.at, lines ? entry->lines.length : 0)
		text_add(text, "  %-10s %.*s\n", line.at == entry->lines.at ? "try" : "",
		        (int)line.length - 2, line.at + 2);
}

static bool help_glossary(struct text *text, const char *word)
{
	struct glossary_entry entry;
	bool any = false;
	for (const char *at = NULL; glossary_next(&at, &entry);)
		if (entry_is(&entry, word)) {
			help_put_entry(text, &entry, true);
			any = true;
		}
	return any;
}

static void help_entries(struct text *text, enum glossary_kind kind)
{
	struct glossary_entry entry;
	for (const char *at = NULL; glossary_next(&at, &entry);)
		if (entry.kind == kind)
			help_put_entry(text, &entry, false);
}

static bool help_is_choice(bool model, const char *word)
{
	const char *name;
	for (int i = 0; (name = choice_name(model, i)); i++)
		if (strcmp(name, word) == 0)
			return true;
	return false;
}

static enum status help_unknown(const char *word)
{
	int best = strlen(word) > 4 ? 3 : 2;
	const char *near = command_near(word);
	if (near)
		best = text_distance(word, near);
	const char *other = glossary_near(word, &best);
	near = other ? other : near;
	return near
	        ? fail(ST_NAME, "no command or word '%s'; did you mean '%s'?", word, near)
	        : fail(ST_NAME, "no command or word '%s'; `help` shows the commands, `help words` the words",
	                  word);
}

static bool help_list(struct text *text, const char *word)
{
	if (strcmp(word, "kernels") == 0) {
		text_add(text,
		        "  Kernels work on device memory, in the order of their stream. A result\n"
		        "  needs a name.\n");
		for (int i = 0; kernel_at(i); i++)
			help_put_row(text, kernel_at(i)->usage, kernel_at(i)->help);
	} else if (strcmp(word, "collectives") == 0) {
		help_collectives(text);
	} else if (strcmp(word, "grammar") == 0) {
		const struct embedded *file = embedded_find("docs/help/", "grammar", ".txt");
		text_put(text, file->bytes, file->count);
	} else if (strcmp(word, "figures") == 0) {
		help_entries(text, ENTRY_FIGURE);
	} else if (strcmp(word, "causes") == 0) {
		help_entries(text, ENTRY_CAUSE);
	} else if (strcmp(word, "words") == 0 || strcmp(word, "glossary") == 0) {
		struct glossary_entry entry;
		struct text names = {0};
		for (const char *at = NULL; glossary_next(&at, &entry);)
			if (entry.kind == ENTRY_WORD)
				text_add(
				        &names, "%s%.*s", names.count ? ", " : "", WHOLE(entry_name(&entry)));
		text_add(text, "  `help WORD` explains each, with lines to try:\n");
		text_wrapped(text, text_string(&names), 4, WIDTH);
		text_release(&names);
	} else if (strcmp(word, "all") == 0) {
		struct text names = {0};
		for (int i = 0; commands_at(i); i++)
			text_add(&names, "%s%s", i ? " " : "", commands_at(i)->name);
		text_wrapped(text, text_string(&names), 4, WIDTH);
		text_release(&names);
	} else {
		return false;
	}
	return true;
}

/* A command takes precedence over a topic of its name. choice: a strategy or model follows. */
static enum status help_word(struct text *text, const char *word, bool choice)
{
	const struct command *command = command_find(word), *beside;
	if (help_list(text, word))
		return ST_OK;
	bool any = command != NULL;
	if (command)
		help_command(text, command);
	if (command && (beside = command_beside_kernel(slice_of_string(word))))
		help_command(text, beside);
	if (command && strcmp(word, "stalls") == 0) {
		text_add(text, "  causes     of each stretch in which a stream does not work:\n");
		help_entries(text, ENTRY_CAUSE);
	}
	any = any || help_keyword(text, word) || help_topic(text, word);
	any = help_glossary(text, word) || any || choice;
	return any ? ST_OK : help_unknown(word);
}

static enum status help_run(struct call *call)
{
	struct text text = {0}, asked = {0};
	enum status status = ST_OK;
	for (int i = 0; i < call_count(call, 0) && status == ST_OK; i++) {
		const char *part = "";
		status = call_word(call, 0, i, COMMON, &part);
		text_add(&asked, "%s%s", i ? " " : "", part);
	}
	const char *word = text_string(&asked);
	bool model = help_is_choice(true, word),
	     choice = !command_find(word) && (model || help_is_choice(false, word));
	if (status == ST_OK && *word)
		status = help_word(&text, word, choice);
	else
		text_add(&text, "%s", screen);
	status = answer(call, &text, status);
	if (status == ST_OK && choice)
		status = choice_tell(call->shell, model, word, false);
	text_release(&asked);
	return status;
}

const struct command command_help = {
        .name = "help",
        .topic = "learn",
        .usage = "help [WORD]",
        .help = "shows the commands on one screen, or explains WORD: a command, a kernel, a strategy, a "
                "model, a topic (make, move, look ...), or a term such as straggler. The words kernels, "
                "collectives, figures, causes, words, grammar and all show lists",
        .example = "help copy\nhelp kernels\nhelp straggler",
        .class = COMMAND_LOOK,
        .argument = {{ARG_WORD, ARG_OPTIONAL | ARG_MANY, NULL, "WORD"}},
        .run = help_run,
};
