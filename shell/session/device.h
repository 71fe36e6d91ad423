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
/* Can this process carry work out on what was chosen? ST_ARGUMENT says what is missing. */
enum status device_check(const struct options *options);
/* For the first screen: "no GPU is used", or who wants it so */
const char *device_why(const struct options *options);

/* The backend of a world; transport NULL: without data. Both outlive it. */
struct backend *device_start(struct world *world, struct transport *transport, struct backend_hooks hooks);

#endif
