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

/* Returns the first failure; NULL if all succeeded. */
static const struct outcome *first_of_failed(const struct outcome *all, int n)
{
	for (int rank = 0; rank < n; rank++)
		if (all[rank].status != ST_OK)
			return &all[rank];
	return NULL;
}

enum status outcome_share(struct transport *transport, enum status mine)
{
	int n = transport_size(transport), alike = 0;
	struct outcome own = outcome_of(mine), *all = mem_alloc((size_t)n * sizeof *all);
	enum status status = transport_share(transport, &own, all, sizeof own);
	const struct outcome *first = status == ST_OK ? first_of_failed(all, n) : NULL;
	for (int rank = 0; first && rank < n; rank++)
		alike += strcmp(all[rank].text, first->text) == 0;
	if (first && alike == n)
		status = fail((enum status)first->status, "%s", first->text);
	else if (first)
		status = fail((enum status)first->status, "rank %d: %s", (int)(first - all), first->text);
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
