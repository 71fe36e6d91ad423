/* tree.h -- a parsed text: statements, arguments, names, expressions.
 *
 * A tree owns a copy of its text and all its nodes (one arena; equal names are shared). It is
 * reference-counted: a `def` keeps its tree alive. An umbrella header. */
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

/* A name or text as written, "h$i": parts of text, and formulas */
struct name_part {
	struct slice_of_text text;
	struct formula *formula;
};
struct name {
	struct slice_of_text written;
	struct name_part *part;
	struct tensor_ref *tensor; /* the tensor of this name alone; NULL until needed */
	int parts;
	bool constant; /* no `$` */
	bool quoted;
	bool line; /* a whole line, of STATEMENT_CHOSEN: numbers keep every bit */
	name_id id;
	/* of a constant one: `id` is valid while the interpreter's generation is this */
	uint32_t generation;
};

/* One index of a slice: `3` (range false, from), `0:4`, `2:`, `:` */
struct index {
	bool range;
	struct formula *from, *to; /* NULL: left out */
};
/* NAME, NAME.T, NAME[..] as written. A name alone is one node for the whole text. */
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

struct function_argument {
	struct formula *formula;
	struct tensor_ref *tensor;
	struct name *name;
};

/* One node. `left` alone is the operand of NEGATE and NOT. */
struct formula {
	uint8_t kind; /* enum formula_kind */
	uint8_t arguments;
	bool reads_data; /* it, or a node below, reads tensor elements */
	bool moment;     /* ... or the trace: its value depends on when it is evaluated */
	/* it reads data by close() or close_step() alone: --dry takes an `expect` on it to hold */
	bool skippable;
	uint16_t depth;
	int place; /* ELEMENT, functions on data: its index among the root's reads */
	struct slice_of_text written;
	struct number number;
	struct name *name;         /* NAME, TEXT */
	struct tensor_ref *tensor; /* ELEMENT */
	const struct function_row *function;
	struct function_argument *argument;
	struct formula *left, *right;
	/* of an expression's root: all nodes below that read data, also inside its texts */
	struct formula **reads;
	int read_count;
};

enum ranks_kind {
	RANKS_REF_ALL,
	RANKS_REF_LIST,
	RANKS_REF_ASKED, /* decided on each rank: places on axes, or an expression */
	RANKS_REF_NAME   /* it has `$`: read when the line runs */
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

/* A word of a line, bound to a row of its command (or of a def's call: row 0) */
struct argument {
	struct slice_of_text written;
	uint8_t kind; /* enum argument_kind */
	uint8_t row;
	bool dropped; /* result `_` */
	uint8_t part; /* in a line divided by ` + ` */
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
	int part;                     /* in a line divided by ` + ` */
	const struct option_row *row; /* NULL: ARG_KEYS */
	struct formula *formula;      /* NULL if the value is only a word */
	struct name *word;
};

enum statement_kind {
	STATEMENT_COMMAND,
	STATEMENT_CALL /* of a def */,
	/* a line whose command, def or type is a variable's text: read when it runs */
	STATEMENT_CHOSEN,
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
	/* ## title: `source` is the title, `why` the comment lines after it */
	STATEMENT_TITLE,
	STATEMENT_OPTION,
	STATEMENT_REFUSE,
	STATEMENT_BROKEN, /* inside `expect error { }`: `message` is the parser's refusal */
};

/* NAME[SHAPE] in a line of `tensor`; dims 0: the file gives the shape */
struct made {
	struct slice_of_text written;
	struct name *name;
	struct formula **dim;
	int dims;
};
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

struct option_line {
	struct slice_of_text name, value, about; /* about: without its quotes */
	struct formula *formula;                 /* of a default that is a number; NULL: a word */
	const char *words;                       /* of=, NULL: any */
	/* for=: NAME_x and NAME_y are variables too; NULL if none */
	const char *parts;
	bool has_least;
	struct number least;
	/* no effect without the option `with`, nor beside a strategy of the axis `unless` */
	const char *with, *unless;
};

struct block {
	struct statement *first;
	int line;
};
struct statement {
	struct statement *next;
	uint8_t kind;
	bool adds;     /* += */
	bool replaces; /* DEF: `replaced` is called in it */
	/* COMMAND of a kernel: names decide if ARG_PRINTABLE words are tensors or numbers */
	bool mixed;
	int line;
	const char *begin;           /* in the tree's text, from its clauses on */
	struct slice_of_text source; /* as typed, one line, without its block */
	struct clauses clauses;
	const struct command *row;
	struct argument *result, *argument;
	struct key_value *option;
	int results, arguments, options, parameters;
	/* CALL: the def; LET, FOR, DEF, OPTION: its name; CHOSEN: the line, with `$` at the chosen
	 * words; REFUSE: the text; EXPECT_ERROR: the words, or NULL */
	struct name *word;
	struct variant *variant;   /* CHOSEN: the texts that it has had */
	struct option_line *given; /* OPTION */
	struct slice_of_text *parameter;
	struct formula *formula;   /* LET IF REPEAT EXPECT REFUSE; FOR: from */
	struct formula *to, *step; /* FOR over a range */
	struct making *making;
	/* kind=WORD: what the memory of its results is for; NULL if not given */
	struct name *purpose;
	struct block *block, *otherwise;
	struct slice_of_text why; /* TITLE; DEF: its text after the `def`, with the block */
	enum status broken;
	const char *message;
	struct statement *next_call; /* CALL, outside `expect error`: a list of the tree */
};

struct variant {
	struct variant *next;
	const char *text;
	struct tree *tree;
	struct statement *statement;
	struct variant *of_tree; /* the tree's list, which owns them */
};

/* A text and all that was read from it; the last user's tree_release frees it. */
struct tree {
	int users;
	struct tree_page *pages;
	const char *text;
	size_t count;     /* a NUL follows */
	const char *file; /* NULL at the prompt */
	struct block block;
	/* lines whose first word is no command: calls of defs, or mistakes */
	struct statement *calls;
	struct statement *defs;
	/* a `source`, `model`, `lesson` ... is in it, which may bring defs */
	bool sources;
	bool reads_only; /* its lines write no file */
	struct variant *variants;
};

/* The tree has one user. Fails with ST_INCOMPLETE, or a failure worded with file and line. */
enum status tree_parse(struct tree **tree, const char *text, size_t count, const char *file, int first_line);
/* Reads the grammar of the first line with something on it, with all that its brackets, braces and
 * quotes hold. *taken: its bytes, newline included. */
enum status tree_first(const char *text, size_t count, const char *file, int first_line, size_t *taken);
void tree_use(struct tree *tree);
void tree_release(struct tree *tree);
/* zeroed; freed with the tree */
void *tree_alloc(struct tree *tree, size_t bytes);
/* with a NUL at its end; freed with the tree */
char *tree_copy(struct tree *tree, const char *text, size_t length);

static inline bool is_comparison(const struct formula *formula)
{
	return formula->kind >= FORMULA_EQUAL && formula->kind <= FORMULA_AT_LEAST;
}
/* Returns "==", "and" ... of an operator; NULL for other kinds. */
const char *formula_sign(enum formula_kind kind);
/* A word that appears while running: "t[3]" given to a def, "0-2" of "@$set". */
enum status tree_tensor(struct tree **tree, const char *text, struct tensor_ref **tensor);
/* A title, or a line in its explanation: text with `$` in it, read as if in quotes. */
enum status tree_quoted(struct tree **tree, struct slice_of_text text, struct name **name);
enum status tree_formula(struct tree **tree, const char *text, const char *file);
enum status tree_ranks(struct tree **tree, const char *text, struct ranks_ref **ranks);

#endif
