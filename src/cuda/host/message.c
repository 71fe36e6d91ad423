#include "cuda/host/inside.h"
enum status message_queue(struct host_thread *host, const struct host_order *order, struct host_lane *lane)
{ (void)host; (void)order; (void)lane; return fail(ST_GPU, "not yet"); }
