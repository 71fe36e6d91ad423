/* kept.c -- lanes that were loaded before are lent */
#include "trace/kept.h"
#include "base/memory.h"
#include "trace/lanes.h"

const struct lanes *kept_rank(const struct trace *trace, int rank)
{
	struct kept_lanes *kept = trace->kept;
	struct trace loading = *trace;
	if (!kept->lanes) {
		kept->ranks = trace->world->n;
		kept->lanes = mem_alloc((size_t)kept->ranks * sizeof *kept->lanes);
		loading.kept = NULL;
		loading.budget = NULL; /* who has it charges what it borrows */
		lanes_load_all(kept->lanes, &loading);
		for (int i = 0; i < kept->ranks; i++)
			kept->lanes[i].trace = NULL; /* `loading` ends here */
	}
	return &kept->lanes[rank];
}

void kept_forget(struct kept_lanes *kept)
{
	for (int rank = 0; rank < kept->ranks; rank++)
		lanes_release(&kept->lanes[rank]);
	mem_free(kept->lanes);
	*kept = (struct kept_lanes){0};
}
