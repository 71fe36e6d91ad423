/* anchor.c -- anchors between the GPU clock and the host clock */
#include "cuda/host/anchor.h"

#include <math.h>

static const int64_t RENEWED_EVERY = 1000000000; /* ns */

/* Elapsed GPU time between two events, ns */
static enum status event_elapsed(const struct anchors *anchors, CUevent from, CUevent to, double *ns)
{
	float ms = 0;
	enum status status = CUDA_CALL(anchors->cuda, cuEventElapsedTime, &ms, from, to);
	*ns = ms * 1e6;
	return status;
}

/* Narrows the bounds by an event between `before` and `after`; if they are disjoint, they move to
 * the nearest end of that interval. */
static void offset_narrow(struct anchors *anchors, double gpu_ns, int64_t before, int64_t after)
{
	double least = before - gpu_ns, most = after - gpu_ns;
	if (anchors->count == 0 || (anchors->least <= most && least <= anchors->most)) {
		anchors->least = anchors->count ? fmax(anchors->least, least) : least;
		anchors->most = anchors->count ? fmin(anchors->most, most) : most;
	} else {
		anchors->least = anchors->most = anchors->least > most ? most : least;
	}
}

static enum status anchor_record(struct anchors *anchors)
{
	const struct cuda_library *cuda = anchors->cuda;
	unsigned place = anchors->count % ANCHORS;
	double since = 0;
	enum status status = ST_OK;
	if (!anchors->event[place])
		status = CUDA_CALL(cuda, cuEventCreate, &anchors->event[place], CU_EVENT_DEFAULT);
	int64_t before = cuda->host_now();
	if (status == ST_OK)
		status = CUDA_CALL(cuda, cuEventRecord, anchors->event[place], anchors->stream);
	if (status == ST_OK)
		status = CUDA_CALL(cuda, cuEventSynchronize, anchors->event[place]);
	int64_t after = cuda->host_now();
	if (status == ST_OK && anchors->count) {
		unsigned newest = anchors->count - 1;
		status = event_elapsed(
		        anchors, anchors->event[newest % ANCHORS], anchors->event[place], &since);
		since += anchors->gpu_ns[newest % ANCHORS];
	}
	if (status != ST_OK)
		return status;
	offset_narrow(anchors, since, before, after);
	anchors->gpu_ns[place] = since;
	anchors->renewed = after;
	anchors->count++;
	return ST_OK;
}

/* The first access may have to wake the GPU, so a second anchor follows. */
enum status anchors_open(struct anchors *anchors, const struct cuda_library *cuda)
{
	*anchors = (struct anchors){.cuda = cuda};
	enum status status =
	        CUDA_CALL(cuda, cuStreamCreateWithPriority, &anchors->stream, CU_STREAM_NON_BLOCKING, 0);
	for (int i = 0; i < 2 && status == ST_OK; i++)
		status = anchor_record(anchors);
	if (status != ST_OK)
		anchors_close(anchors);
	return status;
}

void anchors_close(struct anchors *anchors)
{
	for (int i = 0; i < ANCHORS; i++)
		if (anchors->event[i])
			anchors->cuda->cuEventDestroy(anchors->event[i]);
	if (anchors->stream)
		anchors->cuda->cuStreamDestroy(anchors->stream);
	*anchors = (struct anchors){0};
}

enum status anchors_renew(struct anchors *anchors)
{
	return anchors->cuda->host_now() - anchors->renewed < RENEWED_EVERY ? ST_OK : anchor_record(anchors);
}

unsigned anchors_newest(const struct anchors *anchors)
{
	return anchors->count - 1;
}

enum status anchors_time(const struct anchors *anchors, unsigned anchor, CUevent event, int64_t *ns)
{
	double since;
	if (anchors->count > ANCHORS && anchor < anchors->count - ANCHORS)
		anchor = anchors->count - ANCHORS;
	enum status status = event_elapsed(anchors, anchors->event[anchor % ANCHORS], event, &since);
	if (status == ST_OK)
		*ns = llround(
		        anchors->gpu_ns[anchor % ANCHORS] + since + (anchors->least + anchors->most) / 2);
	return status;
}

double anchors_uncertainty(const struct anchors *anchors)
{
	return (anchors->most - anchors->least) / 2;
}
