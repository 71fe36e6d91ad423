/* head.h -- the top of a model's or a strategy's file: its help, and what it asks of those who run it
 *
 *     # ddp: every rank has the whole model, and gradients are averaged      NAME: one sentence
 *     # memory: parameters, gradients and optimizer, whole on every rank     any number of such notes; more lines
 *     #   of a note are indented
 *     # sends: gradients, averaged                                           a note; of several strategies that are
 *     stacked, `help` says this one of each
 *     # axis dp: share out the batch                                         the mesh axis that it works on; what
 *     two of one axis would both do
 *     # after tp pp                                                          its file is read behind those of
 *     these axes
 *     # alone: rank 0 has the model                                          it stacks on nothing, and why
 *     # loses hook != "none": the hook leaves digits out                     verify: when, and why
 *     # parts replicas*micros: an expert's places are counted by part         verify: of a model, in how many parts
 *     the one rank must train the batch; 0: in any
 *     # own pace mode == "async": nobody waits for the slowest               run: when it reads losses at its end alone
 *     option bucket=25M "bytes of a bucket"                                  `option` lines; they stand in the tree
 */
#ifndef RANKSH_HEAD_H
#define RANKSH_HEAD_H

#include "shell/language/run/player.h"

struct tree;
struct embedded;
struct option_line;
enum { HEAD_TREES = 12 };
struct head {
	/* tree[0] the whole file; then the built-in parts that it and they source, whose defs are places too; NULL
	 * behind the last */
	struct tree *tree[HEAD_TREES + 1];
	struct text help;  /* the sentence */
	struct text notes; /* lines without their # */
	struct text sends; /* the note "sends: gradients, averaged" */
	struct text axis;  /* "": none */
	struct text cuts;  /* ": share out the batch" */
	struct text after; /* names of axes */
	struct text alone; /* " why"; "": it stacks */
	struct text loses; /* "EXPR: why", a line each */
	struct text parts; /* "EXPR: why" */
	struct text own_pace;
};

/* ST_SYNTAX: the grammar of the file, worded with file and line. *head is empty then. */
enum status head_read(struct head *head, const struct player_file *file);
void head_release(struct head *head);
/* "  NAME=DEFAULT   of: a b" and the sentence, for each option */
void head_options(const struct head *head, int width, struct text *out);
/* "options: NAME=DEFAULT NAME=DEFAULT", "" where there are none */
void head_defaults(const struct head *head, struct text *out);
/* "NAME=" for each option, and "NAME=WORD" for each of its words, or its default, one a line: for completion */
void head_keys(const struct head *head, struct text *out);
/* strategies/parts/NAME.rsh, which built-in models and strategies share; NULL: none of that name */
const struct embedded *built_in_part(const char *name);
/* The file's line of that option; NULL: it has none */
const struct option_line *head_option(const struct head *head, const char *name);
/* Of a file that was not read yet */
bool file_has_option(const struct player_file *file, const char *name);

#endif
