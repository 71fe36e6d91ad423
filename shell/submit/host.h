/* host.h -- operations of the host's own lane, and answers owed at the prompt */
#ifndef RANKSH_SUBMIT_HOST_H
#define RANKSH_SUBMIT_HOST_H

#include "shell/language/run/command.h"

/* Queues an operation of the kinds that have no operands, but for what a SYNC reads; it shares the record of the
 * line's operation before it where they say the same. *id: its number, never NULL. */
enum status queue_alike(
        struct call *call, int rank, int stream, const struct record *record, op_id target, op_id *id);

/* What waiting for the i-th word of argument[0] means on a rank: for an event's last record, or a stream's last
 * operation; 0 when there is nothing yet, as a wait for an event that was never recorded returns at once in
 * CUDA. *object: its name. */
enum status host_target(struct call *call, int i, int rank, op_id *target, name_id *object);

/* The rank's host waits for `target`: an OP_SYNC, with the command's name as its reason, that joins call->wait.
 * object: what is waited for, for the timeline; 0: all. */
enum status host_sync(struct call *call, int rank, op_id target, name_id object);
/* The same of a line that reads tensors, after host_bring of each. target 0: nothing was brought, and the host
 * waits for the stream that the line names (call_read_stream). */
enum status host_sync_reading(
        struct call *call, int rank, op_id target, name_id object, const struct host_reads *reads);
/* Behind the last host_sync: at the prompt the answers are owed. status: how the line fared so far; returned
 * where it failed. */
enum status host_answer(struct call *call, enum status status);
/* Queues the copy of a device tensor to the host, as print does; *id is the operation, 0 when it is on the
 * host already, where it joins `reads`. */
enum status host_bring(struct call *call, int rank, int stream, const struct view *view,
        struct host_reads *reads, op_id *id);

#endif
