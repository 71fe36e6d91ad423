/* services.h -- what shell/commands/ offers the language, the conductor and its own files.
 *
 * A command is one file here with one row, `const struct command command_NAME`; command.h says what a row
 * holds. A program command has two halves: first it resolves and checks its line on every rank of the set,
 * then it changes the books; so a line takes effect on all of its ranks or on none. What the language asks of
 * commands (kernel_run, shell_read, file_load) stands at the end of command.h. May call: language/ (call_*),
 * trace/, sim/backend.h and everything below. */
#ifndef RANKSH_SERVICES_H
#define RANKSH_SERVICES_H

#include "shell/language/run/command.h"

/* A record with the line's title, phase (of this rank), section and number; no group, no root, costs not
 * known yet. */
void record_begin(struct call *call, int rank, struct record *record, enum op_kind kind, const char *title);

/* ---- queueing: as world_queue and its kin, and the backend is told of every operation that came of it
 * ---- */
enum status shell_queue(struct shell *shell, int rank, int stream, const struct record *record, uint32_t like,
        op_id target, int flags, op_id *id);
/* The record that a just queued operation got, to be shared; 0 when it went into a graph that is captured. */
uint32_t queued_record(const struct shell *shell, op_id id);
enum status shell_tensor_make(struct shell *shell, int rank, name_id name, const struct layout *layout,
        enum space space, int pool, enum tensor_use use, int *index);
enum status shell_tensor_free(struct shell *shell, int index, int after_stream);
/* Tells the backend of what the books have queued since there were `before` operations. */
enum status shell_tell(struct shell *shell, size_t before);
/* Names a view: NAME is new or a view already (then it is moved). */
enum status shell_view_name(struct shell *shell, int rank, name_id name, const struct view *of,
        int64_t address, const struct layout *layout);

/* Rank 0 reads the file, everyone gets the bytes (mem_free). */
enum status shell_file(struct shell *shell, const char *path, char **bytes, size_t *count);
/* One process's outcome becomes everyone's: `mine` of process `owner`, with its words. */
enum status shell_agree(struct shell *shell, int owner, enum status mine);

/* ---- what is said ---- */
/* Hooks.done of the backend: an OP_SYNC with a reason is over; prints speak then. */
void prints_done(struct shell *shell, op_id id);
/* Prints of which some ranks have answered speak for those: before output is shown. */
void prints_flush(struct shell *shell);
void prints_release(struct shell *shell); /* shell_reset, shell_close */
/* After each line of the prompt, and at the end of a script: races, unwritten reads and doubtful orders not
 * told yet. */
void warn_new(struct shell *shell);
/* After a line of the prompt when `timeline on`: the current section's strip. */
void timeline_strip(struct shell *shell);
/* explain on: the CUDA or NCCL call and the PyTorch line of a program line that has just run. */
void explain_line(struct shell *shell, struct call *call);
/* "   text            [0-3]": three blanks, the ranks at the right edge; wrapped. */
void shell_note(struct shell *shell, const struct ranks *set, const char *format, ...)
        __attribute__((format(printf, 3, 4)));

#endif
