/* cost.h -- what operations cost by the model of the machine, and which way copies go: the same on every backend, which
 * takes it for the time that passes (sim/) or for a prediction */
#ifndef RANKSH_BACKEND_COST_H
#define RANKSH_BACKEND_COST_H

#include "world/world.h"
#include "machine/machine.h"

/* Fills what the operation's record costs on the machine of now (alone_ns, launch_ns, latency_ns, rate, flow_bytes,
 * taken) when the first of its operations is queued; what a record has it keeps. ST_ARGUMENT: this machine cannot
 * run the collective by that algorithm. */
enum status cost_record(struct world *world, op_id id);
/* A `spin`: it takes its time and nothing of the device. */
bool record_is_spin(const struct record *record);

/* By example, of `copy h -> x` with h in pinned memory: COPY_TO_DEVICE, over LINK_DOWN. Each of the first COPY_ENGINES
 * has an engine of its own. */
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
/* It is copied through a staging buffer by the driver, at a rate of its own. */
bool copy_is_pageable(const struct record *record);
enum link_kind copy_link(enum copy_way way); /* LINK_KINDS: none */

/* Links that a collective flows over, of every member alike, bit k for kind k: those between neighbours in a node, and the
 * adapters when it spans nodes. */
uint8_t collective_links(const struct machine *machine, const struct match *match);
/* Of a one-sided operation: from where its bytes come to where they go */
struct path one_sided_path(const struct machine *machine, const struct world *world, op_id id);

#endif
