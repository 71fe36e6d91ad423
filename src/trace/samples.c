/* samples.c -- the operations of a session as samples for its machine's figures
 *
 * A collective takes steps x link_latency + bytes / link_rate, with steps and bytes from its
 * algorithm's cost. */
#include "trace/samples.h"
#include "backend/cost.h"
#include "base/arithmetic.h"
#include "base/memory.h"
#include "collectives/collective.h"
#include "trace/lanes.h"

#include <stdlib.h>

void samples_add(struct calibrator *c, enum calibrated part, struct fit_sample sample)
{
	if (sample.ns > 0)
		*MEM_ADD(&c->part[part].sample, &c->part[part].count) = sample;
}

static void add_kernel(struct calibrator *c, const struct record *record, double ns)
{
	for (int i = 0; i < record->operands; i++)
		if (record->operand[i].space != SPACE_DEVICE)
			return;
	if (record_is_spin(record) || (record->flops <= 0 && record->bytes <= 0))
		return;
	*MEM_ADD(&c->kernel, &c->kernels) = (struct kernel_sample){.flops = record->flops,
	        .bytes = record->bytes,
	        .ns = ns,
	        .half = record->dtype == DT_F16 || record->dtype == DT_BF16};
}

static void add_copy(struct calibrator *c, const struct record *record, double ns)
{
	struct fit_sample sample = {.fixed = 1, .amount = record->bytes, .ns = ns};
	enum copy_way way = copy_way(record);
	if (record->parameter[COPY_RATE] > 0 || record->bytes <= 0)
		return;
	switch (way) {
	case COPY_ON_DEVICE:
		*MEM_ADD(&c->kernel, &c->kernels) =
		        (struct kernel_sample){.bytes = 2.0 * record->bytes, .ns = ns};
		return;
	case COPY_ON_HOST:
		sample.fixed = 0;
		samples_add(c, CALIBRATED_HOST_COPIES, sample);
		return;
	case COPY_FROM_DISK:
	case COPY_TO_DISK:
		sample.line = way == COPY_TO_DISK;
		samples_add(c, CALIBRATED_DISKS, sample);
		return;
	default:
		sample.line = copy_is_pageable(record) ? 2 : way == COPY_TO_HOST;
		samples_add(c, CALIBRATED_COPIES, sample);
	}
}

/* Uses the first rank of a group within a node. The cost on a machine with links of 1 ns and 1
 * byte/ns gives steps and bytes. */
static void add_collective(struct calibrator *c, const struct op *op, const struct record *record, double ns)
{
	const struct match *match = &c->trace->world->matches[op->match];
	struct cost_group group = {match->n, match->ranks};
	struct machine plain = c->machine;
	struct cost cost = {0}, model = {0};
	int last = match->ranks[match->n - 1];
	if (match->n < 2 || record->split.n || record->backup || op->rank != match->ranks[0] ||
	        machine_node(&plain, op->rank) != machine_node(&plain, last))
		return;
	plain.nccl = 0;
	plain.link_latency = 1;
	plain.link_rate = 1e9;
	if (!plain.link_switched)
		plain.h2d = plain.d2h = 1e9;
	if (collective_cost(record->collective, &plain, group, record->bytes, record->algorithm, &cost) !=
	                ST_OK ||
	        collective_cost(record->collective, &c->machine, group, record->bytes, record->algorithm,
	                &model) != ST_OK)
		return;
	struct samples *to = &c->part[CALIBRATED_COLLECTIVES];
	samples_add(c, CALIBRATED_COLLECTIVES,
	        (struct fit_sample){
	                .fixed = cost.latency_ns, .amount = cost.bytes / cost.rate * 1e9, .ns = ns});
	*MEM_ADD(&to->model, &to->models) = model.alone_ns;
}

/* Uses the receiver of a transfer of one part: the sender has the same times. */
static void add_transfer(struct calibrator *c, const struct op *op, const struct record *record, double ns)
{
	const struct part *part = record->part;
	if (record->parts != 1 || part->direction == P2P_SEND || part->peer == op->rank)
		return;
	bool far = machine_node(&c->machine, part->peer) != machine_node(&c->machine, op->rank);
	samples_add(c, far ? CALIBRATED_NETWORK : CALIBRATED_LINKS,
	        (struct fit_sample){
	                .fixed = 1, .amount = layout_bytes(&part_operand(record, 0)->layout), .ns = ns});
}

/* From the start of its calls to that of the next ones: a GPU may begin earlier, and nothing holds
 * the host after a kernel. */
static void add_launch(struct calibrator *c, const struct moment *m)
{
	const struct world *world = c->trace->world;
	op_id next = world->ops[m->id].next_program;
	if (m->t.launch <= 0 || op_record(world, m->id)->kind != OP_KERNEL || !next ||
	        op_kind_is_host(op_record(world, next)->kind))
		return;
	struct times then = backend_times(c->trace->backend, next);
	if (then.projected || then.launch <= 0)
		return;
	samples_add(c, CALIBRATED_LAUNCHES,
	        (struct fit_sample){.fixed = 1, .ns = then.issue - then.launch - (m->t.issue - m->t.launch)});
}

static void add_operation(struct calibrator *c, const struct moment *m)
{
	const struct world *world = c->trace->world;
	const struct op *op = &world->ops[m->id];
	const struct record *record = op_record(world, m->id);
	double ns = m->t.end - m->t.start;
	add_launch(c, m);
	if (record->kind == OP_KERNEL)
		add_kernel(c, record, ns);
	else if (record->kind == OP_COPY)
		add_copy(c, record, ns);
	else if (record->kind == OP_COLLECTIVE)
		add_collective(c, op, record, ns);
	else if (record->kind == OP_P2P)
		add_transfer(c, op, record, ns);
}

static int by_start(const void *a, const void *b)
{
	const struct moment *m = *(const struct moment *const *)a, *n = *(const struct moment *const *)b;
	return m->t.start != n->t.start ? (m->t.start > n->t.start) - (m->t.start < n->t.start)
	                                : (m->id > n->id) - (m->id < n->id);
}

static bool is_sample(const struct calibrator *c, const struct moment *m)
{
	const struct world *world = c->trace->world;
	return trace_is_work(m->kind) && trace_counts(c->trace, m->id, c->section) && !m->t.projected &&
	        !m->t.divided && !trace_on_host(world, m->id) && !(world->ops[m->id].flags & OPF_ABORTED) &&
	        m->t.end > m->t.start;
}

/* Sorted by start, one overlaps if it starts before an earlier end, or the next one starts before
 * its end. */
static void add_rank(struct calibrator *c, const struct lanes *lanes)
{
	const struct moment **work = mem_alloc(lanes->count * sizeof *work);
	size_t count = 0;
	int64_t over = INT64_MIN;
	for (size_t i = 0; i < lanes->count; i++)
		if (trace_is_work(lanes->moment[i].kind) && lanes->moment[i].t.end > lanes->moment[i].t.start)
			work[count++] = &lanes->moment[i];
	if (count)
		qsort(work, count, sizeof *work, by_start);
	for (size_t i = 0; i < count; i++) {
		bool alone = work[i]->t.start >= over &&
		        (i + 1 == count || work[i + 1]->t.start >= work[i]->t.end);
		over = most_of(over, work[i]->t.end);
		if (alone && is_sample(c, work[i]))
			add_operation(c, work[i]);
	}
	mem_free(work);
}

enum status samples_load(struct calibrator *c)
{
	struct lanes lanes = {0};
	enum status status = ST_OK;
	for (int rank = 0; rank < c->trace->world->n && status == ST_OK; rank++) {
		status = lanes_load(&lanes, c->trace, rank);
		if (status == ST_OK)
			add_rank(c, &lanes);
	}
	lanes_release(&lanes);
	return status;
}

void samples_release(struct calibrator *c)
{
	for (int part = 0; part < CALIBRATED_COUNT; part++) {
		mem_free(c->part[part].sample);
		mem_free(c->part[part].model);
	}
	mem_free(c->kernel);
}
