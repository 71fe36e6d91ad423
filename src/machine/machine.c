/* machine.c -- a machine's keys: reading, checking and showing them; and the GPU at hand as a
 * machine, before it is measured
 *
 * A key is a row in MACHINE_KEYS: field, unit, name, description. Fields are accessed by offset,
 * so one loop handles them all. */
#include "machine/machine.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

struct key {
	const char *name, *about;
	enum unit unit;
	size_t offset;
};

static const struct key keys[] = {
#define X(field, unit, key, about) {key, about, unit, offsetof(struct machine, field)},
        MACHINE_KEYS(X)
#undef X
};

enum { LEAST_MEMORY = 1 << 20, MOST_GPUS = 4096, MOST_CHANNELS = 64 };

/* Ranges that the unit alone does not imply. */
static const struct range {
	const char *key;
	double least, most;
	bool whole;
} ranges[] = {
        {"efficiency", 1e-3, 1, false},
        {"efficiency_half", 1e-3, 1, false},
        {"memory", LEAST_MEMORY, 0x1p46, true},
        {"disk", LEAST_MEMORY, 0x1p56, true},
        {"gpus", 1, MOST_GPUS, true},
        {"nodes", 1, MOST_GPUS, true},
        {"link_switched", 0, 1, true},
        {"collective_sms", 0, 0.9, false}, /* a kernel must make progress beside a collective */
        {"nccl", 0, 1, true},
        {"nccl_generation", 0, 3, true},
        {"nccl_channels", 0, MOST_CHANNELS, true},
        {"nccl_channel_rate", 0, 1e15, false},
        {"nvls_channels", 0, MOST_CHANNELS, true},
        {"nvls_channel_rate", 0, 1e15, false},
};

/* For keys without a row: times from 0 to 1000 s, others from 1 to 1e18 */
static struct range range_of(const struct key *key)
{
	for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {
		if (strcmp(ranges[i].key, key->name) == 0)
			return ranges[i];
	}
	return key->unit == UNIT_TIME ? (struct range){key->name, 0, 1e12, false}
	                              : (struct range){key->name, 1, 1e18, false};
}

int machine_key_find(const char *name)
{
	for (int i = 0; i < MACHINE_KEY_COUNT; i++) {
		if (strcmp(keys[i].name, name) == 0)
			return i;
	}
	return -1;
}

static enum status unknown_key(const char *name)
{
#define X(field, unit, key, about) key " "
	static const char names[] = MACHINE_KEYS(X);
#undef X
	int count;
	const char *near = text_nearest(names, name, strlen(name), &count);

	if (near)
		return fail(ST_NAME, "a machine has no number '%s'; did you mean '%.*s'?", name, count, near);
	return fail(ST_NAME, "a machine has no number '%s'; `machine` lists them", name);
}

/* 0 needs no unit. The machine changes only after all checks. */
enum status machine_set(struct machine *machine, const char *name, struct number value)
{
	static const char *const examples[] = {"2", "20us", "256MB", "12GB/s", "10TFLOP/s"};
	int i = machine_key_find(name);
	struct range range;

	if (i < 0)
		return unknown_key(name);
	range = range_of(&keys[i]);
	if (value.unit != keys[i].unit && !(value.value == 0 && value.unit == UNIT_PLAIN))
		return fail(ST_UNIT, "%s is %s, such as %s; here it is %s", name, unit_name(keys[i].unit),
		        examples[keys[i].unit], unit_name(value.unit));
	if (range.whole && !number_is_whole(value.value, -0x1p53, 0x1p53))
		return fail(ST_RANGE, "%s must be a whole number", name);
	if (!(value.value >= range.least && value.value <= range.most)) {
		struct text words = {0};

		text_add(&words, "%s must be between ", name);
		number_text((struct number){range.least, keys[i].unit}, &words);
		text_add(&words, " and ");
		number_text((struct number){range.most, keys[i].unit}, &words);
		fail(ST_RANGE, "%s", text_string(&words));
		text_release(&words);
		return ST_RANGE;
	}
	*(double *)(void *)((char *)machine + keys[i].offset) = value.value;
	strcpy(machine->source[i], "set by you");
	machine->changes++;
	return ST_OK;
}

const char *machine_key(int i, const char **about, enum unit *unit)
{
	if (about)
		*about = keys[i].about;
	if (unit)
		*unit = keys[i].unit;
	return keys[i].name;
}

double machine_value(const struct machine *machine, int i)
{
	return *(const double *)(const void *)((const char *)machine + keys[i].offset);
}

enum { NAME_COLUMNS = 19, VALUE_COLUMNS = 18 };

void machine_text(const struct machine *machine, struct text *out)
{
	text_add(out, "%s: %s\n", machine->name, machine->title);
	for (int i = 0; i < MACHINE_KEY_COUNT; i++) {
		size_t begin;

		text_add(out, "   %-*s", NAME_COLUMNS, keys[i].name);
		begin = out->count;
		number_text((struct number){machine_value(machine, i), keys[i].unit}, out);
		text_repeat(out, " ", VALUE_COLUMNS - (long)(out->count - begin));
		text_add(out, "%s   # %s\n", keys[i].about, machine->source[i]);
	}
}

/* ---- the GPU at hand ---- */

/* The shipped machine for a GPU name; the last row is the default. */
static const struct {
	const char *gpu, *machine;
} nearest[] = {
        {"H200", "hgx-h200"},
        {"B200", "hgx-h200"},
        {"H100", "dgx-h100"},
        {"A100", "dgx-a100"},
        {"", "pcie-4gpu"},
};

static void set(struct machine *machine, const char *name, double value, const char *source)
{
	int i = machine_key_find(name);
	enum unit unit;
	machine_key(i, NULL, &unit);
	if (machine_set(machine, name, (struct number){value, unit}) == ST_OK)
		snprintf(machine->source[i], sizeof machine->source[i], "%s: %s", "this", source);
}

enum status machine_here(struct machine *machine, const char *gpu, double memory_bytes, int gpus, int nodes)
{
	size_t row = 0;
	while (!strstr(gpu, nearest[row].gpu))
		row++;
	enum status status = machine_load(machine, nearest[row].machine);
	if (status != ST_OK)
		return status;
	snprintf(machine->name, sizeof machine->name, "this");
	snprintf(machine->title, sizeof machine->title, "%.40s; figures of %s until `calibrate` fits them",
	        gpu, nearest[row].machine);
	set(machine, "memory", memory_bytes, "what a rank finds free");
	set(machine, "gpus", gpus, "ranks on a host");
	set(machine, "nodes", nodes, "hosts");
	machine->here = true;
	return ST_OK;
}
