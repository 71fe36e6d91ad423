/* in_flight.h -- the state of a rank's data, shared by this folder. An umbrella header. */
#ifndef RANKSH_NUMERICS_IN_FLIGHT_H
#define RANKSH_NUMERICS_IN_FLIGHT_H

#include "mpi/transport.h"
#include "world/world.h"

enum { OPERANDS = 16 };
enum { WHOLE = -1, OTHERS_GET = -2 };
/* A running operation, one send of it, or another rank's get that reads here */
struct in_flight {
	op_id id;
	int part;               /* the send among a P2P's parts; else WHOLE or OTHERS_GET */
	bool staged;            /* `packed` is filled */
	void *packed[OPERANDS]; /* kernels: results by operand; others: [0], the input */
};

/* The result of a collective with backup=, until this rank's operation ends */
struct kept_result {
	uint32_t match;
	void *bytes;
};

struct rank_data {
	struct world *world;
	struct transport *transport;
	struct in_flight *running;
	size_t count;
	struct transport_group **groups; /* this rank's instance by group; NULL: not a member */
	size_t group_count;
	struct kept_result *kept;
	size_t kept_count;
	enum status status; /* the first failure not reported yet */
	/* the operation that read an index out of range, if that is `status`; else 0 */
	op_id looked_up;
	char why[512];
	bool spoiled;
};

/* rank_data.c. Keeps the failure of a kernel for data_failure(); of indices out of range, the
 * first in program order */
void keep_kernel(struct rank_data *data, enum status status, op_id id);

/* in_flight.c */
/* it starts, with its inputs as of now */
void flight_note(struct rank_data *data, op_id id, int part);
struct in_flight *flight_find(struct rank_data *data, op_id id, int part); /* NULL: none */
/* Returns the packed input of an operation other than a kernel; NULL: read the current memory. */
const void *flight_input(const struct in_flight *running);
void flight_forget(struct rank_data *data, struct in_flight *running);
/* Memory is about to change, by operation `by`, or (0) by the host or another rank. */
void flight_disturb(struct rank_data *data, op_id by, const struct operand *memory);

#endif
