/* test_random_gpus.c -- random programs say the same on the stand-in's GPUs, whose calls are late by chance, as on the
 * simulator: mpirun -n {1,2,3,4,5,8} test_random_gpus [FIRST COUNT GPUS OPTION]
 *
 * What a program prints hangs on no time: before a stream touches a tensor it waits for the one that did last. Each rank
 * has a list of lines; how those of different ranks are mixed is drawn too, and on which stream a rank takes part in what
 * all do. By itself it runs a few programs, on a GPU a rank where the number of ranks is even (NCCL), else on one for all. */
#include "cuda/open.h"
#include "shell/commands/table.h"
#include "shell/session/device.h"
#include "shell/submit/rows.h"
#include "tests/mpi/check.h"
#include "tests/unit/random_program.h"

#include <libgen.h>
#include <stdlib.h>
#include <unistd.h>

enum { PARTS = 3, STEPS = 14, LINES_MOST = 1600, BYTES = 120 };
enum { DEFAULT, HOST_STREAM = 4, STREAMS = 5, TENSORS = 8 };
static const char *const stream_names[STREAMS] = {"default", "io", "compute", "comm", "worker"};
static const char tensor_names[TENSORS] = "xyzhpqud"; /* all but w, which is only read */

/* Lines in the order of their typing */
struct script {
	int ranks, count;
	char line[LINES_MOST][BYTES];
};
struct writer {
	struct dice dice;
	struct script *script;
	int last[PROGRAM_RANKS][TENSORS]; /* the stream that touched it last */
	int queue[PROGRAM_RANKS][STEPS * 10],
	        queued[PROGRAM_RANKS]; /* lines of a part that are to be mixed */
	bool shared;                   /* ranks share a GPU */
	char pool[LINES_MOST][BYTES];
	int pooled;
};

/* A, B, C in a form are three of x y z; S is a stream, K a rank, N its successor. */
static const char *const own_forms[] = {"A = add B C on S", "A = maximum B C on S", "A = sub A B on S",
        "A = relu B on S", "A = scale B 0.5 on S", "A += B on S", "A = matmul B w on S", "fill A 3 on S",
        "sgd A B lr=0.25 on S", "copy h -> A on S", "copy A -> h on S", "copy A -> B on S",
        "copy A[0:60] -> B[60:120] on S", "spin 200us on S", "host 100us", "record e on S", "wait e on S",
        "record f on S", "wait f on S", "slow 2x", "slow 1x", "copy d -> p on worker", "copy p -> A",
        "print A[0,0] sum(B)", "launch own on S"};
static const char *const shared_forms[] = {"allreduce A on S", "allreduce A op=max on S",
        "allreduce A in half op=avg on S", "broadcast A root=K on S", "reduce A root=K on S",
        "sendrecv A -> B to=(rank+1)%world from=(rank-1)%world on S", "q = allgather A on S",
        "u = reducescatter A on S", "B = alltoall A on S", "broadcast A in half on S", "barrier on S",
        "together on S { allreduce A; allreduce B op=min }", "launch all on S",
        "together on S { send A to=(rank+1)%world; recv B from=(rank-1)%world }"};

static bool is_letter(const char *at, const char *from)
{
	bool before = at > from && ((at[-1] >= 'a' && at[-1] <= 'z') || at[-1] == '_');
	bool behind = at[1] >= 'a' && at[1] <= 'z';
	return !before && !behind;
}

static void put_line(struct writer *writer, int rank, const char *line)
{
	snprintf(writer->pool[writer->pooled], BYTES, "@%d %.100s", rank, line);
	writer->queue[rank][writer->queued[rank]++] = writer->pooled++;
}

/* What touched the tensors last is waited for. */
static void touch(struct writer *writer, int rank, int stream, const char *names)
{
	char line[BYTES];
	bool waits[STREAMS] = {false};
	for (int i = 0; i < TENSORS; i++) {
		int *last = &writer->last[rank][i];
		if (!strchr(names, tensor_names[i]))
			continue;
		if (*last != stream && !waits[*last]) {
			snprintf(line, sizeof line, "wait %s on %s", stream_names[*last],
			        stream_names[stream]);
			put_line(writer, rank, line);
			waits[*last] = true;
		}
		*last = stream;
	}
}

/* abc: what A, B and C stand for */
static void write_form(
        struct writer *writer, int rank, int stream, const char *form, const char *abc, int root)
{
	struct text line = {0}, names = {0};
	bool graph = strncmp(form, "launch", 6) == 0, host = strstr(form, "on worker") != NULL;
	bool current = !strstr(form, "on S") && !host; /* a pageable copy, a print */
	stream = host ? HOST_STREAM : current ? DEFAULT : stream;
	for (const char *at = form; *at; at++) {
		bool letter = is_letter(at, form);
		if (*at >= 'A' && *at <= 'C')
			text_add(&line, "%c", abc[*at - 'A']), text_put(&names, &abc[*at - 'A'], 1);
		else if (*at == 'S' && letter)
			text_add(&line, "%s", stream_names[stream]);
		else if (*at == 'K' && letter)
			text_add(&line, "%d", root);
		else
			text_put(&line, at, 1);
		if (letter && strchr("hpqud", *at))
			text_put(&names, at, 1);
	}
	touch(writer, rank, stream, graph ? "xyz" : text_string(&names));
	put_line(writer, rank, text_string(&line));
	text_release(&line);
	text_release(&names);
}

static const char *draw_names(struct dice *dice)
{
	static const char *const orders[] = {"xyz", "xzy", "yxz", "yzx", "zxy", "zyx"};
	return orders[throw(dice, 6)];
}

static void write_step(struct writer *writer)
{
	struct dice *dice = &writer->dice;
	int ranks = writer->script->ranks;
	const char *shared = shared_forms[throw(dice, sizeof shared_forms / sizeof *shared_forms)],
	           *abc = draw_names(dice);
	int root = (int) throw(dice, (uint32_t)ranks), to = (int) throw(dice, (uint32_t)ranks);
	char send[BYTES], receive[BYTES];
	for (int rank = 0; rank < ranks; rank++)
		for (uint32_t own = throw(dice, 3); own > 0; own--)
			write_form(writer, rank, (int) throw(dice, HOST_STREAM),
			        own_forms[throw(dice, sizeof own_forms / sizeof *own_forms)],
			        draw_names(dice), 0);
	if (ranks > 1 && to != root && throw(dice, 4) == 0) {
		snprintf(send, sizeof send, "send A to=%d on S", to);
		snprintf(receive, sizeof receive, "recv B from=%d on S", root);
		write_form(writer, root, (int) throw(dice, HOST_STREAM), send, abc, 0);
		write_form(writer, to, (int) throw(dice, HOST_STREAM), receive, abc, 0);
		return;
	}
	/* where ranks share a GPU, what is sent and received as one is over when all its peers have come; simulated, each by itself */
	if (strstr(shared, "rank") && (ranks == 1 || writer->shared))
		return;
	for (int rank = 0; rank < ranks; rank++)
		write_form(writer, rank, (int) throw(dice, HOST_STREAM), shared, abc, root);
}

static void add(struct script *script, const char *line)
{
	if (script->count < LINES_MOST)
		snprintf(script->line[script->count++], BYTES, "%s", line);
}

/* A part's lines, those of a rank in their order */
static void mix(struct writer *writer)
{
	int next[PROGRAM_RANKS] = {0}, ranks = writer->script->ranks;
	for (int left = writer->pooled; left > 0; left--) {
		int rank = (int) throw(&writer->dice, (uint32_t)ranks);
		while (next[rank] == writer->queued[rank])
			rank = (rank + 1) % ranks;
		add(writer->script, writer->pool[writer->queue[rank][next[rank]++]]);
	}
	writer->pooled = 0;
	memset(writer->queued, 0, sizeof writer->queued);
}

static void write_script(struct script *script, uint64_t seed, int ranks, bool shared)
{
	static struct writer writer;
	static const char *const begin[] = {"stream io comm", "stream compute blocking",
	        "stream worker kind=host", "event e f", "tensor x[120,4] = rank + 1",
	        "tensor y[120,4] z[120,4] = uniform seed=rank", "tensor w[4,4] = uniform seed=3 scale=0.3",
	        "tensor h[120,4] pinned = iota", "tensor p[120,4] host = iota", "tensor d[120,4] disk = 2",
	        "tensor q[$(120*world),4] u[$(120/world),4] = zeros",
	        "capture own { y = add x z; x = relu y; z = scale y 0.5 }",
	        "capture all { y = add x y; allreduce y; z = relu y }"};
	static const char *const commit[] = {"sync", "print sum(x) sum(y) sum(z) norm(h)",
	        "print sum(q) sum(u) p[7,1]", "query e", "races", "tensors", "mem", "let a = x[0,0] + y[5,3]",
	        "if a > 3 { x = scale x 0.25 }", "sync"};
	char line[BYTES];
	writer = (struct writer){.dice = {.seed = seed}, .script = script, .shared = shared};
	*script = (struct script){.ranks = ranks};
	for (size_t i = 0; i < sizeof begin / sizeof *begin; i++)
		add(script, begin[i]);
	snprintf(line, sizeof line, ranks > 1 ? "group half 0-%d %d-%d" : "group half 0", ranks / 2 - 1,
	        ranks / 2, ranks - 1);
	add(script, line);
	add(script, "sync");
	for (int part = 0; part < PARTS; part++) {
		for (int step = 0; step < STEPS; step++)
			write_step(&writer);
		mix(&writer);
		for (size_t i = 0; i < sizeof commit / sizeof *commit; i++)
			add(script, commit[i]);
		memset(writer.last, 0, sizeof writer.last);
		snprintf(line, sizeof line, part == 1 ? "free t0" : "tensor t%d[500,7] = rank", part);
		add(script, line);
	}
}

/* ---- running */

static enum status play(const struct script *script, struct transport *transport, const struct device *device,
        struct text *said)
{
	struct shell shell = {.device = device};
	struct credit credit = {0};
	struct typist typist = {.shell = &shell};
	credit_start(&credit, transport, &shell.budget);
	shell.credit = &credit;
	enum status status = shell_open(&shell, transport, script->ranks, false, "classroom");
	/* what one rank prints may wait for lines of others: that is said, and it goes on */
	for (int i = 0; i < script->count && status == ST_OK; i++)
		if (type_line(&typist, script->line[i], true) != ST_OK)
			text_add(&typist.said, "%s\n", fail_text());
	shell_close(&shell);
	*said = typist.said;
	return status;
}

/* The first line that differs, with what was typed before it */
static void show_difference(uint64_t seed, const char *sim, const char *gpu)
{
	size_t at = 0, from = 0;
	while (sim[at] && sim[at] == gpu[at])
		if (sim[at++] == '\n')
			from = at;
	fprintf(stderr, "seed %llu, simulated: %.300s\n---- on GPUs: %.300s\n", (unsigned long long)seed,
	        sim + from, gpu + from);
}

static void compare(
        struct checks *checks, struct transport *transport, const struct device *device, uint64_t seed)
{
	static struct script script;
	struct text sim = {0}, gpu = {0};
	write_script(&script, seed, transport_size(transport), device->job->placement.shared);
	CHECK(checks, script.count < LINES_MOST);
	for (int i = 0; i < script.count && checks->rank == 0 && getenv("RANDOM_GPUS_SHOW"); i++)
		printf("%s\n", script.line[i]);
	CHECK(checks, play(&script, transport, &device_sim, &sim) == ST_OK);
	CHECK(checks, play(&script, transport, device, &gpu) == ST_OK);
	bool same = strcmp(text_string(&sim), text_string(&gpu)) == 0;
	CHECK(checks, same);
	if (!same && checks->rank == 0)
		show_difference(seed, text_string(&sim), text_string(&gpu));
	text_release(&sim);
	text_release(&gpu);
}

/* Some calls of this process are late, others than those of its peers. */
static void set_standin(uint64_t seed, int rank, int gpus, const char *option)
{
	static const char *const calls[] = {"cuLaunchKernel", "cuMemcpyHtoDAsync", "cuMemcpyDtoDAsync",
	        "cuEventRecord", "cuStreamWaitEvent", "cuStreamWriteValue32", "cuStreamWaitValue32",
	        "cuEventQuery", "cuStreamCreateWithPriority", "ncclAllReduce", "ncclGroupEnd", "cuMemAlloc"};
	struct dice dice = {.seed = seed * 1000 + (uint64_t)rank};
	struct text options = {0};
	char path[4096], directory[4200];
	ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
	path[length < 0 ? 0 : length] = '\0';
	snprintf(directory, sizeof directory, "%s/../standin", dirname(path));
	text_add(&options, "memory=100GB gpus=%d %s", gpus, option);
	for (uint32_t late = throw(&dice, 4); late > 0; late--)
		text_add(&options, " delay=%s:%uus", calls[throw(&dice, sizeof calls / sizeof *calls)],
		        1 + throw(&dice, 100));
	setenv("RANKSH_CUDA", directory, 1);
	setenv("RANKSH_STANDIN", text_string(&options), 1);
	text_release(&options);
}

int main(int argc, char **argv)
{
	commands_start(command_table);
	struct transport *transport;
	struct checks checks = {0};
	struct device *device;
	struct options options = {.device = "cuda", .device_by = DEVICE_TYPED};
	if (transport_start(&transport, true, &argc, &argv) != ST_OK ||
	        transport_size(transport) > PROGRAM_RANKS)
		return 1;
	int ranks = transport_size(transport);
	bool by_hand = argc == 5;
	uint64_t first = by_hand ? strtoull(argv[1], NULL, 10) : 1,
	         count = by_hand ? strtoull(argv[2], NULL, 10)
	        : ranks < 8      ? 2
	                         : 1;
	checks.rank = transport_rank(transport);
	set_standin(first, checks.rank,
	        by_hand             ? atoi(argv[3])
	                : ranks % 2 ? 1
	                            : ranks,
	        by_hand ? argv[4] : "free");
	options.n = ranks;
	CHECK(&checks, device_open(&options, transport, 0, &device) == ST_OK);
	for (uint64_t seed = first; seed < first + count && device->here; seed++)
		compare(&checks, transport, device, seed);
	device_close(device);
	return checks_end(&checks, transport, "test_random_gpus");
}
