/* device.h -- chooses a session's device; the only file in shell/ that knows the backends */
#ifndef RANKSH_DEVICE_H
#define RANKSH_DEVICE_H

#include "backend/backend.h"
#include "mpi/transport.h"
#include "shell/session/options.h"

struct cuda_job;

/* Sets options->device from --device, RANKSH_DEVICE (without --dry) or else auto. auto means "sim"
 * with --dry, --test, --check-lessons, --grade and --machine (except `this`); else it stays
 * "auto": CUDA if all ranks find what it needs. Every process calls it before MPI starts; a front
 * end decides for its ranks. Fails with ST_ARGUMENT for an unknown kind, with the nearest, and for
 * cuda with --dry. */
enum status device_choose(struct options *options);

/* Starts the backends of a session's worlds */
struct device {
	const char *name; /* "sim", "cuda" */
	/* Starts a backend for `world`; transport NULL: without data. Both outlive *backend. Local
	 * on the simulator, which cannot fail; else collective, with one worded failure on all. */
	enum status (*start)(const struct device *device, struct world *world, struct transport *transport,
	        struct backend_hooks hooks, struct backend **backend);
	struct machine *here; /* the local GPU, `this`; NULL: none */
	struct cuda_job *job; /* only for "cuda" */
	char missing[1000];   /* auto: what a driver lacks, or "" */
};
extern const struct device device_sim;

/* Opens the chosen device on all ranks. Free it with device_close after all backends have stopped.
 * Fails with ST_GPU, which names the missing part, the places searched and the package; auto then
 * uses the simulator. err: descriptor for a slow start's progress; 0: none. */
enum status device_open(
        const struct options *options, struct transport *transport, int err, struct device **device);
void device_close(struct device *device);
/* Replaces a device that failed to start by the simulator. */
void device_give_up(struct device *device);

/* Returns the start line, "cuda: 8 ranks, 8 x NVIDIA H100, NCCL 2.28.9", or "". */
const char *device_words(const struct device *device);
const char *device_why(const struct options *options);

/* Returns "this" or "classroom". */
const char *device_own_machine(const struct device *device);
/* Loads a machine (machine_load), or `this` if there is a GPU; limits its memory to each rank's.
 * device NULL: the simulator. */
enum status device_machine(const struct device *device, const char *name, struct machine *machine);
/* For `set`: fails with ST_RANGE if the machine has more memory than the device. */
enum status device_holds(const struct device *device, const struct machine *machine);

#endif
