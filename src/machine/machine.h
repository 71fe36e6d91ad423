/* machine.h -- the modelled hardware: GPUs, links, nodes, and the constants in NCCL's tuning
 * model.
 *
 * One text file per machine (machines/NAME.machine), embedded in the binary; every line is
 *     KEY = NUMBER UNIT    # source
 * (and title = TEXT; like = NAME: defaults from that machine; here = yes: figures for the GPU at
 * hand). `set KEY=VALUE` changes a number in a session.
 *
 * May call: base/. A new machine is a file in machines/, a new number a row in MACHINE_KEYS. */
#ifndef RANKSH_MACHINE_H
#define RANKSH_MACHINE_H

#include "base/dtype.h"
#include "base/number.h"

/* X(field, unit, "key", "description") -- times in ns, rates per second, all double */
#define MACHINE_KEYS(X)                                                                                    \
	X(launch, UNIT_TIME, "launch", "host time to queue one operation")                                 \
	X(segment, UNIT_TIME, "segment", "host time to get a new segment of device memory (cudaMalloc)")   \
	X(peak_f32, UNIT_FLOP_RATE, "peak_f32",                                                            \
	        "f32 (TF32 where the hardware has it) multiply-add peak of a GPU")                         \
	X(peak_half, UNIT_FLOP_RATE, "peak_half", "f16 and bf16 peak of a GPU, dense")                     \
	X(efficiency, UNIT_PLAIN, "efficiency", "part of the peak that a large matmul reaches in f32")     \
	X(efficiency_half, UNIT_PLAIN, "efficiency_half", "the same in f16 and bf16")                      \
	X(kernel_latency, UNIT_TIME, "kernel_latency", "fixed part of a kernel on the device")             \
	X(memory_rate, UNIT_BYTE_RATE, "memory_rate", "device memory bandwidth of a GPU")                  \
	X(memory, UNIT_BYTES, "memory", "device memory of a GPU")                                          \
	X(copy_latency, UNIT_TIME, "copy_latency", "fixed part of a host-device copy")                     \
	X(h2d, UNIT_BYTE_RATE, "h2d", "host to device, pinned")                                            \
	X(d2h, UNIT_BYTE_RATE, "d2h", "device to host, pinned")                                            \
	X(pageable, UNIT_BYTE_RATE, "pageable", "host to device or back, pageable: staged by the host")    \
	X(host_rate, UNIT_BYTE_RATE, "host_rate", "host memory to host memory")                            \
	X(disk, UNIT_BYTES, "disk", "capacity of a GPU's part of its node's disks")                        \
	X(disk_read, UNIT_BYTE_RATE, "disk_read", "disk to host memory, of a GPU's part")                  \
	X(disk_write, UNIT_BYTE_RATE, "disk_write", "host memory to disk")                                 \
	X(disk_latency, UNIT_TIME, "disk_latency", "fixed part of a read or a write")                      \
	X(gpus, UNIT_PLAIN, "gpus", "GPUs in a node")                                                      \
	X(nodes, UNIT_PLAIN, "nodes", "nodes")                                                             \
	X(link_rate, UNIT_BYTE_RATE, "link_rate", "GPU to GPU within a node, one direction, of one GPU")   \
	X(link_latency, UNIT_TIME, "link_latency", "fixed part of a GPU to GPU transfer in a node")        \
	X(link_switched, UNIT_PLAIN, "link_switched",                                                      \
	        "1: NVLink through a switch; 0: over PCIe, sharing the links of host copies")              \
	X(nic_rate, UNIT_BYTE_RATE, "nic_rate", "network, one direction, of one GPU's adapter")            \
	X(nic_latency, UNIT_TIME, "nic_latency", "fixed part of a transfer between nodes")                 \
	X(collective_sms, UNIT_PLAIN, "collective_sms",                                                    \
	        "part of a GPU's multiprocessors that a running collective holds")                         \
	X(nccl, UNIT_PLAIN, "nccl",                                                                        \
	        "1: collectives by NCCL's tuning model; 0: by link latency and rate alone")                \
	X(nccl_generation, UNIT_PLAIN, "nccl_generation",                                                  \
	        "row of NCCL's tables: 0 Volta, 1 Ampere, 2 Hopper, 3 Blackwell")                          \
	X(nccl_channels, UNIT_PLAIN, "nccl_channels", "channels of a ring within a node")                  \
	X(nccl_channel_rate, UNIT_BYTE_RATE, "nccl_channel_rate", "bandwidth of one such channel")         \
	X(nvls_channels, UNIT_PLAIN, "nvls_channels", "channels of NVLink-SHARP; 0: the machine has none") \
	X(nvls_channel_rate, UNIT_BYTE_RATE, "nvls_channel_rate", "bandwidth of one such channel")

#define X(field, unit, key, about) +1
enum { MACHINE_KEY_COUNT = MACHINE_KEYS(X) };
#undef X

/* A machine. Texts that do not fit are cut after a whole character. */
struct machine {
	char name[48];
	char title[96];
#define X(field, unit, key, about) double field;
	MACHINE_KEYS(X)
#undef X
	/* by key: "file:line source", "set by you", or "this: source" (machine_here) */
	char source[MACHINE_KEY_COUNT][96];
	bool here; /* the GPU at hand: work there takes its real time */
	/* number of changes since the machine was zeroed; it tells two states apart */
	unsigned changes;
};

/* Loads an embedded machine by name, or a file by path (a name with '/' or ending in ".machine").
 * Fails with ST_NAME and the nearest name, with ST_FILE, or with ST_SYNTAX, ST_NAME, ST_UNIT or
 * ST_RANGE and file and line; *machine is then unchanged. */
enum status machine_load(struct machine *machine, const char *name_or_path);
/* Returns true for a path. */
bool machine_is_file(const char *name_or_path);
/* Makes the machine `this` for the GPU at hand, by its name: the figures of the nearest shipped
 * machine, with memory per rank, ranks per host, and hosts. Fails as machine_load. */
enum status machine_here(struct machine *machine, const char *gpu, double memory_bytes, int gpus, int nodes);
/* Sets a key in MACHINE_KEYS. Fails with ST_NAME, ST_UNIT or ST_RANGE. */
enum status machine_set(struct machine *machine, const char *key, struct number value);
int machine_key_find(const char *name); /* returns -1 if unknown */
/* Returns the i-th key's name; i < MACHINE_KEY_COUNT. */
const char *machine_key(int i, const char **about, enum unit *unit);
double machine_value(const struct machine *machine, int i);
/* returns the i-th name, valid until the next call; NULL past the last */
const char *machine_embedded(int i);
/* appends a table with units and sources */
void machine_text(const struct machine *machine, struct text *out);

/* Links. Each GPU (= rank) g has LINK_KINDS one-way links, numbered g*LINK_KINDS + kind. A
 * transfer uses a path of links; flows on a link share its capacity equally. */
enum link_kind {
	LINK_OUT,
	LINK_IN /* GPU to GPU in the node */,
	LINK_UP /* device to host */,
	LINK_DOWN /* host to device */,
	LINK_NIC_OUT,
	LINK_NIC_IN,
	LINK_DISK_READ,
	LINK_DISK_WRITE,
	LINK_KINDS
};
const char *link_name(enum link_kind kind); /* "nvlink out", "pcie up" ... as in `traffic` */
struct path {
	int count;
	int link[4]; /* link numbers, in path order */
	double rate; /* bytes/s alone: the lowest link rate */
	double latency_ns;
};
/* Computes the path between two ranks. Requires from != to. */
void machine_path(const struct machine *machine, int from_rank, int to_rank, struct path *path);
/* Adds the bytes to the sender's own links on the path, in sent[LINK_KINDS]; none to itself. */
void machine_count_sent(
        const struct machine *machine, int from_rank, int to_rank, double bytes, double *sent);
/* Returns the rank's node, rank / gpus: ranks beyond the machine's GPUs add nodes. */
int machine_node(const struct machine *machine, int rank);
double machine_link_rate(const struct machine *machine, enum link_kind kind);

/* Returns a large matmul's operations per second in this type: peak x efficiency. */
double machine_flop_rate(const struct machine *machine, enum dtype dtype);
/* Returns the time alone in ns: kernel_latency plus the larger of compute and memory time. */
int64_t machine_kernel_ns(const struct machine *machine, enum dtype dtype, double flops, double bytes);

#endif
