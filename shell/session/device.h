/* device.h -- chooses a session's device; the only file in shell/ that knows the backends */
#ifndef RANKSH_DEVICE_H
#define RANKSH_DEVICE_H

#include "backend/backend.h"
#include "mpi/transport.h"
#include "shell/session/options.h"

#include <stdbool.h>
#include <stdint.h>

struct cuda_job;

/* Sets options->device from --device, else RANKSH_DEVICE (not with --dry), else "auto". "auto"
 * becomes "sim" with --dry, --test, --check-lessons, --grade or --machine (except `this`); a
 * remaining "auto" uses CUDA if every rank finds what it needs. Every process calls this before
 * MPI starts; a front end calls it for its ranks. Fails with ST_ARGUMENT for an unknown kind,
 * naming the nearest, and for --device cuda with --dry. */
enum status device_choose(struct options *options);

/* Starts the backends of a session's worlds */
struct device {
	const char *name; /* "sim", "cuda" */
	/* Starts a backend for `world`; transport NULL: without data. Both must outlive *backend.
	 * On the simulator it is local and cannot fail; else it is collective, with the same
	 * failure on all. */
	enum status (*start)(const struct device *device, struct world *world, struct transport *transport,
	        struct backend_hooks hooks, struct backend **backend);
	struct machine *here; /* the machine `this`: the local GPU; NULL: none */
	struct cuda_job *job; /* only for "cuda" */
	char missing[1000];   /* "auto": why CUDA is not used although there is a driver; or "" */
};
extern const struct device device_sim;

/* Collective. Opens the chosen device. Free it with device_close, after all backends have stopped
 * and also after a failure. Fails with ST_GPU, naming the missing part, the places searched and
 * the package; "auto" uses the simulator instead. err: descriptor for the progress of a slow
 * start; 0: none */
enum status device_open(
        const struct options *options, struct transport *transport, int err, struct device **device);
void device_close(struct device *device);
/* Replaces a device that failed to start by the simulator. */
void device_give_up(struct device *device);

/* Returns the start line, "cuda: 8 ranks, 8 x NVIDIA H100, NCCL 2.28.9", or "". */
const char *device_words(const struct device *device);
/* Returns why the simulator is used: "by --device sim". */
const char *device_why(const struct options *options);

/* Returns the default machine: "this" with a GPU, else "classroom". */
const char *device_own_machine(const struct device *device);
/* Loads a machine (machine_load, or `this`), with no more memory than a rank has on the device.
 * Fails with ST_ARGUMENT for `this` without a GPU. device NULL: the simulator */
enum status device_machine(const struct device *device, const char *name, struct machine *machine);
/* The same on every process at the same time; only rank 0 reads a file. */
enum status device_machine_shared(
        const struct device *device, struct transport *transport, const char *name, struct machine *machine);
/* For `set`: fails with ST_RANGE if the machine has more memory than the device. */
enum status device_holds(const struct device *device, const struct machine *machine);

/* ---- for `doctor` */

enum device_library { DEVICE_DRIVER, DEVICE_CUBLAS, DEVICE_NCCL, DEVICE_NVRTC, DEVICE_LIBRARIES };
/* What a process finds of GPUs; no pointers, so that it can be sent */
struct device_findings {
	struct {
		char name[24]; /* "cuBLAS" */
		bool usable;
		char why[512];    /* what is wrong with the file that was found; "": there is none */
		char package[40]; /* pip's package with it; "": none */
	} library[DEVICE_LIBRARIES];
	int driver_version; /* CUDA's: 12040 for 12.4; 0: no driver */
	int nccl_version;   /* 22809 for 2.28.9 */
	int gpus;
	char gpu[96];      /* the name of the first */
	int64_t gpu_bytes; /* its memory */
	char no_gpu[512];  /* why the driver shows none */
	bool built_in;     /* the kernels are part of the program */
	bool compiled;     /* the cache has them for the first GPU */
	char cache[1024];  /* the folder that keeps them; "": none */
};
/* Opens the libraries and queries the GPUs; makes no context. The driver may hang or crash: call it
 * in a process of its own. */
void device_examine(struct device_findings *findings);

#endif
