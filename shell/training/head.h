/* head.h -- the top of a model's or a strategy's file: its help, and what it requires
 *
 *     # ddp: every rank has the whole model              NAME: one sentence
 *     # memory: parameters whole on every rank           a note; further lines are indented
 *     # sends: gradients, averaged                       a note that the help of a stack repeats
 *     # axis dp: share out the batch                     its mesh axis, and its work there
 *     # after tp pp                                      read after the files of these axes
 *     # alone: rank 0 has the model                      it does not stack, and why
 *     # loses hook != "none": the hook leaves out        verify: when, and why
 *     # parts replicas*micros: places are by part        verify: parts of the batch; 0: any
 *     # own pace mode == "async": no rank waits          `run` reads losses at its end only
 *     option bucket=25M "bytes of a bucket"              in the tree */
#ifndef RANKSH_HEAD_H
#define RANKSH_HEAD_H

#include "shell/language/run/player.h"

struct tree;
struct embedded;
struct option_line;
enum { HEAD_TREES = 12 };
enum head_text {
	HEAD_HELP,
	HEAD_NOTES, /* lines without their # */
	HEAD_SENDS, /* the note "sends: gradients, averaged" */
	HEAD_AXIS,  /* "": none */
	HEAD_CUTS,  /* ": share out the batch" */
	HEAD_AFTER, /* names of axes */
	HEAD_ALONE, /* " why"; "": it stacks */
	HEAD_LOSES, /* "EXPR: why", a line each */
	HEAD_PARTS, /* "EXPR: why" */
	HEAD_OWN_PACE,
	HEAD_TEXTS
};
struct head {
	/* tree[0]: the file; then built-in parts; NULL after the last */
	struct tree *tree[HEAD_TREES + 1];
	struct text text[HEAD_TEXTS];
};

/* ST_SYNTAX with file and line; *head is then empty. */
enum status head_read(struct head *head, const struct player_file *file);
void head_release(struct head *head);
/* "  NAME=DEFAULT   of: a b" and the sentence, for each option */
void head_options(const struct head *head, int width, struct text *out);
/* "options: NAME=DEFAULT NAME=DEFAULT"; "" without options */
void head_defaults(const struct head *head, struct text *out);
/* "NAME=", and "NAME=WORD" for its words or default, one a line */
void head_keys(const struct head *head, struct text *out);
/* Returns NULL if there is none. */
const struct embedded *built_in_part(const char *name);
/* Returns NULL if there is none. */
const struct option_line *head_option(const struct head *head, const char *name);
/* The same for a file not read yet */
bool file_has_option(const struct player_file *file, const char *name);

#endif
