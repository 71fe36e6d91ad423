/* tree.h -- a parsed text: statements, arguments, names, expressions. An umbrella header.
 *
 * A tree owns a copy of its text and all its nodes (one arena; equal names share a node). It is
 * reference-counted, because a `def` needs its tree after the text has run. */
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

/* A name or text as written, in parts: "h$i" is the text h and the formula i. */
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
	bool line; /* the line of a STATEMENT_CHOSEN: numbers in it keep every bit */
	name_id id;
	/* of a constant name: `id` is valid while this is the interpreter's generation */
	uint32_t generation;
};

/* One index of a slice: `3` (range false, from), `0:4`, `2:`, `:` */
struct index {
	bool range;
	struct formula *from, *to; /* NULL: left out */
};
/* NAME, NAME.T or NAME[..] as written. All uses of a bare name share one node. */
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

/* One node of an expression. NEGATE and NOT have only `left`. */
struct formula {
	uint8_t kind; /* enum formula_kind */
	uint8_t arguments;
	bool reads_data; /* this node, or one below it, reads tensor elements */
	bool moment;     /* the same for the trace: its value depends on when it is evaluated */
	/* root: all its reads are close() or close_step(), so with --dry an `expect` on it
	 * holds */
	bool skippable;
	uint16_t depth;
	int place; /* ELEMENT, functions on data: index in the root's `reads` */
	struct slice_of_text written;
	struct number number;
	struct name *name;         /* NAME, TEXT */
	struct tensor_ref *tensor; /* ELEMENT */
	const struct function_row *function;
	struct function_argument *argument;
	struct formula *left, *right;
	/* root: all nodes that read data, also those in its texts */
	struct formula **reads;
	int read_count;
};

enum ranks_kind {
	RANKS_REF_ALL,
	RANKS_REF_LIST,
	RANKS_REF_ASKED, /* evaluated on each rank: places on axes, or an expression */
	RANKS_REF_NAME   /* it has `$`: parsed when the line runs */
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

/* A word of a line, bound to an argument row of its command; in a def's call, to row 0 */
struct argument {
	struct slice_of_text written;
	uint8_t kind; /* enum argument_kind */
	uint8_t row;
	bool dropped; /* the result is `_` */
	uint8_t part; /* index of its part in a line divided by ` + ` */
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
	int part;                     /* index of its part in a line divided by ` + ` */
	const struct option_row *row; /* NULL: a free key, of ARG_KEYS */
	struct formula *formula;      /* NULL if the value is only a word */
	struct name *word;
};

enum statement_kind {
	STATEMENT_COMMAND,
	STATEMENT_CALL /* of a def */,
	/* a variable's text names its command, def or type: parsed when it runs */
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
	STATEMENT_BROKEN, /* inside `expect error { }`; `message`: why the parser refused it */
};

/* NAME[SHAPE] in a `tensor` line; dims 0: the file has the shape */
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
	const struct kernel *source; /* fills them; NULL: no initial data, or a file's */
	struct key_value *option;
	int options;
	struct formula *value; /* the constant, for the source "full" */
	struct name *file;     /* of `load F.npy` */
};

struct option_line {
	struct slice_of_text name, value, about; /* value: the default; about: without quotes */
	struct formula *formula;                 /* the default as an expression; NULL: a word */
	const char *words;                       /* of=; NULL: any word */
	/* for="x y": NAME_x and NAME_y are variables too; NULL if none */
	const char *parts;
	bool has_least;
	struct number least;
	/* the option has no effect without `with` ("other=a"), or beside a strategy of the axis
	 * `unless` */
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
	bool replaces; /* DEF: its block calls `replaced` */
	/* a kernel's line: the run decides whether ARG_PRINTABLE words are tensors or numbers */
	bool mixed;
	int line;
	const char *begin;           /* in the tree's text, clauses included */
	struct slice_of_text source; /* as typed, in one line, without its block */
	struct clauses clauses;
	const struct command *row;
	struct argument *result, *argument;
	struct key_value *option;
	int results, arguments, options, parameters;
	/* CALL: the def; LET, FOR, DEF, OPTION: its name; CHOSEN: the line; REFUSE: the text;
	 * EXPECT_ERROR: the expected words, or NULL */
	struct name *word;
	struct variant *variant;   /* CHOSEN: the lines that it has become so far */
	struct option_line *given; /* OPTION */
	struct slice_of_text *parameter;
	struct formula *formula;   /* LET IF REPEAT EXPECT REFUSE; FOR: from */
	struct formula *to, *step; /* FOR over a range */
	struct making *making;
	/* kind=WORD: the purpose of its results' memory; NULL if not given */
	struct name *purpose;
	struct block *block, *otherwise;
	struct slice_of_text why; /* TITLE: comments; DEF: its text after `def`, block included */
	enum status broken;       /* BROKEN */
	const char *message;
	struct statement *next_call; /* CALL: next of tree.calls; DEF: next of tree.defs */
};

struct variant {
	struct variant *next;
	const char *text;
	struct tree *tree;
	struct statement *statement;
	struct variant *of_tree; /* next of tree.variants, which owns them */
};

/* A text and its nodes */
struct tree {
	int users;
	struct tree_page *pages;
	const char *text;
	size_t count;     /* a NUL follows */
	const char *file; /* NULL at the prompt */
	struct block block;
	/* lines whose first word is no command: calls of defs, or mistakes. The last line is
	 * first; those in `expect error` are left out */
	struct statement *calls;
	struct statement *defs;
	/* it has a `source`, `model`, `lesson` ..., which may define defs */
	bool sources;
	bool reads_only; /* its lines write no file */
	struct variant *variants;
};

/* Parses a text. The caller owns one reference to *tree. Fails with ST_INCOMPLETE, or a failure
 * whose message has file and line; *tree is then NULL. */
enum status tree_parse(struct tree **tree, const char *text, size_t count, const char *file, int first_line);
/* Checks the grammar of the first line that is not empty; it continues to the end of open
 * brackets, braces and quotes. *taken: its bytes, newline included */
enum status tree_first(const char *text, size_t count, const char *file, int first_line, size_t *taken);
void tree_use(struct tree *tree);
void tree_release(struct tree *tree); /* frees it if this was the last user; NULL is allowed */
/* Returns zeroed memory, freed with the tree. */
void *tree_alloc(struct tree *tree, size_t bytes);
/* Returns a copy of the text with a NUL, freed with the tree. */
char *tree_copy(struct tree *tree, const char *text, size_t length);

static inline bool is_comparison(const struct formula *formula)
{
	return formula->kind >= FORMULA_EQUAL && formula->kind <= FORMULA_AT_LEAST;
}
/* Returns "==", "and" ... of an operator; NULL for other kinds. */
const char *formula_sign(enum formula_kind kind);
/* Each parses a text that a run produces, such as "t[3]" given to a def, into a tree of its own,
 * which the caller releases. tree_ranks: the text of "@$set" */
enum status tree_tensor(struct tree **tree, const char *text, struct tensor_ref **tensor);
/* text: a title or its comment, parsed as if in quotes */
enum status tree_quoted(struct tree **tree, struct slice_of_text text, struct name **name);
/* text: an expression. It becomes the formula of the tree's first statement, a `let`. */
enum status tree_formula(struct tree **tree, const char *text, const char *file);
enum status tree_ranks(struct tree **tree, const char *text, struct ranks_ref **ranks);

#endif
