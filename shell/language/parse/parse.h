/* parse.h -- what the files of the parser share. Pure but for the rows of commands.
 *
 *     parse_text.c          whole texts              bind.c         words to a command's row
 *     parse.c               statements, blocks       word.c         names, tensors, shapes
 *     clause.c              words; @ on in           parse_ranks.c  @RANKS
 *                                                    formula.c      expressions
 *     parse_line.c          commands, NAME = ...     spacing.c bind_mistakes.c hints.c confusable.c
 *     keyword.c             let if for ...                          what is said of a mistake
 *     keyword_tensor.c      tensor
 *
 * All of them give ST_OK, ST_INCOMPLETE (the text ends too early: more of it may mend that) or another
 * status with the failure worded. Nodes are the tree's, and stay there after a failure; slices point into
 * its text. A function that takes [at, after) reads all of it; one that takes the parser alone reads on
 * from parser->at. An umbrella header: it brings along what it includes. */
#ifndef RANKSH_PARSE_H
#define RANKSH_PARSE_H

#include "shell/language/parse/lex.h"
#include "shell/language/parse/tree.h"

enum { KNOWN_NAMES = 256 };

/* A word of a line, and what it can be by its form */
struct word {
	const char *at, *after;
	const char *stop; /* the end of the name that it begins with; `at`: it begins with none */
	const char *sign; /* the = of KEY=VALUE, or NULL */
	bool name;        /* x, h$i */
	bool tensor;      /* NAME, NAME.T, NAME[..] */
	int part;         /* of a line that ` + ` divides, from 0 */
};
/* Arguments of a "%.*s": all of a word */
#define WORD(word) (int)((word)->after - (word)->at), (word)->at

/* The state of one reading: where it is, what surrounds it, and lists that are used again for each line.
 * Zeroed but for tree, at, end, counted and line. */
struct parser {
	struct tree *tree;
	const char *at, *end;
	const char *counted;
	int line;              /* the line that `counted` is on */
	int depth;             /* of braces and brackets */
	bool one_line;         /* the text's first line is all that is wanted */
	struct statement *def; /* inside the braces of it; NULL: of none */
	bool lenient;          /* inside `expect error { }`: mistakes become STATEMENT_BROKEN */
	int formula_depth;     /* > 0: inside an expression; what it finds joins that one's reads */
	struct formula **reads;
	size_t read_count;
	struct word *words;
	size_t word_count;               /* of the line being read */
	const char *rest, *rest_end;     /* of the line: where its words begin, and end; blanks may lead */
	struct name *known[KNOWN_NAMES]; /* by hash: names seen last, to be shared: long texts repeat a few */
};

static inline struct slice_of_text slice_between(const char *at, const char *after)
{
	return (struct slice_of_text){at, (uint32_t)(after - at)};
}

static inline struct slice_of_text slice_of(const struct word *word)
{
	return slice_between(word->at, word->after);
}

/* $kind, $(work(k)): what it is shows when the line runs */
static inline bool is_choice(const struct word *word)
{
	return *word->at == '$' && word->name;
}

static inline bool word_is(const struct word *word, const char *what)
{
	return text_is(word->at, word->after, what);
}

/* parse.c */
int parser_line(struct parser *parser, const char *at); /* asked for in the order of the text */
/* up to the end, or its `}` */
enum status parse_statements(struct parser *parser, struct block *block, bool braces);
enum status parse_block(struct parser *parser, struct block **block); /* at the `{` */
void statement_source(struct parser *parser, struct statement *statement, const char *at, const char *after);

/* clause.c */
enum status parse_words(struct parser *parser);       /* of the statement at parser->at, to parser->words */
void words_drop(struct parser *parser, size_t count); /* the first ones: they are read */
/* Those before a block or a line; they are dropped */
enum status leading_clauses(struct parser *parser, struct clauses *clauses);
/* Those among words[first ..], to statement->clauses; the other words move together. The row, if it is one's,
 * is known. */
enum status parse_clauses(struct parser *parser, struct statement *statement, size_t first);

/* parse_line.c */
/* The line from `line` to parser->at is read when it runs: `chosen` are its words whose `$` say what it is */
enum status choose_later(struct parser *parser, struct statement *statement, const char *line,
        const struct word *chosen, size_t count);
enum status parse_line(struct parser *parser, struct statement *statement);

/* keyword.c */
enum status parse_keyword(struct parser *parser, struct statement *statement, bool *known);
/* The rest of the line as an expression; `what` says what for */
enum status rest_formula(struct parser *parser, const char *what, struct formula **formula);
enum status fresh_name(struct parser *parser, const char *what, const char *at, const char *after,
        struct name **name); /* not reserved */

/* keyword_tensor.c */
enum status parse_tensor_line(struct parser *parser, struct statement *statement);

/* formula.c: all of [at, after) */
enum status parse_formula(struct parser *parser, const char *at, const char *after, struct formula **formula);
/* An expression: [begin, end), `at` how far it is read */
struct formula_reader {
	struct parser *parser;
	const char *at, *end, *begin;
};
void reader_skip(struct formula_reader *reader);                                 /* blanks, newlines too */
enum status reader_fails(const struct formula_reader *reader, const char *what); /* ST_SYNTAX at reader->at */
struct formula *formula_node(struct formula_reader *reader, enum formula_kind kind, const char *from);
/* part (NULL: none), or the parts of its name, stand below formula */
void formula_holds(struct formula *formula, const struct formula *part);
void formula_holds_name(struct formula *formula);
/* It ends at reader->at */
enum status formula_finish(struct formula_reader *reader, struct formula *formula, struct formula **made);
/* formula_value.c, each at its first character */
enum status read_number(struct formula_reader *reader, struct formula **made);
enum status read_text(struct formula_reader *reader, struct formula **made);
/* and functions, metrics, elements, rank, world, inf */
enum status read_name(struct formula_reader *reader, struct formula **made);

/* word.c: all of [at, after) */
enum status parse_name(struct parser *parser, const char *at, const char *after, struct name **name);
enum status parse_tensor(
        struct parser *parser, const char *at, const char *after, struct tensor_ref **tensor);
enum status parse_shape(
        struct parser *parser, const char *at, const char *after, struct formula ***dim, int *dims);
/* The end of a name with `$` at `at` ("h$i", "d$(p)"): `at` itself when there is none */
const char *name_end(const char *at, const char *end);
/* What stands behind a name can make it NAME.T, NAME[..]: says nothing of what stands in the bracket */
bool is_slice(const char *at, const char *after);
/* A position where text at depth 0 has one of `marks`, or NULL. Quotes and brackets are skipped. */
const char *find_outside(const char *at, const char *after, const char *marks);

/* parse_ranks.c: all of [at, after), which is behind the @ */
enum status parse_ranks(struct parser *parser, const char *at, const char *after, struct ranks_ref **made);

/* bind.c */
/* The row's argument of that kind, or NULL */
const struct argument_row *argument_row(const struct command *row, enum argument_kind kind);
/* The row's option KEY=, or NULL */
const struct option_row *option_row(const struct command *row, const char *at, const char *sign);
/* kind=WORD of a line that makes tensors; word->sign is its = */
enum status bind_purpose(struct parser *parser, struct statement *statement, const struct word *word);
enum status bind_command(
        struct parser *parser, struct statement *statement); /* the words to statement->row */
/* words[first ..] to a def's call */
enum status bind_call(struct parser *parser, struct statement *statement, size_t first);
/* words[0 .. count-1] */
enum status bind_results(struct parser *parser, struct statement *statement, size_t count);

/* bind_mistakes.c: each words its failure */
bool is_operator(const struct word *word);
/* '%' stands alone: the expression that the words around it were meant to be */
enum status lonely_operator(const struct parser *parser, size_t i);
/* The + that divides a line is a word of its own: not `+tp=2`, `ddp=2+`, `ddp=2+tp=2` or `ddp+tp`. In a value, as k=1+2, and in a
 * file's name it is no such + */
enum status plus_apart(const struct word *word);
/* words[i] has no place */
enum status word_surplus(const struct parser *parser, const struct statement *statement, size_t i);
enum status word_missing(const struct statement *statement, const struct argument_row *row);
enum status word_wrong(const struct parser *parser, const struct statement *statement,
        const struct argument_row *row, size_t i);
/* No option KEY= of those in `list`; usage: shown when there are none, may be NULL */
enum status option_unknown(const char *who, struct slice_of_text key, const char *list, const char *usage);
enum status no_option(const struct command *row, const char *at, const char *sign);
/* written: the word, or the KEY=VALUE that ends with the value */
enum status none_of(
        const char *command, struct slice_of_text written, struct slice_of_text value, const char *words);

/* spacing.c: ST_OK when that is not what is wrong */
/* `tensor x[4]=1`: a line that has to do with an '=' */
enum status spacing_sign(const char *at, const char *after);
/* `y=matmul x w`: a line that begins with no command */
enum status spacing_line(const struct parser *parser);
/* `allreduce y op = sum` */
enum status spacing_option(const struct parser *parser, size_t equal);
enum status spacing_arrow(const struct command *row, const char *at, const char *after); /* `copy h->x` */

/* meant.c: what a refused line, whole and with no newline in it, should have been. true: the failure is worded anew */
bool meant_line(const char *at, const char *after);
/* hints.c: what a foreign or mistaken line should have been. true: the failure is worded, for ST_SYNTAX */
bool hint_line(const char *at, const char *after);
/* The word alone: "all_reduce" -> "allreduce g"; NULL: not known. */
const char *hint_word(const char *word);

#endif
