/* cost.h -- modelled costs of operations, and directions of copies. sim/ uses them as durations,
 * cuda/ as predictions. */
#ifndef RANKSH_BACKEND_COST_H
#define RANKSH_BACKEND_COST_H

#include "world/world.h"

/* Fills alone_ns, launch_ns, latency_ns, rate, flow_bytes and taken of the operation's record for
 * the current machine, unless it has them. Fails with ST_ARGUMENT if this machine cannot run the
 * collective by that algorithm. */
enum status cost_record(struct world *world, op_id id);
/* Returns true for a kernel that takes time but no multiprocessors: a `spin`, or a kernel on host
 * memory. */
bool record_is_spin(const struct record *record);

/* `copy h -> x` from pinned memory is COPY_TO_DEVICE, over LINK_DOWN. The first COPY_ENGINES
 * ways have an engine each. */
enum copy_way {
	COPY_TO_DEVICE,
	COPY_TO_HOST,
	COPY_FROM_DISK,
	COPY_TO_DISK,
	COPY_ENGINES,
	COPY_ON_DEVICE = COPY_ENGINES,
	COPY_ON_HOST
};
enum copy_way copy_way(const struct record *record);
/* Returns true if the driver stages the copy, at the rate `pageable`. */
bool copy_is_pageable(const struct record *record);
enum link_kind copy_link(enum copy_way way); /* LINK_KINDS: none */

/* Returns the links of each member that a collective uses, bit k for kind k: those to neighbours
 * in a node, and the adapters if it spans nodes. */
uint8_t collective_links(const struct machine *machine, const struct match *match);
/* Returns the path of a one-sided operation, from the bytes' source to their target. */
struct path one_sided_path(const struct machine *machine, const struct world *world, op_id id);

#endif
