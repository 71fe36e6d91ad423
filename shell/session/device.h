/* device.h -- what carries a session's work out. Nobody else in shell/ knows which backends there are. */
#ifndef RANKSH_DEVICE_H
#define RANKSH_DEVICE_H

#include "backend/backend.h"
#include "mpi/transport.h"
#include "shell/session/options.h"

/* Settles options->device, "sim" or "cuda", by the first of these that says anything: --device; RANKSH_DEVICE, which gives
 * way to --dry; auto, which is the simulator with --dry, --test, --check-lessons and --machine, and everywhere else too as
 * long as nothing runs on GPUs. In every process, before MPI starts. ST_ARGUMENT: no such kind, with the nearest; cuda with
 * --dry. */
enum status device_choose(struct options *options);
/* A backend as a session starts it. Of this process alone: whether the others could, it has to ask. */
struct device {
	const char *name;
	/* For a world; transport NULL: without data. Both outlive *backend. Failures are worded. */
	enum status (*start)(struct world *world, struct transport *transport, struct backend_hooks hooks,
	        struct backend **backend);
};
extern const struct device device_sim; /* cannot fail */
/* What was chosen. ST_GPU says what is missing for it here, where it was looked for and what installs it; ST_ARGUMENT: it is
 * all there, and no use yet. */
enum status device_find(const struct options *options, const struct device **device);
/* For the first screen: "no GPU is used", or who wants it so */
const char *device_why(const struct options *options);

#endif
