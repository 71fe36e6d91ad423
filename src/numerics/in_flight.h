/* in_flight.h -- what the files of this folder share. An umbrella header: it brings along what it includes. */
#ifndef RANKSH_NUMERICS_IN_FLIGHT_H
#define RANKSH_NUMERICS_IN_FLIGHT_H

#include "mpi/transport.h"
#include "world/world.h"

enum { OPERANDS = 16 };
enum { WHOLE = -1, OTHERS_GET = -2 };
/* One that runs: an operation, or a send of it, or what another rank's get reads here. */
struct in_flight {
	op_id id;
	int part;               /* of a P2P: the send among its parts; else WHOLE or OTHERS_GET */
	bool staged;            /* `packed` holds what is needed of it */
	void *packed[OPERANDS]; /* kernels: results by operand; else [0]: the input */
};

/* What a collective with backup= gave, for this rank to have at the end of its operation */
struct kept_result {
	uint32_t match;
	void *bytes;
};

struct rank_data {
	struct world *world;
	struct transport *transport;
	struct in_flight *running;
	size_t count;
	struct transport_group **groups; /* by group: this rank's instance, NULL where it is in none */
	size_t group_count;
	struct kept_result *kept;
	size_t kept_count;
	op_id *fills; /* by the host, that wait for earlier work on their memory */
	size_t fill_count;
	enum status status; /* the first failure that was not asked for yet */
	op_id looked_up;    /* if `status` is a number out of range: the operation that read it; else 0 */
	char why[512];
	bool spoiled;
};

/* rank_data.c. The first failure waits to be asked for (data_failure); those behind it only spoil. */
void keep_failure(struct rank_data *data, enum status status);
/* ... of a kernel that has read a number out of range: of several the first in program order is kept */
void keep_kernel(struct rank_data *data, enum status status, op_id id);
/* ... and the outputs of `id` are marked as spoiled */
void note_failure(struct rank_data *data, enum status status, op_id id);
enum status no_group(const struct rank_data *data, int group); /* ST_MPI, worded: it could not be made */

/* in_flight.c */
void flight_note(struct rank_data *data, op_id id, int part); /* starts: its inputs are those of now */
struct in_flight *flight_find(struct rank_data *data, op_id id, int part); /* NULL: none */
/* No kernel: its input as it was when it started, packed; NULL: as it is now */
const void *flight_input(const struct in_flight *running);
void flight_forget(struct rank_data *data, struct in_flight *running);
/* Memory is about to change, by an operation or (0) by the host or another rank. */
void flight_disturb(struct rank_data *data, op_id by, const struct operand *memory);

/* messages.c: what data_backup has kept for this rank; the caller frees it. NULL: nothing */
void *result_take(struct rank_data *data, uint32_t match);

#endif
