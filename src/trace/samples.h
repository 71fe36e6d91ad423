/* samples.h -- samples for calibrate.c: work, bytes and ns of each operation that had its device
 * to itself, by part */
#ifndef RANKSH_TRACE_SAMPLES_H
#define RANKSH_TRACE_SAMPLES_H

#include "machine/fit.h"
#include "machine/machine.h"
#include "trace/calibrate.h"
#include "trace/trace.h"

struct samples {
	struct fit_sample *sample;
	size_t count;
	double *model; /* COLLECTIVES: time of each on the machine as it is, ns */
	size_t models;
};

struct kernel_sample {
	double flops, bytes, ns;
	bool half;
};

struct calibrator {
	const struct trace *trace;
	int section;
	struct machine machine; /* the session's: gives a sample's steps and bytes */
	struct samples part[CALIBRATED_COUNT];
	struct kernel_sample *kernel;
	size_t kernels;
};

/* Loads all samples of c->section; c->trace and c->machine are set. ST_INTERRUPTED */
enum status samples_load(struct calibrator *c);
void samples_add(struct calibrator *c, enum calibrated part, struct fit_sample sample);
void samples_release(struct calibrator *c);

#endif
