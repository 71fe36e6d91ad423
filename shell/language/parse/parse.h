/* parse.h -- declarations that the parser's files share. An umbrella header.
 *
 *     tree.c                whole texts              bind.c         words to a command's row
 *     parse.c               statements, blocks       word.c         names, tensors, shapes
 *     clause.c              words; @ on in           formula.c      expressions
 *     parse_line.c          commands, NAME = ...     mistakes.c hints.c meant.c
 *     keyword.c             let if for ...                          messages
 *     keyword_tensor.c      tensor
 *
 * A function that returns a status returns ST_OK, ST_INCOMPLETE (the text ends too early: another
 * line may complete it), or another failure, whose message it has set (fail()). The tree owns all
 * nodes, also after a failure; slices point into its text. A function with [at, after) parses all
 * of it; a function with the parser alone parses from parser->at on. */
#ifndef RANKSH_PARSE_H
#define RANKSH_PARSE_H

#include "shell/language/parse/lex.h"
#include "shell/language/parse/tree.h"

enum { KNOWN_NAMES = 256 };

struct word {
	const char *at, *after;
	const char *stop; /* end of the name that the word begins with; `at` if none */
	const char *sign; /* the = of KEY=VALUE, or NULL */
	bool name;        /* the word is a name: x, h$i */
	bool tensor;      /* it is NAME, NAME.T or NAME[..] */
	int part;         /* index of its part in a line divided by ` + ` */
};
#define WORD(word) (int)((word)->after - (word)->at), (word)->at

/* The state of one parse. All but tree, at, end, counted and line begin as 0. */
struct parser {
	struct tree *tree;
	const char *at, *end;
	const char *counted;
	int line;              /* the line that contains `counted` */
	int depth;             /* open braces and brackets */
	bool one_line;         /* stop after the text's first line */
	struct statement *def; /* the def around this line; NULL if none */
	bool lenient;          /* inside `expect error { }`: mistakes become STATEMENT_BROKEN */
	/* nested expressions: the reads of an inner one are listed with the outermost */
	int formula_depth;
	struct formula **reads;
	size_t read_count;
	struct word *words;
	size_t word_count;
	const char *rest, *rest_end; /* the text of `words`; it may begin with blanks */
	struct name *known[KNOWN_NAMES];
};

static inline struct slice_of_text slice_between(const char *at, const char *after)
{
	return (struct slice_of_text){at, (uint32_t)(after - at)};
}

static inline struct slice_of_text slice_of(const struct word *word)
{
	return slice_between(word->at, word->after);
}

/* $kind, $(work(k)): the word is known only when the line runs. */
static inline bool is_choice(const struct word *word)
{
	return *word->at == '$' && word->name;
}

static inline bool word_is(const struct word *word, const char *what)
{
	return text_is(word->at, word->after, what);
}

/* Returns the line number of `at`. Requires calls in the order of the text. */
int parser_line(struct parser *parser, const char *at);
enum status parse_statements(struct parser *parser, struct block *block, bool braces);
enum status parse_block(struct parser *parser, struct block **block); /* at the `{` */
void statement_source(struct parser *parser, struct statement *statement, const char *at, const char *after);

enum status parse_words(struct parser *parser);       /* the line's words, into parser->words */
void words_drop(struct parser *parser, size_t count); /* removes the first `count` */
enum status leading_clauses(struct parser *parser, struct clauses *clauses);
/* Moves the clauses among words[first ..] to statement->clauses. */
enum status parse_clauses(struct parser *parser, struct statement *statement, size_t first);

/* Makes the statement a STATEMENT_CHOSEN: the text from `line` on is parsed when it runs.
 * chosen[count]: the words with `$` that name its command, def, kernel or type. */
enum status choose_later(struct parser *parser, struct statement *statement, const char *line,
        const struct word *chosen, size_t count);
enum status parse_line(struct parser *parser, struct statement *statement);

enum status parse_keyword(struct parser *parser, struct statement *statement, bool *known);
/* Parses the remaining line as an expression. what: for messages, "let NAME =" */
enum status rest_formula(struct parser *parser, const char *what, struct formula **formula);
enum status fresh_name(struct parser *parser, const char *what, const char *at, const char *after,
        struct name **name); /* not reserved */

enum status parse_tensor_line(struct parser *parser, struct statement *statement);

/* formula.c: parses all of [at, after). */
enum status parse_formula(struct parser *parser, const char *at, const char *after, struct formula **formula);
/* An expression, [begin, end), parsed up to `at` */
struct formula_reader {
	struct parser *parser;
	const char *at, *end, *begin;
};
void reader_skip(struct formula_reader *reader);
enum status reader_fails(const struct formula_reader *reader, const char *what); /* ST_SYNTAX */
struct formula *formula_node(struct formula_reader *reader, enum formula_kind kind, const char *from);
/* Updates formula's depth, reads_data and moment for an operand `part` (may be NULL), or for the
 * expressions in formula->name. */
void formula_holds(struct formula *formula, const struct formula *part);
void formula_holds_name(struct formula *formula);
enum status formula_finish(struct formula_reader *reader, struct formula *formula, struct formula **made);
/* formula_value.c: each requires reader->at at its first character. */
enum status read_number(struct formula_reader *reader, struct formula **made);
enum status read_text(struct formula_reader *reader, struct formula **made);
enum status read_name(struct formula_reader *reader, struct formula **made);

/* word.c: these parse all of [at, after). */
enum status parse_name(struct parser *parser, const char *at, const char *after, struct name **name);
enum status parse_tensor(
        struct parser *parser, const char *at, const char *after, struct tensor_ref **tensor);
enum status parse_shape(
        struct parser *parser, const char *at, const char *after, struct formula ***dim, int *dims);
/* Returns the name's end at `at` ("h$i", "d$(p)"); `at` if there is none. */
const char *name_end(const char *at, const char *end);
/* Returns true if the text after a name makes it NAME.T or NAME[..], with any content. */
bool is_slice(const char *at, const char *after);
/* Returns the first of `marks` at depth 0, outside quotes and brackets; NULL if none. */
const char *find_outside(const char *at, const char *after, const char *marks);

/* clause.c: [at, after) is the text after the @. */
enum status parse_ranks(struct parser *parser, const char *at, const char *after, struct ranks_ref **made);

const struct argument_row *argument_row(const struct command *row, enum argument_kind kind);
const struct option_row *option_row(const struct command *row, const char *at, const char *sign);
/* Binds kind=WORD of a line that makes tensors. Requires word->sign. */
enum status bind_purpose(struct parser *parser, struct statement *statement, const struct word *word);
enum status bind_command(
        struct parser *parser, struct statement *statement); /* the words, by statement->row */
enum status bind_call(struct parser *parser, struct statement *statement, size_t first);
enum status bind_results(struct parser *parser, struct statement *statement, size_t count);

bool is_operator(const struct word *word);
enum status lonely_operator(const struct parser *parser, size_t i);
/* Refuses a + that divides a line but is not a word of its own: `+tp=2`, `ddp=2+`, `ddp=2+tp=2`,
 * `ddp+tp`. Accepts a + in a value (k=1+2) or a file's name. */
enum status plus_apart(const struct word *word);
enum status word_surplus(const struct parser *parser, const struct statement *statement, size_t i);
enum status word_missing(const struct statement *statement, const struct argument_row *row);
enum status word_wrong(const struct parser *parser, const struct statement *statement,
        const struct argument_row *row, size_t i);
/* Fails because `list` has no option KEY=. usage: shown if the list is empty; may be NULL */
enum status option_unknown(const char *who, struct slice_of_text key, const char *list, const char *usage);
enum status no_option(const struct command *row, const char *at, const char *sign);
/* Fails because `value` is none of `words`. written: the whole word: the value, or KEY=VALUE */
enum status none_of(
        const char *command, struct slice_of_text written, struct slice_of_text value, const char *words);

/* These fail for missing or extra blanks, and return ST_OK if the line has another mistake.
 * Examples are `tensor x[4]=1`, `y=matmul x w` and `allreduce y op = sum`. */
enum status spacing_sign(const char *at, const char *after);
enum status spacing_line(const struct parser *parser);
enum status spacing_option(const struct parser *parser, size_t equal);

/* meant.c, hints.c: for a refused line. Return true, and set a message for ST_SYNTAX, if the line
 * matches a pattern, or if it is CUDA, NCCL, MPI or Python. */
bool meant_line(const char *at, const char *after);
bool hint_line(const char *at, const char *after);
/* Returns what to write for a single foreign word ("sleep", "echo"); NULL if unknown. */
const char *hint_word(const char *word);

#endif
