/* host.h -- operations of the host's own lane, and answers owed at the prompt */
#ifndef RANKSH_SUBMIT_HOST_H
#define RANKSH_SUBMIT_HOST_H

#include "shell/language/run/command.h"
#include "world/world.h"

/* What the last operation of a line was: those of the ranks after it share its record where it is the same.
 * Begins as {0}. */
struct shared_record {
	uint32_t record;
	name_id phase, object;
	int64_t duration_ns;
};
/* Queues an operation without operands. *id: its number, never NULL. */
enum status queue_alike(struct shell *shell, int rank, int stream, const struct record *record, op_id target,
        struct shared_record *alike, op_id *id);

/* What waiting for the i-th word of argument[0] means on a rank: for an event's last record, or a stream's last
 * operation; 0 when there is nothing yet, as a wait for an event that was never recorded returns at once in
 * CUDA. *object: its name. */
enum status host_target(struct call *call, int i, int rank, op_id *target, name_id *object);

/* The OP_SYNCs of one line, with the command's name as their reason: begin, one host_sync a rank, end (which waits for them at the prompt, and
 * frees). */
struct host_syncs {
	name_id reason;
	struct shared_record alike;
	op_id *id;
	int count;
};
void host_syncs_begin(struct shell *shell, struct call *call, struct host_syncs *syncs);
enum status host_sync(struct shell *shell, struct call *call, int rank, op_id target, name_id object,
        struct host_syncs *syncs);
enum status host_syncs_end(
        struct shell *shell, struct call *call, struct host_syncs *syncs, enum status status);
/* Queues the copy of a device tensor to the host, as print does; *id is the operation, 0 when it is on the
 * host already. */
enum status host_bring(
        struct shell *shell, struct call *call, int rank, int stream, const struct view *view, op_id *id);

#endif
