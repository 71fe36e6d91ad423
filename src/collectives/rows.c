/* rows.c -- the collectives, one row each. Shapes are per rank; n is the group's size. */
#include "collectives/inside.h"

#define OPTIONS "[in GROUP] [on STREAM] [algo=" ALGORITHM_CHOICE "]"

double collective_bus_factor(const struct collective *collective, int n)
{
	if (collective->bare)
		return 0;
	if (collective->has_root && !collective->direct)
		return n > 1; /* forwarded whole, in small parts */
	return (collective->rounds == 2 ? 2.0 : 1.0) * (n - 1) / n;
}

const struct collective collective_allreduce = {
        .name = "allreduce",
        .reduces = true,
        .spares = true,
        .in_place = true,
        .rounds = 2,
        .data = data_reduce,
        .usage = "allreduce X [op=sum|avg|max|min] [backup=0] " OPTIONS " [unroll], or Y = allreduce X",
        .help = "every rank gets the sum over the group, element by element",
        .torch = "dist.all_reduce(x, op=dist.ReduceOp.SUM)",
        .cuda = "ncclAllReduce(x, x, count, ncclFloat, ncclSum, comm, stream)",
        .example = "tensor x[4] = 1; allreduce x; print x",
};
const struct collective collective_broadcast = {
        .name = "broadcast",
        .has_root = true,
        .in_place = true,
        .rounds = 1,
        .data = data_broadcast,
        .usage = "broadcast X [root=0] " OPTIONS " [unroll], or Y = broadcast X",
        .help = "every rank gets the root's tensor",
        .torch = "dist.broadcast(x, src=ROOT)   # in a group: group_src=ROOT",
        .cuda = "ncclBroadcast(x, x, count, ncclFloat, ROOT, comm, stream)",
        .example = "tensor x[4] = rank; broadcast x root=2; print x",
};
const struct collective collective_reduce = {
        .name = "reduce",
        .has_root = true,
        .reduces = true,
        .in_place = true,
        .rounds = 1,
        .data = data_reduce,
        .root_gets = true,
        .usage = "reduce X [root=0] [op=sum|avg|max|min] " OPTIONS ", or Y = reduce X",
        .help = "the root gets the sum over the group; the other ranks keep their tensors",
        .torch = "dist.reduce(x, dst=ROOT)   # in a group: group_dst=ROOT",
        .cuda = "ncclReduce(x, x, count, ncclFloat, ncclSum, ROOT, comm, stream)",
        .example = "tensor x[4] = 1; reduce x root=0; @0 print x",
};
const struct collective collective_allgather = {
        .name = "allgather",
        .rounds = 1,
        .data = data_move,
        .rows = true,
        .result = RESULT_GROWN,
        .usage = "Y = allgather X [rows=ROWS] " OPTIONS " [unroll]",
        .help = "every rank gets the tensors of all ranks, stacked in rank order: [k,...] becomes "
                "[n*k,...]. rows= is the number of rows in the result if they are split as by `shard` or "
                "`reducescatter`: 5 rows on 4 ranks are 2, 2, 1 and 0. The message is n times the first "
                "part: the others are padded, as in FSDP2",
        .torch = "dist.all_gather_into_tensor(y, x)   # rows=: x padded to ceil(rows/n) rows, then y[:rows]",
        .cuda = "ncclAllGather(x, y, count, ncclFloat, comm, stream)",
        .example = "tensor x[2] = rank; y = allgather x; print y",
};
const struct collective collective_reducescatter = {
        .name = "reducescatter",
        .reduces = true,
        .rounds = 1,
        .data = data_reduce,
        .result = RESULT_SHARED,
        .usage = "Y = reducescatter X [op=sum|avg|max|min] " OPTIONS " [unroll]",
        .help = "every rank gets its part of the sum: [n*k,...] becomes [k,...]. If n does not divide the "
                "rows, they are split as torch.chunk does: 5 rows on 4 ranks are 2, 2, 1 and 0. The message "
                "is padded to n*ceil(rows/n) rows, as in FSDP2; the results are not. `allgather` with rows= "
                "is the inverse",
        .torch = "dist.reduce_scatter_tensor(y, x)   # FSDP2 pads x to n*ceil(rows/n) rows of zeroes",
        .cuda = "ncclReduceScatter(x, y, count, ncclFloat, ncclSum, comm, stream)",
        .example = "tensor x[8] = 1; y = reducescatter x; print y",
};
const struct collective collective_gather = {
        .name = "gather",
        .has_root = true,
        .direct = true,
        .data = data_move,
        .root_gets = true,
        .result = RESULT_GROWN,
        .usage = "Y = gather X [root=0] [in GROUP] [on STREAM]",
        .help = "the root gets the tensors of all ranks, stacked in rank order; Y exists only on the root",
        .torch = "dist.gather(x, ys, dst=ROOT)   # in a group: group_dst=ROOT",
        .cuda = "ncclGroupStart(); ncclSend(x, count, ncclFloat, ROOT, ...); ncclRecv(...); ncclGroupEnd()",
        .example = "tensor x[2] = rank; y = gather x root=0; @0 print y",
};
const struct collective collective_scatter = {
        .name = "scatter",
        .has_root = true,
        .direct = true,
        .data = data_move,
        .result = RESULT_SHARED,
        .usage = "Y = scatter X [root=0] [in GROUP] [on STREAM]",
        .help = "every rank gets its part of the root's tensor: [n*k,...] becomes [k,...]",
        .torch = "dist.scatter(y, xs, src=ROOT)   # in a group: group_src=ROOT",
        .cuda = "ncclGroupStart(); ncclSend(...); ncclRecv(y, count, ncclFloat, ROOT, ...); ncclGroupEnd()",
        .example = "tensor x[8] = iota; y = scatter x root=0; print y",
};
const struct collective collective_alltoall = {
        .name = "alltoall",
        .direct = true,
        .data = data_move,
        .splits = true,
        .result = RESULT_EXCHANGED,
        .usage = "Y = alltoall X [send=COUNTS recv=COUNTS] [in GROUP] [on STREAM]",
        .help = "part i of rank r's tensor becomes part r of rank i's result. send= and recv= name i32 "
                "tensors with the number of rows that go to each rank and come from each rank; the host "
                "reads them, and waits for them as in `let`. If there are n*k counts, each k of them "
                "belong to one rank and are summed",
        .torch = "dist.all_to_all_single(y, x)   # (y, x, recv.tolist(), send.tolist()) with counts",
        .cuda = "ncclGroupStart(); for each peer: ncclSend(...), ncclRecv(...); ncclGroupEnd()",
        .example = "tensor x[4] = iota; y = alltoall x; print y",
};
const struct collective collective_barrier = {
        .name = "barrier",
        .bare = true,
        .rounds = 2,
        .usage = "barrier [in GROUP] [on STREAM]",
        .help = "blocks every rank's host until all have reached it",
        .torch = "dist.barrier()",
        .cuda = "ncclAllReduce of one element; cudaStreamSynchronize(stream)",
        .example = "barrier",
};

static const struct collective *const rows[] = {
#define X(name) &collective_##name,
        COLLECTIVES(X)
#undef X
};
enum { ROWS = sizeof rows / sizeof *rows };

const struct collective *collective_at(int i)
{
	return i >= 0 && i < ROWS ? rows[i] : NULL;
}
