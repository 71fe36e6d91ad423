/* queue.h -- changes the world, and reports each change to the backend */
#ifndef RANKSH_QUEUE_H
#define RANKSH_QUEUE_H

#include "shell/session/shell.h"

/* These functions call world_queue, world_tensor_make ... (world.h describes the arguments), and
 * then report the new operations to the backend. */
/* Stores the operation's *id (NULL: not wanted), 0 if none was queued. */
enum status shell_queue(struct shell *shell, int rank, int stream, const struct record *record, uint32_t like,
        op_id target, int flags, op_id *id);
/* Returns the record to pass as `like` for the next operation; 0 in a captured graph. */
uint32_t queued_record(const struct shell *shell, op_id id);
/* kind: enum tensor_kind */
enum status shell_tensor_make(struct shell *shell, int rank, name_id name, const struct layout *layout,
        enum space space, int pool, enum tensor_use use, int kind, int *index);
enum status shell_tensor_free(struct shell *shell, int index, int after_stream);
/* Names a part of a tensor or view; replaces an older view. */
enum status shell_view_make(
        struct shell *shell, int rank, name_id name, int of, int64_t address, const struct layout *layout);
/* Returns a record for the current line; group, root and costs are -1. */
struct record queue_record(const struct shell *shell, enum op_kind kind, const char *title);
/* Returns the tensor as an operand. access: ACCESS_READ, ... */
struct operand queue_operand(const struct shell *shell, int tensor, int access);
/* Reports operations with ids above `before` to the backend. Returns `status` if it is a failure,
 * else the backend's status. */
enum status shell_tell(struct shell *shell, size_t before, enum status status);

#endif
