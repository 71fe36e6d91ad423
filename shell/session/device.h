/* device.h -- what carries a session's work out. Nobody else in shell/ knows which backends there are. */
#ifndef RANKSH_DEVICE_H
#define RANKSH_DEVICE_H

#include "backend/backend.h"
#include "mpi/transport.h"
#include "shell/session/options.h"

struct cuda_job;

/* Settles options->device, "sim", "cuda" or "auto", by the first of these that says anything: --device; RANKSH_DEVICE, which
 * gives way to --dry; auto. That is the simulator with --dry, --test, --check-lessons and --machine (but `this`), and stays
 * "auto" elsewhere: CUDA where all ranks find what it needs. In every process, before MPI starts; a front end has settled
 * it for its ranks. ST_ARGUMENT: no such kind, with the nearest; cuda with --dry. */
enum status device_choose(struct options *options);

/* What starts the backends of a session's worlds */
struct device {
	const char *name; /* "sim", "cuda" */
	/* For a world; transport NULL: without data. Both outlive *backend. Of this process alone where it is the simulator,
	 * which cannot fail; else called by all, and failures, which are worded, are all's. */
	enum status (*start)(const struct device *device, struct world *world, struct transport *transport,
	        struct backend_hooks hooks, struct backend **backend);
	struct machine *here; /* the GPU at hand as a machine, `this`; NULL: there is none */
	struct cuda_job *job; /* of "cuda" */
	char missing[1000];   /* by auto: what the driver that is there lacks; "" */
};
extern const struct device device_sim;

/* What was chosen, on all ranks alike, at the same place; free with device_close after all backends have stopped. ST_GPU says
 * what is missing for it, where it was looked for and what installs it; with auto it is the simulator then.
 * err: descriptor for a line of progress of a start that takes long; 0: none. */
enum status device_open(
        const struct options *options, struct transport *transport, int err, struct device **device);
void device_close(struct device *device);
/* The simulator in its place, as what was opened could not be started: the failure at hand says why. */
void device_give_up(struct device *device);

/* The start line without its end, "cuda: 8 ranks, 8 x NVIDIA H100, NCCL 2.28.9"; "" on the simulator */
const char *device_words(const struct device *device);
/* For the first screen: why it is the simulator */
const char *device_why(const struct options *options);

/* The machine of a session that names none: "this" or "classroom" */
const char *device_own_machine(const struct device *device);
/* A machine for a session on this device (NULL: the simulator), by name or file (machine_load), or `this`, where there is a
 * GPU. No machine has more memory there than its ranks find. */
enum status device_machine(const struct device *device, const char *name, struct machine *machine);
/* Whether its memory is there, as `set` wants it. ST_RANGE says how much is. */
enum status device_holds(const struct device *device, const struct machine *machine);

#endif
