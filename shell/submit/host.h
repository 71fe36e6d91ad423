/* host.h -- operations of the host's own lane, and answers at the prompt */
#ifndef RANKSH_SUBMIT_HOST_H
#define RANKSH_SUBMIT_HOST_H

#include "shell/language/run/command.h"

/* Queues an operation without operands, except for a SYNC's reads; shares the record of the line's
 * previous operation if they are equal. *id: its number, never NULL */
enum status queue_alike(
        struct call *call, int rank, int stream, const struct record *record, op_id target, op_id *id);

/* The target of waiting for argument i: an event's last record, or a stream's last operation; 0 if
 * there is none (as in CUDA, the wait returns at once). *object: its name */
enum status host_target(struct call *call, int i, int rank, op_id *target, name_id *object);

/* Queues an OP_SYNC for `target`, with the command's name as its reason, and adds it to
 * call->wait. object: for the timeline; 0: all */
enum status host_sync(struct call *call, int rank, op_id target, name_id object);
/* The same for a line that reads tensors, after host_bring of each. target 0: nothing was copied,
 * and the host waits for the stream that the line names (call_read_stream). */
enum status host_sync_reading(
        struct call *call, int rank, op_id target, name_id object, const struct host_reads *reads);
/* After the last host_sync: waits for the answers at the prompt, and in a script if a group has a
 * timeout and the line is for all ranks. Hosts that must still wait get a note at the prompt.
 * Returns `status` if it is a failure. */
enum status host_answer(struct call *call, enum status status);
/* Queues the copy of a device tensor to the host, as print does. *id: 0 if it is on the host, and
 * joins `reads` */
enum status host_bring(struct call *call, int rank, int stream, const struct view *view,
        struct host_reads *reads, op_id *id);

#endif
