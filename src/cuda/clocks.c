/* clocks.c -- clock comparison: every process sends to rank 0, which answers with its time */
#include "cuda/clocks.h"
#include "base/memory.h"

enum { PINGS = 16 };

struct clock_offset clock_offset(const struct clock_ping *pings, int count)
{
	const struct clock_ping *best = &pings[0];
	for (int i = 1; i < count; i++)
		if (pings[i].back_ns - pings[i].sent_ns < best->back_ns - best->sent_ns)
			best = &pings[i];
	int64_t there_and_back = best->back_ns - best->sent_ns;
	return (struct clock_offset){.ns = best->theirs_ns - best->sent_ns - there_and_back / 2,
	        .uncertainty_ns = there_and_back - there_and_back / 2};
}

static enum status clock_ping_once(
        struct transport *transport, const struct cuda_library *library, int64_t *theirs_ns)
{
	int processes = transport_size(transport);
	bool first = transport_rank(transport) == 0;
	struct transport_bytes *all = mem_alloc(processes * sizeof *all);
	enum status status = transport_gather(transport, theirs_ns, sizeof *theirs_ns, all, NULL, NULL);
	*theirs_ns = library->host_now();
	for (int i = 0; i < processes && first && status == ST_OK; i++)
		mem_free(all[i].bytes);
	mem_free(all);
	if (status != ST_OK || first)
		return status == ST_OK ? transport_send_all(transport, theirs_ns, sizeof *theirs_ns) : status;
	void *bytes;
	size_t count;
	status = transport_receive(transport, &bytes, &count, NULL, NULL);
	if (status != ST_OK)
		return status;
	*theirs_ns = *(const int64_t *)bytes;
	mem_free(bytes);
	return ST_OK;
}

enum status clocks_compare(
        struct transport *transport, const struct cuda_library *library, struct clock_offset *offset)
{
	struct clock_ping pings[PINGS] = {0};
	enum status status = ST_OK;
	for (int i = 0; i < PINGS && status == ST_OK; i++) {
		pings[i].sent_ns = library->host_now();
		status = clock_ping_once(transport, library, &pings[i].theirs_ns);
		pings[i].back_ns = library->host_now();
	}
	*offset = (struct clock_offset){0};
	if (status == ST_OK && transport_rank(transport) != 0)
		*offset = clock_offset(pings, PINGS);
	return status;
}
