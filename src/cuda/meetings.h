/* meetings.h -- which ranks meet for the first time in what is new in the books: the members of each part of a group, and the
 * ends of each channel that a transfer goes by. They need a communicator of NCCL's (exchange/nccl/). From the books alone, so
 * that all processes find the same, in one order. */
#ifndef RANKSH_CUDA_MEETINGS_H
#define RANKSH_CUDA_MEETINGS_H

#include "world/world.h"

struct nccl_party;

/* A zeroed one has seen nothing. */
struct meetings {
	op_id seen; /* operations up to this */
	struct met {
		bool all;       /* the part's members */
		bool *channels; /* [sender's place][receiver's]; NULL: none */
	} * parts;
	size_t part_count;
};
void meetings_release(struct meetings *meetings);
/* Those that are new since the last look; *parties is the caller's to free, the ranks in it are the books'. */
void meetings_look(
        struct meetings *meetings, const struct world *world, struct nccl_party **parties, size_t *count);
/* The part was aborted: who meets there meets for the first time again. */
void meetings_again(struct meetings *meetings, int part);

#endif
