/* kineto_names.c -- names of operations in PyTorch's traces: kernels, NCCL's kernels, copies */
#include "trace/export.h"
#include "backend/cost.h"
#include "collectives/algorithm.h"
#include "collectives/collective.h"
#include "trace/lanes.h"

#include <ctype.h>
#include <string.h>

/* A collective in place has one count for reads and writes, also on a rank that only sends or only
 * receives. */
int64_t kineto_elements(const struct record *record, int n, enum access access)
{
	const struct collective *collective = record->collective;
	int64_t count = 0;
	if (collective == &collective_reducescatter || collective == &collective_allgather)
		return collective_chunk(record, n) * (collective->reduces == (access == ACCESS_READ) ? n : 1);
	if (record->kind == OP_COLLECTIVE && record->operands == 1)
		return layout_count(&record->operand[0].layout);
	for (int i = 0; i < record->operands; i++)
		if (record->operand[i].access & access)
			count += layout_count(&record->operand[i].layout);
	return count;
}

const char *kineto_type(const struct record *record)
{
	static const char *const names[] = {
	        [DT_F32] = "Float", [DT_F16] = "Half", [DT_BF16] = "BFloat16", [DT_I32] = "Int"};
	return record->operands ? names[record->operand[0].layout.dtype] : "Byte";
}

/* "AllReduce_Sum_f32_RING_LL", NCCL's own choice; SendRecv for sends, receives and the collectives
 * that consist of them: gather, scatter, alltoall */
static void put_nccl_name(const struct trace *trace, op_id id, struct text *out)
{
	static const struct {
		const char *name, *nccl;
	} kernels[] = {{"allreduce", "AllReduce"}, {"broadcast", "Broadcast"}, {"reduce", "Reduce"},
	        {"allgather", "AllGather"}, {"reducescatter", "ReduceScatter"}, {"barrier", "AllReduce"}};
	static const char *const reductions[] = {
	        "Sum", "Sum", "MinMax", "MinMax"}; /* an average is scaled first */
	const struct world *world = trace->world;
	const struct record *record = op_record(world, id);
	const char *name = "SendRecv";
	struct cost cost = {0};
	for (size_t i = 0; record->collective && i < sizeof kernels / sizeof *kernels; i++)
		if (strcmp(kernels[i].name, record->collective->name) == 0)
			name = kernels[i].nccl;
	text_add(out, "ncclDevKernel_%s", name);
	if (strcmp(name, "SendRecv") == 0)
		return;
	if (record->collective->reduces)
		text_add(out, "_%s_%s", reductions[record->reduction],
		        record->operands ? dtype_name(record->operand[0].layout.dtype) : "u8");
	const struct match *match = &world->matches[world->ops[id].match];
	bool known = collective_cost(record->collective, world->machine,
	                     (struct cost_group){match->n, match->ranks}, record->bytes, record->taken,
	                     &cost) == ST_OK;
	text_add(out, "_");
	for (const char *p = record->taken ? algorithm_name(record->taken) : "ring"; *p; p++)
		text_add(out, "%c", toupper((unsigned char)*p));
	text_add(out, "_%s", known && *cost.protocol ? cost.protocol : "LL");
}

static void put_copy_name(const struct record *record, struct text *out)
{
	static const char *const ways[] = {[COPY_TO_DEVICE] = "HtoD",
	        [COPY_TO_HOST] = "DtoH",
	        [COPY_ON_DEVICE] = "DtoD",
	        [COPY_ON_HOST] = "HtoH",
	        [COPY_FROM_DISK] = "HtoH",
	        [COPY_TO_DISK] = "HtoH"};
	static const char *const spaces[] = {[SPACE_HOST] = "Pageable",
	        [SPACE_PINNED] = "Pinned",
	        [SPACE_DEVICE] = "Device",
	        [SPACE_DISK] = "Disk"};
	enum space from = SPACE_HOST, to = SPACE_HOST;
	for (int i = 0; i < record->operands; i++)
		if (record->operand[i].access & (ACCESS_WRITE | ACCESS_ADD))
			to = (enum space)record->operand[i].space;
		else
			from = (enum space)record->operand[i].space;
	text_add(out, "Memcpy %s (%s -> %s)", ways[copy_way(record)], spaces[from], spaces[to]);
}

void kineto_name(const struct trace *trace, op_id id, struct text *out)
{
	const struct record *record = op_record(trace->world, id);
	if (trace_communicates((enum op_kind)record->kind))
		put_nccl_name(trace, id, out);
	else if (record->kind == OP_COPY)
		put_copy_name(record, out);
	else
		text_add(out, "%s", names_text(trace->world->names, record->title));
}

/* Names of ProcessGroupNCCL; several sends and receives at once are its batch_isend_irecv */
static void put_nccl_operator(const struct world *world, op_id id, struct text *out)
{
	static const struct {
		const char *name, *torch;
	} operators[] = {{"allreduce", "all_reduce"}, {"allgather", "all_gather"},
	        {"reducescatter", "reduce_scatter"}, {"alltoall", "all_to_all"},
	        {"barrier", "all_reduce_barrier"}};
	const struct record *record = op_record(world, id);
	const struct part *part = record->part;
	if (record->kind == OP_P2P) {
		bool sends = part->direction == P2P_SEND;
		text_add(out, "nccl:");
		if (record->parts > 1)
			text_add(out, "coalesced");
		else
			text_add(out, "%s %d%s%d", sends ? "send" : "recv", world->ops[id].rank,
			        sends ? "->" : "<-", part->peer);
		return;
	}
	const char *name = record->collective->name;
	for (size_t i = 0; i < sizeof operators / sizeof *operators; i++)
		if (strcmp(operators[i].name, name) == 0)
			name = operators[i].torch;
	text_add(out, "nccl:%s", name);
}

void kineto_operator(const struct world *world, op_id id, struct text *out)
{
	const struct record *record = op_record(world, id);
	if (record->kind == OP_COLLECTIVE || record->kind == OP_P2P)
		put_nccl_operator(world, id, out);
	else
		text_add(out, "%s::%s", record->kind == OP_ONE_SIDED ? "c10d" : "aten",
		        record->kind == OP_COPY ? "copy_" : names_text(world->names, record->title));
}
