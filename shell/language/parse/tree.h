/* tree.h -- a parsed text: statements, arguments, names, expressions. Made by the parser (parse.h); read by
 * the rest of this folder.
 *
 * A tree owns a copy of its text and all its nodes (one arena; equal names are shared), and is counted: a
 * `def` keeps the tree alive that it came from. An umbrella header: it brings along what it includes. */
#ifndef RANKSH_TREE_H
#define RANKSH_TREE_H

#include "base/dtype.h"
#include "base/names.h"
#include "base/ranks.h"
#include "shell/language/parse/rows.h"

enum {
	NESTING_MAX = 100 /* brackets and braces */,
	FORMULA_DEPTH_MAX = 400,
	WORDS_MAX = 4096 /* of one line */
};

/* A name or text as written, "h$i": parts of text, and formulas whose values take their place. */
struct name_part {
	struct slice_of_text text;
	struct formula *formula;
};
struct name {
	struct slice_of_text written;
	struct name_part *part;
	struct tensor_ref *tensor; /* the tensor as this name alone; NULL until it is asked for */
	int parts;
	bool constant; /* no `$` */
	bool quoted;
	bool line; /* a whole one, of STATEMENT_CHOSEN: numbers are written as numbers of the language */
	name_id id;
	uint32_t generation; /* cache of a constant one: valid while the interpreter's generation is this */
};

/* One index of a slice: `3` (range false, from), `0:4`, `2:`, `:`. from and to are evaluated on each
 * rank. */
struct index {
	bool range;
	struct formula *from, *to; /* NULL: left out */
};
/* NAME, NAME.T, NAME[..] as written: what it is shows on a rank, by evaluate_view. A tensor written as its
 * name alone is one node for all places of the text. */
struct tensor_ref {
	struct slice_of_text written;
	struct name *name;
	bool transposed;
	int indices;
	struct index *index;
};

enum formula_kind {
	FORMULA_NUMBER,
	FORMULA_TEXT,
	FORMULA_RANK,
	FORMULA_WORLD,
	FORMULA_NAME,
	FORMULA_ELEMENT,
	FORMULA_FUNCTION,
	FORMULA_NEGATE,
	FORMULA_NOT,
	FORMULA_AND,
	FORMULA_OR,
	FORMULA_EQUAL,
	FORMULA_UNEQUAL,
	FORMULA_LESS,
	FORMULA_AT_MOST,
	FORMULA_MORE,
	FORMULA_AT_LEAST,
	FORMULA_ADD,
	FORMULA_SUBTRACT,
	FORMULA_MULTIPLY,
	FORMULA_DIVIDE,
	FORMULA_WHOLE,
	FORMULA_REMAINDER,
};

/* An argument of a function: of the kind its row says. */
struct function_argument {
	struct formula *formula;
	struct tensor_ref *tensor;
	struct name *name;
};

/* One node of an expression; `left` alone is the operand of NEGATE and NOT. */
struct formula {
	uint8_t kind; /* enum formula_kind */
	uint8_t arguments;
	bool reads_data; /* it or something below asks for elements of tensors */
	bool moment;     /* ... for these, or for what the trace knows now: its value is of a moment */
	bool skippable; /* it reads data by close() or close_step() alone: an `expect` on it holds with --dry */
	uint16_t depth;
	int place; /* ELEMENT, and functions on data: which of the root's reads it is */
	struct slice_of_text written;
	struct number number;
	struct name *name;         /* NAME, TEXT */
	struct tensor_ref *tensor; /* ELEMENT */
	const struct function_row *function;
	struct function_argument *argument;
	struct formula *left, *right;
	/* of the root of an expression: every node below that reads data, also inside its texts */
	struct formula **reads;
	int read_count;
};

/* which ranks */
enum ranks_kind {
	RANKS_REF_ALL,
	RANKS_REF_LIST,
	RANKS_REF_ASKED, /* of each rank: its places on axes, or an expression */
	RANKS_REF_NAME   /* has `$`: read when run */
};
struct ranks_range {
	int from, to;
};
struct ranks_axis {
	struct name *name;
	struct formula *value;
};
struct ranks_ref {
	struct slice_of_text written; /* without the @ */
	uint8_t kind;
	int count;
	struct ranks_range *range;
	struct ranks_axis *axis;
	struct formula *formula;
	struct name *name;
};

struct clauses {
	struct ranks_ref *ranks;
	struct name *stream, *group;
};

/* A word of a line, bound to a row of its command (or of a def's call: row 0). Which fields are set follows
 * from the kind. */
struct argument {
	struct slice_of_text written;
	uint8_t kind; /* enum argument_kind */
	uint8_t row;
	bool dropped; /* result `_` */
	uint8_t part; /* of a line that ` + ` divides */
	int dims;
	struct name *name;
	struct tensor_ref *tensor;
	struct formula *formula;
	union {
		struct formula **dim;
		struct ranks_ref *ranks;
	}; /* SHAPE; RANKS */
};
struct key_value {
	struct slice_of_text written, key;
	int part;                     /* of a line that ` + ` divides */
	const struct option_row *row; /* NULL: of ARG_KEYS */
	struct formula *formula;      /* NULL when the value is only a word */
	struct name *word;
};

enum statement_kind {
	STATEMENT_COMMAND,
	STATEMENT_CALL /* of a def */,
	STATEMENT_CHOSEN, /* a line whose command, def or type is a variable's text: read when it runs */
	STATEMENT_VIEW /* y = x[0:2] */,
	STATEMENT_BLOCK,
	STATEMENT_TENSOR,
	STATEMENT_LET,
	STATEMENT_IF,
	STATEMENT_REPEAT,
	STATEMENT_FOR,
	STATEMENT_DEF,
	STATEMENT_EXPECT,
	STATEMENT_EXPECT_ERROR,
	STATEMENT_EXPECT_VERIFY, /* row: of `verify` */
	STATEMENT_TITLE,         /* ## title: `source` is the title, `why` the comment lines behind it */
	STATEMENT_OPTION,
	STATEMENT_REFUSE,
	STATEMENT_BROKEN, /* inside `expect error { }`: what reading it said */
};

/* NAME[SHAPE] of a line of `tensor`; dims 0: the file gives the shape */
struct made {
	struct slice_of_text written;
	struct name *name;
	struct formula **dim;
	int dims;
};
/* the keyword `tensor` */
struct making {
	int names;
	struct made *made;
	int space, dtype; /* enum space, enum dtype */
	bool dtype_given, space_given;
	const struct kernel *source; /* NULL: no data, or a file's */
	struct key_value *option;
	int options;
	struct formula *value; /* source "full": the constant */
	struct name *file;     /* load F.npy */
};

/* option NAME=DEFAULT [of="a b"] [for="x y"] [least=N] [with="other=a"] [unless="axis"] "a sentence" */
struct option_line {
	struct slice_of_text name, value, about; /* about: without its quotes */
	struct formula *formula;                 /* of the default, a number; NULL: a word */
	const char *words;                       /* of=, NULL: any */
	const char *parts;                       /* for=: NAME_x and NAME_y are variables too; NULL: none */
	bool has_least;
	struct number least;
	const char *with,
	        *unless; /* it has no effect without that option, and beside a strategy of that axis; NULL */
};

/* The lines between braces; `line`: where they were opened */
struct block {
	struct statement *first;
	int line;
};
struct statement {
	struct statement *next;
	uint8_t kind;
	bool adds;     /* += */
	bool replaces; /* DEF: `replaced` stands in it */
	/* COMMAND of a kernel: ARG_PRINTABLE words are tensors or numbers, as their names are when it runs */
	bool mixed;
	int line;
	const char *begin;           /* in the tree's text, clauses before its word and all */
	struct slice_of_text source; /* as typed, one line, without its block */
	struct clauses clauses;
	const struct command *row;
	struct argument *result, *argument;
	struct key_value *option;
	int results, arguments, options, parameters;
	/* CALL: the def; LET, FOR, DEF, OPTION: its name; CHOSEN: the line, `$` where it is chosen;
	 * REFUSE: the text; EXPECT_ERROR: the words, or NULL */
	struct name *word;
	struct variant *variant;   /* CHOSEN: what it has been so far */
	struct option_line *given; /* OPTION */
	struct slice_of_text *parameter;
	struct formula *formula;   /* LET IF REPEAT EXPECT REFUSE; FOR: from */
	struct formula *to, *step; /* FOR over a range */
	struct making *making;
	struct name *purpose; /* kind=WORD of what a line makes: what its memory is for; NULL: not said */
	struct block *block, *otherwise;
	struct slice_of_text why; /* TITLE; DEF: its text behind the `def`, with the block */
	enum status broken;
	const char *message;
	struct statement *next_call; /* CALL, outside `expect error`: list of the tree's */
};

/* One text that a CHOSEN line has had, and the line it is */
struct variant {
	struct variant *next;
	const char *text;
	struct tree *tree;
	struct statement *statement;
	struct variant *of_tree; /* list of the tree's, which owns them */
};

/* A text and all that was read from it. Made by tree_parse with one user; tree_use and tree_release
 * count. */
struct tree {
	int users;
	struct tree_page *pages;
	const char *text;
	size_t count;     /* NUL behind it */
	const char *file; /* NULL at the prompt */
	struct block block;
	struct statement *calls; /* lines whose first word is no command: defs, or mistakes */
	struct statement *defs;  /* by next_call too */
	bool sources;            /* has a `source`, `model`, `lesson` ..., which may bring defs */
	bool reads_only;         /* its lines write no file */
	struct variant *variants;
};

/* The tree of a text, with one user. ST_INCOMPLETE, or the failure worded with file and line. */
enum status tree_parse(struct tree **tree, const char *text, size_t count, const char *file, int first_line);
/* Grammar only: *taken is the bytes of the first line with something on it, with all that its brackets,
 * braces and quotes hold, and its newline. */
enum status tree_first(const char *text, size_t count, const char *file, int first_line, size_t *taken);
void tree_use(struct tree *tree);
void tree_release(struct tree *tree);
/* Zeroed memory of the tree's, freed with it. */
void *tree_alloc(struct tree *tree, size_t bytes);
/* The text as the tree's, with a NUL behind it */
char *tree_copy(struct tree *tree, const char *text, size_t length);

static inline bool is_comparison(const struct formula *formula)
{
	return formula->kind >= FORMULA_EQUAL && formula->kind <= FORMULA_AT_LEAST;
}
/* "==", "and" ... of an operator; NULL: none of a kind */
const char *formula_sign(enum formula_kind kind);
/* A word that appears while running: "t[3]" given to a def, "0-2" from "@$set". */
enum status tree_tensor(struct tree **tree, const char *text, struct tensor_ref **tensor);
/* A title, or a line of its why: text with `$` in it, as if it stood in quotes. */
enum status tree_quoted(struct tree **tree, struct slice_of_text text, struct name **name);
enum status tree_ranks(struct tree **tree, const char *text, struct ranks_ref **ranks);

#endif
