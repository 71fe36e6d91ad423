/* kineto.c -- one rank's timeline in the format of PyTorch's profiler (Kineto), for its readers
 *
 *   host, pid 1000+rank   |aten::matmul|      |nccl:all_reduce|          cpu_op
 *                          |launch|            |launch|                  cuda_runtime   corr. 17
 *                            \ ac2g              \                       a flow
 *   GPU, pid rank % gpus      |== matmul ==|       |= ncclDevKernel... =|  kernel       corr. 17
 *     tid, args.stream: the stream's number          from the rank's own arrival, so with waiting
 *
 * Work of a stream on the host's processor, such as an optimizer on host memory or a disk read, is
 * a cpu_op on a thread of its own, launched by cudaLaunchHostFunc.
 *
 * A correlation is an operation's number. Grids, occupancy and Python stacks are left out, because
 * there are none. */
#include "base/arithmetic.h"
#include "trace/export.h"
#include "trace/lanes.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { HOST_PIDS = 1000 };

struct kineto {
	const struct trace *trace;
	const struct export_options *options;
	int rank, gpus, device, host; /* gpus: of a node; device, host: pids */
	struct text *out;
	struct text words;
	bool begun;
};

static void event_begin(struct kineto *k, const char *category, int pid, int tid, int64_t from, int64_t to)
{
	text_add(k->out,
	        "%s{\"ph\":\"X\",\"cat\":\"%s\",\"pid\":%d,\"tid\":%d,\"ts\":%" PRId64
	        ".%03d,\"dur\":%" PRId64 ".%03d,\"name\":",
	        k->begun ? ",\n" : "", category, pid, tid, US(from), US(most_of(to - from, 0)));
	k->begun = true;
}

static void put_metadata(struct kineto *k, const char *what, int pid, int tid, const char *name)
{
	text_add(k->out, "%s{\"ph\":\"M\",\"ts\":0,\"pid\":%d,\"tid\":%d,\"name\":\"%s\",\"args\":{\"%s\":",
	        k->begun ? ",\n" : "", pid, tid, what, strstr(what, "labels") ? "labels" : "name");
	export_string(k->out, name);
	text_add(k->out, "}}");
	k->begun = true;
}

static bool is_gpu_work(const struct kineto *k, const struct moment *m)
{
	return trace_is_work((enum op_kind)m->kind) && !trace_by_host(k->trace->world, m->id);
}

static void put_gpu_args(struct kineto *k, op_id id, int stream)
{
	text_add(k->out,
	        ",\"args\":{\"External id\":%u,\"device\":%d,\"context\":1,\"stream\":%d,\"correlation\":%u",
	        id, k->device, stream, id);
}

static void put_nccl_args(struct kineto *k, op_id id)
{
	const struct world *world = k->trace->world;
	const struct record *record = op_record(world, id);
	const struct group *group = &world->groups[record->group >= 0 ? record->group : 0];
	const struct group_instance *part = group_part(group, k->rank);
	bool p2p = record->kind != OP_COLLECTIVE;
	text_add(k->out, ",\"Collective name\":");
	export_string(k->out,
	        !p2p ? names_text(world->names, record->title)
	                : record->kind == OP_P2P && record->part[0].direction == P2P_RECV ? "recv"
	                                                                                  : "send");
	text_add(k->out,
	        ",\"In msg nelems\":%" PRId64 ",\"Out msg nelems\":%" PRId64
	        ",\"Group size\":%d,\"dtype\":\"%s\",\"Rank\":%d",
	        kineto_elements(record, part->n, ACCESS_READ), kineto_elements(record, part->n, ACCESS_WRITE),
	        part->n, kineto_type(record), k->rank);
	if (p2p)
		text_add(k->out, ",\"Peer\":%d", record->part[0].peer);
	text_add(k->out, ",\"In split size\":\"[]\",\"Out split size\":\"[]\",\"Process Group Name\":");
	export_string(k->out, names_text(world->names, group->name));
	text_add(k->out, ",\"Process Group Description\":");
	export_string(k->out, names_text(world->names, group->name));
	text_add(k->out, ",\"Process Group Ranks\":\"[");
	for (int i = 0; i < part->n; i++)
		text_add(k->out, "%s%d", i ? ", " : "", part->ranks[i]);
	text_add(k->out, "]\"");
}

static void put_work(struct kineto *k, op_id id, const struct times *t)
{
	const struct record *record = op_record(k->trace->world, id);
	int stream = k->trace->world->ops[id].stream;
	bool nccl = trace_communicates((enum op_kind)record->kind), copy = record->kind == OP_COPY;
	int64_t from = nccl ? least_of(t->ready, t->start) : t->start;
	event_begin(k, copy ? "gpu_memcpy" : "kernel", k->device, stream, from, t->end);
	text_clear(&k->words);
	kineto_name(k->trace, id, &k->words);
	export_string(k->out, text_string(&k->words));
	put_gpu_args(k, id, stream);
	if (copy && t->end > t->start)
		text_add(k->out, ",\"bytes\":%" PRId64 ",\"memory bandwidth (GB/s)\":%.6f", record->bytes,
		        (double)record->bytes / (double)(t->end - t->start));
	if (nccl)
		put_nccl_args(k, id);
	text_add(k->out, "}}");
	text_add(k->out,
	        ",\n{\"ph\":\"s\",\"id\":%u,\"pid\":%d,\"tid\":%d,\"ts\":%" PRId64
	        ".%03d,\"cat\":\"ac2g\",\"name\":\"ac2g\"}",
	        id, k->host, k->host, US(most_of(t->issue - t->launch, 0)));
	text_add(k->out,
	        ",\n{\"ph\":\"f\",\"id\":%u,\"pid\":%d,\"tid\":%d,\"ts\":%" PRId64
	        ".%03d,\"cat\":\"ac2g\",\"name\":\"ac2g\",\"bp\":\"e\"}",
	        id, k->device, stream, US(from));
}

static void put_sync(struct kineto *k, op_id id, const char *name, int stream, int64_t from, int64_t to)
{
	const struct world *world = k->trace->world;
	op_id target = world->ops[id].target;
	event_begin(k, "cuda_sync", k->device, stream, from, to);
	text_add(k->out, "\"%s\"", name);
	put_gpu_args(k, id, stream);
	if (op_record(world, id)->kind == OP_WAIT && target && target != OP_EVERYTHING)
		text_add(k->out,
		        ",\"wait_on_stream\":%d,\"wait_on_cuda_event_record_corr_id\":%u,\"wait_on_cuda_"
		        "event_id\":%u",
		        world->ops[target].stream, target, target);
	text_add(k->out, "}}");
}

/* number: the callback id in CUPTI (cupti_runtime_cbid.h), by which some readers identify calls */
static void put_call(struct kineto *k, op_id id, const char *name, int number, int64_t from, int64_t to)
{
	event_begin(k, "cuda_runtime", k->host, k->host, from, to);
	text_add(k->out, "\"%s\",\"args\":{\"External id\":%u,\"cbid\":%d,\"correlation\":%u}}", name, id,
	        number, id);
}

static void put_cpu_op(struct kineto *k, op_id id, int tid, int64_t from, int64_t to)
{
	const struct world *world = k->trace->world;
	const struct record *record = op_record(world, id);
	event_begin(k, "cpu_op", k->host, tid, from, to);
	text_clear(&k->words);
	kineto_operator(world, id, &k->words);
	export_string(k->out, text_string(&k->words));
	text_add(k->out, ",\"args\":{\"External id\":%u,\"Ev Idx\":%u", id, id);
	if (record->line)
		text_add(k->out, ",\"Line\":%d", record->line);
	text_add(k->out, "}}");
}

static void put_host(struct kineto *k, op_id id, const struct times *t)
{
	const struct world *world = k->trace->world;
	const struct op *op = &world->ops[id];
	const struct record *record = op_record(world, id);
	int64_t from = most_of(t->issue - t->launch, 0);
	bool all = op->target == OP_EVERYTHING;
	if (trace_is_work(record->kind) && trace_by_host(world, id)) {
		put_call(k, id, "cudaLaunchHostFunc", 284, from, t->issue);
		put_cpu_op(k, id, k->host + op->stream, t->start, t->end);
	} else if (trace_is_work(record->kind)) {
		put_cpu_op(k, id, k->host, from, t->issue);
		if (record->kind == OP_COPY)
			put_call(k, id, "cudaMemcpyAsync", 41, from, t->issue);
		else
			put_call(k, id, "cudaLaunchKernel", 211, from, t->issue);
	} else if (record->kind == OP_RECORD) {
		put_call(k, id, "cudaEventRecord", 135, from, t->issue);
	} else if (record->kind == OP_WAIT) {
		put_call(k, id, "cudaStreamWaitEvent", 147, from, t->issue);
		put_sync(k, id, "Stream Wait Event", op->stream, t->issue, t->issue);
	} else if (record->kind == OP_SYNC) {
		put_call(k, id, all ? "cudaDeviceSynchronize" : "cudaStreamSynchronize", all ? 165 : 131,
		        t->start, t->end);
		put_sync(k, id, all ? "Context Sync" : "Stream Sync",
		        all || !op->target ? -1 : world->ops[op->target].stream, t->start, t->end);
	} else if (record->kind == OP_SEGMENT) {
		put_call(k, id, "cudaMalloc", 20, t->start, t->end);
	} else if (record->kind == OP_HOST) {
		put_cpu_op(k, id, k->host, t->start, t->end);
	}
}

static bool is_done(const struct trace *trace, const struct export_options *options, const struct times *t)
{
	return t->issue != TIME_UNKNOWN && !t->projected && backend_is_over(trace->backend, t, options->now);
}

size_t trace_unfinished(const struct trace *trace, const struct export_options *options)
{
	const struct world *world = trace->world;
	size_t count = 0;
	for (op_id id = 1; id <= world->op_count; id++) {
		struct times t = backend_times(trace->backend, id);
		count += trace_is_work((enum op_kind)op_record(world, id)->kind) &&
		        !is_done(trace, options, &t) && ranks_has(options->ranks, world->ops[id].rank);
	}
	return count;
}

/* Writes an iteration's annotations: on the host all its time, on the GPU from its first work to
 * its last. Returns the index of the first moment after it. */
static size_t put_step(struct kineto *k, const struct lanes *lanes, const struct iteration *it, size_t from)
{
	struct window host = {TIME_UNKNOWN, 0, 0}, gpu = host;
	size_t i = from;
	for (; i < lanes->count && (!it->end || lanes->moment[i].id < it->end); i++) {
		const struct moment *m = &lanes->moment[i];
		const struct times *t = &m->t;
		if (m->id < it->first || m->kind == OP_FILL || !is_done(k->trace, k->options, t))
			continue;
		bool on_host = op_kind_is_host((enum op_kind)m->kind);
		host.from = least_of(host.from, on_host ? t->start : most_of(t->issue - t->launch, 0));
		host.to = most_of(host.to, on_host ? t->end : t->issue);
		if (is_gpu_work(k, m)) {
			gpu.from = least_of(gpu.from, t->start);
			gpu.to = most_of(gpu.to, t->end);
		}
	}
	if (host.from < host.to) {
		event_begin(k, "user_annotation", k->host, k->host, host.from, host.to);
		text_add(k->out, "\"ProfilerStep#%d\",\"args\":{\"External id\":0}}", it->number);
	}
	if (gpu.from < gpu.to) {
		event_begin(k, "gpu_user_annotation", k->device, STREAM_DEFAULT, gpu.from, gpu.to);
		text_add(k->out, "\"ProfilerStep#%d\",\"args\":{\"External id\":0}}", it->number);
	}
	return i;
}

static void put_memory(struct kineto *k)
{
	size_t count;
	const struct memory_change *change = world_memory_changes(k->trace->world, k->rank, &count);
	int64_t allocated = 0, reserved = 0;
	for (size_t i = 0; i < count; i++) {
		int64_t then = trace_clock_after(k->trace, change[i].after);
		bool segment = change[i].kind == MEMORY_RESERVED;
		if (then == TIME_UNKNOWN)
			break;
		*(segment ? &reserved : &allocated) += change[i].bytes;
		if (segment)
			continue;
		text_add(k->out,
		        "%s{\"ph\":\"i\",\"cat\":\"cpu_instant_event\",\"s\":\"t\",\"name\":\"[memory]\","
		        "\"pid\":%d,\"tid\":%d,"
		        "\"ts\":%" PRId64 ".%03d,\"args\":{\"Total Reserved\":%" PRId64
		        ",\"Total Allocated\":%" PRId64 ",\"Bytes\":%" PRId64
		        ",\"Device Id\":%d,\"Device Type\":1}}",
		        k->begun ? ",\n" : "", k->host, k->host, US(then), reserved, allocated,
		        change[i].bytes, k->device);
		k->begun = true;
	}
}

/* The list has all GPUs of the node, because readers index it by an event's device. */
static void put_head(struct kineto *k)
{
	const struct world *world = k->trace->world;
	text_add(k->out, EXPORT_KINETO_BEGINS "\"schemaVersion\":1,\n\"deviceProperties\":[");
	for (int gpu = 0; gpu < k->gpus; gpu++) {
		text_add(k->out, "%s{\"id\":%d,\"name\":", gpu ? "," : "", gpu);
		export_string(k->out, world->machine->name);
		text_add(k->out, ",\"totalGlobalMem\":%.0f}", world->machine->memory);
	}
	text_add(k->out,
	        "],\n\"distributedInfo\": {\"rank\": %d,\"backend\": \"nccl\",\"world_size\": "
	        "%d,\"pg_count\": "
	        "%zu},\n",
	        k->rank, world->n, world->group_count);
	text_add(k->out,
	        "\"displayTimeUnit\":\"ms\",\"baseTimeNanoseconds\":0,\n\"traceName\":\"ranksh rank %d\",\n",
	        k->rank);
	text_add(k->out, "\"traceEvents\":[\n");
}

static void put_names(struct kineto *k, const struct lanes *lanes)
{
	char name[32];
	put_metadata(k, "process_name", k->host, 0, "ranksh");
	put_metadata(k, "process_labels", k->host, 0, "CPU");
	put_metadata(k, "process_name", k->device, 0, "ranksh");
	snprintf(name, sizeof name, "GPU %d", k->device);
	put_metadata(k, "process_labels", k->device, 0, name);
	put_metadata(k, "thread_name", k->host, k->host, "host");
	for (int stream = STREAM_DEFAULT; stream < lanes->streams; stream++) {
		const char *name_of = trace_lane_name(k->trace, k->rank, stream);
		if (!world_stream(k->trace->world, k->rank, stream)->host)
			put_metadata(k, "thread_name", k->device, stream, name_of);
		bool calls_host = false;
		for (uint32_t i = lanes->first[stream]; i < lanes->first[stream + 1]; i++)
			calls_host |= trace_by_host(k->trace->world, moment_at(lanes, i)->id);
		if (calls_host)
			put_metadata(k, "thread_name", k->host, k->host + stream, name_of);
	}
}

static void put_operations(struct kineto *k, const struct lanes *lanes)
{
	for (size_t i = 0; i < lanes->count; i++) {
		const struct moment *m = &lanes->moment[i];
		const struct times *t = &m->t;
		if (!is_done(k->trace, k->options, t) || t->end <= k->options->window.from ||
		        most_of(t->issue - t->launch, 0) >= k->options->window.to)
			continue;
		put_host(k, m->id, t);
		if (is_gpu_work(k, m))
			put_work(k, m->id, t);
	}
}

enum status trace_export_kineto(
        const struct trace *trace, const struct export_options *options, int rank, struct text *out)
{
	struct lanes lanes = {0};
	int gpus = (int)most_of((int64_t)trace->world->machine->gpus, 1);
	struct kineto k = {.trace = trace,
	        .options = options,
	        .rank = rank,
	        .gpus = gpus,
	        .device = rank % gpus,
	        .host = HOST_PIDS + rank,
	        .out = out};
	enum status status = lanes_load(&lanes, trace, rank);
	if (status == ST_OK) {
		put_head(&k);
		put_names(&k, &lanes);
		for (size_t i = 0, from = 0; i < trace->world->iteration_count; i++)
			from = put_step(&k, &lanes, &trace->world->iterations[i], from);
		put_operations(&k, &lanes);
		put_memory(&k);
		text_add(out, "\n]}\n");
	}
	text_release(&k.words);
	lanes_release(&lanes);
	return status;
}
