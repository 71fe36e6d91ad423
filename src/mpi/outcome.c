/* outcome.c -- shares a status between processes */
#include "mpi/outcome.h"
#include "base/memory.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* A status in transit, with a fixed size, because the others do not have its message. */
struct outcome {
	int32_t status;
	char text[1000];
};

static struct outcome outcome_of(enum status status)
{
	struct outcome outcome = {(int32_t)status, ""};
	if (status != ST_OK)
		snprintf(outcome.text, sizeof outcome.text, "%s", fail_text());
	return outcome;
}

enum status outcome_share(struct transport *transport, enum status mine)
{
	int n = transport_size(transport), first = 0, alike = 0;
	struct outcome own = outcome_of(mine), *all = mem_alloc((size_t)n * sizeof *all);
	enum status status = transport_share(transport, &own, all, sizeof own);
	while (status == ST_OK && first < n && all[first].status == ST_OK)
		first++;
	bool failed = status == ST_OK && first < n;
	for (int rank = 0; failed && rank < n; rank++)
		alike += strcmp(all[rank].text, all[first].text) == 0;
	if (failed && alike == n)
		status = fail((enum status)all[first].status, "%s", all[first].text);
	else if (failed)
		status = fail((enum status)all[first].status, "rank %d: %s", first, all[first].text);
	mem_free(all);
	return status;
}

enum status outcome_from(struct transport *transport, int owner, enum status mine)
{
	struct outcome outcome = outcome_of(mine), *theirs = &outcome;
	size_t count = sizeof outcome;
	enum status status = transport_broadcast(transport, owner, (void **)&theirs, &count);
	if (status != ST_OK || theirs == &outcome)
		return status != ST_OK ? status : mine;
	status = theirs->status == ST_OK ? ST_OK : fail((enum status)theirs->status, "%s", theirs->text);
	mem_free(theirs);
	return status;
}
