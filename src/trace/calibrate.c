/* calibrate.c -- the figures of a machine from measured times
 *
 * Each kind of work is a part with its own latency and up to four lines (machine/fit.h):
 *
 * launches   launch                                  host copies    host_rate
 * kernels    kernel_latency   memory_rate (bytes), efficiency, efficiency_half (operations)
 * copies     copy_latency     h2d, d2h, pageable     disks    disk_latency   disk_read, disk_write
 * links      link_latency     link_rate              network  nic_latency    nic_rate
 *
 * Whether memory or operations bound a kernel depends on the wanted figures: each round uses those
 * of the round before. */
#include "trace/calibrate.h"
#include "base/arithmetic.h"
#include "base/memory.h"
#include "machine/fit.h"
#include "trace/samples.h"

#include <math.h>
#include <string.h>

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

/* Returns a figure as the cost of one unit, ns; for an efficiency that of the peak times it. */
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
 * operations above that many operations a byte. A kernel that memory explains as well says nothing
 * about operations. */
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

/* Bounds are not known before the fit: it starts from several ridges and the machine's own
 * figures, and keeps the least error. */
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

/* Fits the links by transfers and collectives together; NCCL's model of the machine is kept if it
 * is nearer to the collectives. */
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
	/* links faster than host copies do not go through the host; unless the machine says so,
	 * their rate is limited by a copy's */
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
	samples_release(&c);
	return status;
}
