/* cost.c -- costs of links and kernels, alone. Uses only + - x /, so that the numbers are the same
 * on every computer.
 *
 * The two paths from GPU 0 to GPU 1 in a node, and the path to another node:
 *
 *      a switch      GPU 0 --nvlink out--> [switch] --nvlink in--> GPU 1
 *      none          GPU 0 --pcie up-----> [host]   --pcie down--> GPU 1   shared with host copies
 *      another node  GPU 0 --nic out-----> [network] --nic in----> GPU 4   one adapter per GPU
 *
 * A link belongs to one GPU and one direction; a path has two. Switch and network have full
 * bisection bandwidth. Flows on a link share it (src/sim/link.c). */
#include "machine/machine.h"
#include "base/arithmetic.h"

const char *link_name(enum link_kind kind)
{
	static const char *const names[LINK_KINDS] = {"nvlink out", "nvlink in", "pcie up", "pcie down",
	        "nic out", "nic in", "disk read", "disk write"};

	return names[kind];
}

double machine_link_rate(const struct machine *machine, enum link_kind kind)
{
	const double rates[LINK_KINDS] = {[LINK_OUT] = machine->link_rate,
	        [LINK_IN] = machine->link_rate,
	        [LINK_UP] = machine->d2h,
	        [LINK_DOWN] = machine->h2d,
	        [LINK_NIC_OUT] = machine->nic_rate,
	        [LINK_NIC_IN] = machine->nic_rate,
	        [LINK_DISK_READ] = machine->disk_read,
	        [LINK_DISK_WRITE] = machine->disk_write};
	return rates[kind];
}

int machine_node(const struct machine *machine, int rank)
{
	return rank / (int)machine->gpus;
}

/* Between nodes: over the adapters. Within a node: over the switch's links, or without a switch
 * through host memory, on the links of host copies; link_rate is then the measured rate between
 * two GPUs. */
void machine_path(const struct machine *machine, int from_rank, int to_rank, struct path *path)
{
	bool far = machine_node(machine, from_rank) != machine_node(machine, to_rank);
	bool switched = machine->link_switched == 1;
	enum link_kind out = far ? LINK_NIC_OUT : switched ? LINK_OUT : LINK_UP;
	enum link_kind in = far ? LINK_NIC_IN : switched ? LINK_IN : LINK_DOWN;
	double one = machine_link_rate(machine, out), other = machine_link_rate(machine, in);

	*path = (struct path){.count = 2,
	        .rate = one < other ? one : other,
	        .latency_ns = far ? machine->nic_latency : machine->link_latency};
	if (!far && machine->link_rate < path->rate)
		path->rate = machine->link_rate;
	path->link[0] = from_rank * LINK_KINDS + out;
	path->link[1] = to_rank * LINK_KINDS + (int)in;
}

void machine_count_sent(const struct machine *machine, int from_rank, int to_rank, double bytes, double *sent)
{
	struct path path = {0};
	if (from_rank != to_rank)
		machine_path(machine, from_rank, to_rank, &path);
	for (int i = 0; i < path.count; i++)
		if (path.link[i] / LINK_KINDS == from_rank)
			sent[path.link[i] % LINK_KINDS] += bytes;
}

double machine_flop_rate(const struct machine *machine, enum dtype dtype)
{
	bool half = dtype == DT_F16 || dtype == DT_BF16;
	return half ? machine->peak_half * machine->efficiency_half : machine->peak_f32 * machine->efficiency;
}

/* The roofline model (Williams, Waterman, Patterson, CACM 52(4), 2009): compute and memory time
 * overlap, so the longer one counts. */
int64_t machine_kernel_ns(const struct machine *machine, enum dtype dtype, double flops, double bytes)
{
	double computing = flops * 1e9 / machine_flop_rate(machine, dtype);
	double moving = bytes * 1e9 / machine->memory_rate;

	return round_up(machine->kernel_latency + (computing > moving ? computing : moving));
}
