/* queue.h -- changes to the books, of which the backend hears at once */
#ifndef RANKSH_QUEUE_H
#define RANKSH_QUEUE_H

#include "shell/session/shell.h"

/* As world_queue and its kin; the backend is told of every operation that came of it. kind: what the tensor's
 * memory is for (enum tensor_kind). */
enum status shell_queue(struct shell *shell, int rank, int stream, const struct record *record, uint32_t like,
        op_id target, int flags, op_id *id);
/* The record that a just queued operation got, to be shared; 0 when it went into a graph that is captured. */
uint32_t queued_record(const struct shell *shell, op_id id);
enum status shell_tensor_make(struct shell *shell, int rank, name_id name, const struct layout *layout,
        enum space space, int pool, enum tensor_use use, int kind, int *index);
enum status shell_tensor_free(struct shell *shell, int index, int after_stream);
/* The name for a part of a tensor, or of what that is a view of. An older view of that name goes. */
enum status shell_view_make(
        struct shell *shell, int rank, name_id name, int of, int64_t address, const struct layout *layout);
/* What a line of the program as it runs has in common, whoever queues it; no group, no root, no costs yet (-1) */
struct record queue_record(const struct shell *shell, enum op_kind kind, const char *title);
/* The tensor as an operand. access: ACCESS_READ, ... */
struct operand queue_operand(const struct shell *shell, int tensor, int access);
/* Tells the backend of what the books have queued since there were `before` operations. status: how that went; returned
 * where it failed. */
enum status shell_tell(struct shell *shell, size_t before, enum status status);

#endif
