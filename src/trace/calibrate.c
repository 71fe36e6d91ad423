/* calibrate.c -- the figures of a machine from measured times
 *
 * A sample is the work, bytes and ns of an operation that had its device to itself. Each kind of
 * work is a part with its own latency and up to four lines (machine/fit.h):
 *
 * launches   launch                                  host copies    host_rate
 * kernels    kernel_latency   memory_rate (bytes), efficiency, efficiency_half (operations)
 * copies     copy_latency     h2d, d2h, pageable     disks    disk_latency   disk_read, disk_write
 * links      link_latency     link_rate              network  nic_latency    nic_rate
 *
 * A collective takes steps x link_latency + bytes / link_rate, with steps and bytes from its
 * algorithm's cost. Whether memory or operations bound a kernel depends on the wanted figures:
 * each round uses those of the round before. */
#include "trace/calibrate.h"
#include "base/arithmetic.h"
#include "base/memory.h"
#include "machine/fit.h"
#include "backend/cost.h"
#include "collectives/collective.h"
#include "trace/lanes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct samples { /* of a part */
	struct fit_sample *sample;
	size_t count;
	double *model; /* COLLECTIVES: time of each on the machine as it is, ns */
	size_t models;
};

struct kernel_sample {
	double flops, bytes, ns;
	bool half;
};

struct calibrator {
	const struct trace *trace;
	int section;
	struct machine machine; /* the session's: gives a sample's steps and bytes */
	struct samples part[CALIBRATED_COUNT];
	struct kernel_sample *kernel;
	size_t kernels;
};

static void samples_add(struct calibrator *c, enum calibrated part, struct fit_sample sample)
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
	if (way == COPY_ON_DEVICE) {
		*MEM_ADD(&c->kernel, &c->kernels) =
		        (struct kernel_sample){.bytes = 2.0 * record->bytes, .ns = ns};
	} else if (way == COPY_ON_HOST) {
		sample.fixed = 0;
		samples_add(c, CALIBRATED_HOST_COPIES, sample);
	} else if (way == COPY_FROM_DISK || way == COPY_TO_DISK) {
		sample.line = way == COPY_TO_DISK;
		samples_add(c, CALIBRATED_DISKS, sample);
	} else {
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

/* A launch lasts from the start of a kernel's calls to that of the next operation's, because
 * nothing holds the host after a kernel. */
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

/* In order of start, an operation overlaps another if it starts before an earlier end, or if the
 * next one starts before its end. */
static void add_rank(struct calibrator *c, const struct lanes *lanes)
{
	const struct world *world = c->trace->world;
	const struct moment **work = mem_alloc(lanes->count * sizeof *work);
	size_t count = 0;
	int64_t over = INT64_MIN;
	for (size_t i = 0; i < lanes->count; i++)
		if (trace_is_work(lanes->moment[i].kind) && lanes->moment[i].t.end > lanes->moment[i].t.start)
			work[count++] = &lanes->moment[i];
	if (count)
		qsort(work, count, sizeof *work, by_start);
	for (size_t i = 0; i < count; i++) {
		const struct moment *m = work[i];
		bool alone = m->t.start >= over && (i + 1 == count || work[i + 1]->t.start >= m->t.end);
		over = most_of(over, m->t.end);
		if (alone && trace_counts(c->trace, m->id, c->section) && !m->t.projected && !m->t.divided &&
		        !trace_on_host(world, m->id) && !(world->ops[m->id].flags & OPF_ABORTED))
			add_operation(c, m);
	}
	mem_free(work);
}

static enum status samples_load(struct calibrator *c)
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

enum { ROUNDS = 8 };
enum { BY_BYTES, BY_FLOPS, BY_HALF_FLOPS };

static const struct part_keys {
	const char *latency, *line[FIT_LINES];
} keys_of[CALIBRATED_COUNT] = {
        [CALIBRATED_LAUNCHES] = {.latency = "launch"},
        [CALIBRATED_KERNELS] = {"kernel_latency", {"memory_rate", "efficiency", "efficiency_half"}},
        [CALIBRATED_COPIES] = {"copy_latency", {"h2d", "d2h", "pageable"}},
        [CALIBRATED_HOST_COPIES] = {NULL, {"host_rate"}},
        [CALIBRATED_DISKS] = {"disk_latency", {"disk_read", "disk_write"}},
        [CALIBRATED_LINKS] = {"link_latency", {"link_rate"}},
        [CALIBRATED_NETWORK] = {"nic_latency", {"nic_rate"}},
};

/* Returns a figure as the cost of one unit, ns; for an efficiency, that at the peak times the
 * efficiency. */
static double cost_of(const struct machine *machine, const char *key)
{
	if (strcmp(key, "efficiency") == 0)
		return 1e9 / machine_flop_rate(machine, DT_F32);
	if (strcmp(key, "efficiency_half") == 0)
		return 1e9 / machine_flop_rate(machine, DT_F16);
	return 1e9 / machine_value(machine, machine_key_find(key));
}

static struct fit fit_of(const struct machine *machine, enum calibrated part)
{
	const struct part_keys *keys = &keys_of[part];
	struct fit fit = {0};
	if (keys->latency)
		fit.latency_ns = machine_value(machine, machine_key_find(keys->latency));
	for (int i = 0; i < FIT_LINES && keys->line[i]; i++)
		fit.cost_ns[i] = cost_of(machine, keys->line[i]);
	return fit;
}

/* Makes kernel samples: each on the line that bounds it by `fit`, or, with ridge > 0, on
 * operations above that many operations a byte. */
static void sort_kernels(
        const struct calibrator *c, const struct fit *fit, double ridge, struct fit_sample *samples)
{
	for (size_t i = 0; i < c->kernels; i++) {
		const struct kernel_sample *k = &c->kernel[i];
		int line = k->half ? BY_HALF_FLOPS : BY_FLOPS;
		bool computes = ridge > 0
		        ? k->flops > ridge * k->bytes
		        : k->flops * fit->cost_ns[line] > 1.05 * k->bytes * fit->cost_ns[BY_BYTES];
		samples[i] = (struct fit_sample){.line = computes ? line : BY_BYTES,
		        .fixed = 1,
		        .amount = computes ? k->flops : k->bytes,
		        .ns = k->ns};
	}
}

static double kernels_off(const struct calibrator *c, const struct fit *fit)
{
	double off = 0;
	for (size_t i = 0; i < c->kernels; i++) {
		const struct kernel_sample *k = &c->kernel[i];
		double operations = k->flops * fit->cost_ns[k->half ? BY_HALF_FLOPS : BY_FLOPS],
		       ns = fit->latency_ns + fmax(operations, k->bytes * fit->cost_ns[BY_BYTES]);
		off += fmin(fabs(ns / k->ns - 1), 1);
	}
	return off;
}

static void figure_store(struct calibration *out, const char *key, double value, int operations)
{
	int i = machine_key_find(key);
	enum unit unit;
	machine_key(i, NULL, &unit);
	if (unit == UNIT_TIME)
		value = round(value);
	if (machine_set(&out->machine, key, (struct number){value, unit}) == ST_OK)
		out->measured[i] = operations;
}

/* An efficiency above 1 means that the peak was too low. */
static void set_efficiency(struct calibration *out, const char *key, double rate, int operations)
{
	const char *peak = strcmp(key, "efficiency") == 0 ? "peak_f32" : "peak_half";
	double was = machine_value(&out->machine, machine_key_find(peak));
	if (rate > was)
		figure_store(out, peak, rate, operations);
	figure_store(out, key, least_number(rate / most_number(rate, was), 1), operations);
}

static void fit_store(
        struct calibration *out, enum calibrated part, const struct fit *fit, const struct samples *samples)
{
	const struct part_keys *keys = &keys_of[part];
	int of_line[FIT_LINES] = {0};
	for (size_t i = 0; i < samples->count; i++)
		of_line[samples->sample[i].line]++;
	if (keys->latency && fit->found_latency)
		figure_store(out, keys->latency, fit->latency_ns, samples->count);
	for (int i = 0; i < FIT_LINES && keys->line[i]; i++)
		if (fit->found[i] && strncmp(keys->line[i], "efficiency", 10) == 0)
			set_efficiency(out, keys->line[i], 1e9 / fit->cost_ns[i], of_line[i]);
		else if (fit->found[i])
			figure_store(out, keys->line[i], 1e9 / fit->cost_ns[i], of_line[i]);
}

/* Bounds are not known before the fit: it starts from several ridges, and keeps the least
 * error. */
static void fit_kernels(struct calibrator *c, struct calibration *out)
{
	static const double ridges[] = {0, 0.5, 2, 8, 32, 128};
	struct samples *samples = &c->part[CALIBRATED_KERNELS];
	const struct fit before = fit_of(&c->machine, CALIBRATED_KERNELS);
	struct fit best = before;
	double least = INFINITY;
	samples->sample = mem_alloc(c->kernels * sizeof *samples->sample);
	samples->count = c->kernels;
	sort_kernels(c, &before, 0, samples->sample);
	out->part[CALIBRATED_KERNELS].before = fit_error(&before, samples->sample, samples->count);
	for (size_t start = 0; start < sizeof ridges / sizeof *ridges; start++) {
		struct fit now = before;
		for (int round = 0; round < ROUNDS; round++) {
			sort_kernels(c, &now, round == 0 ? ridges[start] : 0, samples->sample);
			fit_lines(samples->sample, samples->count, &now);
		}
		double off = kernels_off(c, &now);
		if (off < least - 0.01) {
			least = off;
			best = now;
		}
	}
	sort_kernels(c, &best, 0, samples->sample);
	out->part[CALIBRATED_KERNELS].now = fit_error(&best, samples->sample, samples->count);
	fit_store(out, CALIBRATED_KERNELS, &best, samples);
}

static void fit_part(struct calibrator *c, enum calibrated part, struct calibration *out)
{
	const struct samples *samples = &c->part[part];
	struct fit now = fit_of(&c->machine, part);
	out->part[part].before = fit_error(&now, samples->sample, samples->count);
	fit_lines(samples->sample, samples->count, &now);
	out->part[part].now = fit_error(&now, samples->sample, samples->count);
	fit_store(out, part, &now, samples);
}

static void fit_collectives(struct calibrator *c, struct calibration *out)
{
	struct samples *all = &c->part[CALIBRATED_LINKS], *of = &c->part[CALIBRATED_COLLECTIVES];
	size_t transfers = all->count;
	struct fit_sample *model = mem_alloc(of->count * sizeof *model);
	for (size_t i = 0; i < of->count; i++) {
		model[i] = (struct fit_sample){.fixed = of->model[i], .ns = of->sample[i].ns};
		samples_add(c, CALIBRATED_LINKS, of->sample[i]);
	}
	struct fit as_it_is = {.latency_ns = 1}, now = fit_of(&c->machine, CALIBRATED_LINKS);
	fit_lines(all->sample, all->count, &now);
	double before = fit_error(&as_it_is, model, of->count),
	       after = fit_error(&now, of->sample, of->count);
	bool keep = c->machine.nccl && before <= after;
	if (keep)
		all->count = transfers;
	else if (c->machine.nccl && of->count)
		figure_store(out, "nccl", 0, of->count);
	fit_part(c, CALIBRATED_LINKS, out);
	/* links faster than host copies do not go through the host */
	const struct machine *found = &out->machine;
	int links = out->measured[machine_key_find("link_rate")];
	if (links && found->link_switched != 1 && found->link_rate > least_number(found->h2d, found->d2h))
		figure_store(out, "link_switched", 1, links);
	out->part[CALIBRATED_LINKS].operations = transfers;
	out->part[CALIBRATED_COLLECTIVES].before = before;
	out->part[CALIBRATED_COLLECTIVES].now = keep ? before : after;
	mem_free(model);
}

static void fit_all(struct calibrator *c, struct calibration *out)
{
	fit_kernels(c, out);
	for (int part = 0; part < CALIBRATED_COUNT; part++) {
		if (keys_of[part].latency || keys_of[part].line[0])
			if (part != CALIBRATED_KERNELS && part != CALIBRATED_LINKS)
				fit_part(c, part, out);
		out->part[part].operations = c->part[part].count;
	}
	fit_collectives(c, out);
}

enum status trace_calibrate(const struct trace *trace, int section, struct calibration *out)
{
	struct calibrator c = {.trace = trace, .section = section, .machine = *trace->world->machine};
	*out = (struct calibration){.machine = c.machine};
	enum status status = samples_load(&c);
	if (status == ST_OK)
		fit_all(&c, out);
	for (int part = 0; part < CALIBRATED_COUNT; part++) {
		mem_free(c.part[part].sample);
		mem_free(c.part[part].model);
	}
	mem_free(c.kernel);
	return status;
}
