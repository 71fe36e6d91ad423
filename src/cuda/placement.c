/* placement.c -- reports of ranks, and the assignment of GPUs */
#include "cuda/placement.h"
#include "base/memory.h"
#include "base/number.h"
#include "cuda/kernels/image.h"
#include "system/system.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- a rank's report */

void cuda_report_make(struct cuda_report *report, struct cuda_library *library)
{
	struct cuda_devices devices = {0};
	memset(report, 0, sizeof *report); /* also the padding: it is sent */
	gethostname(report->host, sizeof report->host - 1);
	system_boot(report->boot, sizeof report->boot);
	if (cuda_probe(library, &devices) != ST_OK || cuda_library_open(library, CUDA_PART_CUBLAS) != ST_OK ||
	        image_prepare(library) != ST_OK)
		snprintf(report->refusal, sizeof report->refusal, "%s", fail_text());
	report->driver_version = library->driver_version;
	char pipe[512]; /* of MPS's daemon */
	const char *folder = getenv("CUDA_MPS_PIPE_DIRECTORY");
	snprintf(pipe, sizeof pipe, "%s/control", folder && *folder ? folder : "/tmp/nvidia-mps");
	report->mps = access(pipe, F_OK) == 0;
	const char *shares = getenv("NCCL_MULTI_RANK_GPU_ENABLE");
	report->nccl_shares = shares && strcmp(shares, "1") == 0;
	for (int i = 0; i < devices.count && i < REPORT_GPUS; i++) {
		struct cuda_report_gpu *gpu = &report->gpus[report->gpu_count++];
		snprintf(gpu->name, sizeof gpu->name, "%.63s", devices.items[i].name);
		gpu->uuid = devices.items[i].uuid;
		gpu->bytes = devices.items[i].bytes;
	}
	cuda_devices_release(&devices);
}

void cuda_report_nccl(struct cuda_report *report, struct cuda_library *library)
{
	/* a communicator makes all its connections at once; a connection made by a later call
	 * would block the host until all members have arrived */
	setenv("NCCL_RUNTIME_CONNECT", "0", 0);
	if (cuda_library_open(library, CUDA_PART_NCCL) != ST_OK)
		snprintf(report->nccl_refusal, sizeof report->nccl_refusal, "%s", fail_text());
	report->nccl_version = library->nccl_version;
}

/* ---- the assignment */

/* Returns the GPU in use that is this rank's GPU of that ordinal; -1: not in use yet. */
static int gpu_in_use(
        const struct cuda_placement *placement, const struct cuda_report *reports, int rank, int ordinal)
{
	const CUuuid *uuid = &reports[rank].gpus[ordinal].uuid;
	for (int r = 0; r < rank; r++) {
		const struct cuda_seat *seat = &placement->seats[r];
		if (seat->host == placement->seats[rank].host &&
		        memcmp(&reports[r].gpus[seat->ordinal].uuid, uuid, sizeof *uuid) == 0)
			return seat->gpu;
	}
	return -1;
}

static void seat_rank(struct cuda_placement *placement, const struct cuda_report *reports, int rank)
{
	struct cuda_seat *seat = &placement->seats[rank];
	int fewest = rank + 1, best = -1;
	seat->host = placement->hosts;
	for (int r = 0; r < rank && seat->host == placement->hosts; r++)
		if (strcmp(reports[r].host, reports[rank].host) == 0 &&
		        strcmp(reports[r].boot, reports[rank].boot) == 0)
			seat->host = placement->seats[r].host;
	placement->hosts += seat->host == placement->hosts;
	for (int ordinal = 0; ordinal < reports[rank].gpu_count; ordinal++) {
		int gpu = gpu_in_use(placement, reports, rank, ordinal);
		int taken = gpu < 0 ? 0 : placement->sharers[gpu];
		if (taken < fewest) {
			fewest = taken;
			best = gpu;
			seat->ordinal = ordinal;
		}
	}
	seat->gpu = best < 0 ? placement->gpus++ : best;
	placement->shared |= placement->sharers[seat->gpu]++ > 0;
}

/* Reports what a rank lacks; without a rank's name if all lack the same. */
static enum status check_ranks(const struct cuda_report *reports, int ranks)
{
	int alike = 0;
	for (int r = 0; r < ranks; r++)
		alike += strcmp(reports[r].refusal, reports[0].refusal) == 0;
	if (reports[0].refusal[0] && alike == ranks)
		return fail(ST_GPU, "%s", reports[0].refusal);
	for (int r = 0; r < ranks; r++) {
		if (reports[r].refusal[0])
			return fail(ST_GPU, "rank %d on %s: %s", r, reports[r].host, reports[r].refusal);
		if (reports[r].gpu_count < 1)
			return fail(ST_GPU, "rank %d on %s sees no GPU", r, reports[r].host);
	}
	return ST_OK;
}

static bool nccl_shares(const struct cuda_report *reports, int ranks)
{
	enum { NCCL_SHARES = 23000 };
	bool shares = true;
	for (int r = 0; r < ranks; r++)
		shares &= reports[r].nccl_shares && reports[r].nccl_version >= NCCL_SHARES;
	return shares;
}

static enum status check_sharing(const struct cuda_placement *placement, const struct cuda_report *reports)
{
	for (int r = 0; r < placement->ranks; r++)
		if (placement->shared && placement->hosts > 1 &&
		        placement->sharers[placement->seats[r].gpu] > 1)
			return fail(ST_GPU,
			        "%d ranks share a GPU of %s, and others are on another host: "
			        "ranks may share a GPU only if all are on one host",
			        placement->sharers[placement->seats[r].gpu], reports[r].host);
	return ST_OK;
}

/* A GPU per rank needs NCCL, of one version. */
static enum status check_nccl(const struct cuda_placement *placement, const struct cuda_report *reports)
{
	if (placement->shared || placement->ranks < 2)
		return ST_OK;
	for (int r = 0; r < placement->ranks; r++) {
		int mine = reports[r].nccl_version, first = reports[0].nccl_version;
		if (reports[r].nccl_refusal[0])
			return fail(ST_GPU, "rank %d on %s: %s", r, reports[r].host, reports[r].nccl_refusal);
		if (mine != first)
			return fail(ST_GPU,
			        "rank 0 has NCCL %d.%d.%d and rank %d %d.%d.%d: all must have the same",
			        first / 10000, first / 100 % 100, first % 100, r, mine / 10000,
			        mine / 100 % 100, mine % 100);
	}
	return ST_OK;
}

static enum status find_bytes(
        struct cuda_placement *placement, const struct cuda_report *reports, int64_t reserve_bytes)
{
	for (int r = 0; r < placement->ranks; r++) {
		const struct cuda_seat *seat = &placement->seats[r];
		const struct cuda_report_gpu *gpu = &reports[r].gpus[seat->ordinal];
		int64_t bytes = gpu->bytes / placement->sharers[seat->gpu] - reserve_bytes;
		if (bytes <= 0)
			return fail(ST_GPU, "%s of %s has too little memory for %d of the ranks", gpu->name,
			        reports[r].host, placement->sharers[seat->gpu]);
		if (r == 0 || bytes < placement->rank_bytes)
			placement->rank_bytes = bytes;
	}
	return ST_OK;
}

enum status cuda_place(
        struct cuda_placement *placement, const struct cuda_report *reports, int ranks, int64_t reserve_bytes)
{
	*placement = (struct cuda_placement){.ranks = ranks};
	placement->seats = mem_alloc((size_t)ranks * sizeof *placement->seats);
	placement->sharers = mem_alloc((size_t)ranks * sizeof *placement->sharers);
	enum status status = check_ranks(reports, ranks);
	for (int r = 0; r < ranks && status == ST_OK; r++)
		seat_rank(placement, reports, r);
	if (status == ST_OK) {
		placement->shared &= !nccl_shares(reports, ranks);
		for (int r = 0; r < ranks; r++)
			placement->no_ipc |= placement->shared && reports[r].no_ipc;
		status = check_sharing(placement, reports);
	}
	if (status == ST_OK)
		status = check_nccl(placement, reports);
	if (status == ST_OK)
		status = find_bytes(placement, reports, reserve_bytes);
	if (status != ST_OK)
		cuda_placement_release(placement);
	return status;
}

void cuda_placement_release(struct cuda_placement *placement)
{
	mem_free(placement->seats);
	mem_free(placement->sharers);
	*placement = (struct cuda_placement){0};
}

/* "8 x NVIDIA H100, 2 x NVIDIA L4"; no count for a single one */
static void add_gpus(
        const struct cuda_placement *placement, const struct cuda_report *reports, struct text *words)
{
	bool *said = mem_alloc((size_t)placement->gpus * sizeof *said);
	const char *comma = "";
	for (int r = 0; r < placement->ranks; r++) {
		const char *name = reports[r].gpus[placement->seats[r].ordinal].name;
		int count = 0;
		for (int s = r; s < placement->ranks; s++) {
			const struct cuda_seat *seat = &placement->seats[s];
			if (said[seat->gpu] || strcmp(reports[s].gpus[seat->ordinal].name, name) != 0)
				continue;
			said[seat->gpu] = true;
			count++;
		}
		if (count > 1 || (count == 1 && placement->gpus > 1))
			text_add(words, "%s%d x %s", comma, count, name);
		else if (count == 1)
			text_add(words, "%s", name);
		if (count)
			comma = ", ";
	}
	mem_free(said);
}

void cuda_placement_words(
        const struct cuda_placement *placement, const struct cuda_report *reports, struct text *words)
{
	int nccl = reports[0].nccl_version;
	text_add(words, "cuda: %d rank%s%s", placement->ranks, placement->ranks == 1 ? "" : "s",
	        placement->shared ? " share " : ", ");
	add_gpus(placement, reports, words);
	if (placement->shared) {
		text_add(words, ", ");
		bytes_text(placement->rank_bytes, words);
		text_add(words,
		        reports[0].mps ? " each (MPS)" : " each, and take turns (no MPS): times show it");
		if (placement->no_ipc)
			text_add(words, "; no IPC: copies through the host");
	} else if (placement->ranks > 1)
		text_add(words, ", NCCL %d.%d.%d", nccl / 10000, nccl / 100 % 100, nccl % 100);
}
