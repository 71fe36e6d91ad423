/* here.c -- the GPU at hand as a machine, before it is measured */
#include "machine/machine.h"

#include <stdio.h>
#include <string.h>

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
