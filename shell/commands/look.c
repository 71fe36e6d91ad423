/* look.c -- stalls, stats, traffic, critical, races, stuck, diff, at, mem: pictures and tables of
 * trace/
 *
 * A look moves no clock, so a replay leaves these lines out. Work that depends on later lines is
 * projected as if none came, and drawn dimmed. */
#include "shell/language/run/answer.h"
#include "shell/session/queue.h"
#include "shell/session/quote.h"
#include "shell/session/timeline.h"
#include "shell/replay/replay.h"
#include "shell/training/training.h"
#include "races/races.h"
#include "world/tensor_kind.h"
#include "trace/critical.h"
#include "waits/circles.h"
#include "shell/language/run/command.h"

#include <stdio.h>
#include <string.h>

static struct trace look_trace(const struct call *call)
{
	struct shell *shell = call->shell;
	bool some = ranks_count(call->set) < shell->world->n;
	return (struct trace){.world = shell->world,
	        .backend = shell->backend,
	        .budget = &shell->budget,
	        .ranks = some ? call->set : NULL};
}

/* Both steps count in the budget: Ctrl-C ends a long look at the same step on every process. */
static enum status look_begin(struct call *call, struct trace *trace)
{
	*trace = look_trace(call);
	return shell_look(call->shell);
}

static enum status look_section_argument(struct call *call, int row, int *section)
{
	const char *word;
	enum status status = call_common(call, row, &word);
	return status == ST_OK ? section_find(call->shell, word, section) : status;
}

static enum status look_table_run(struct call *call)
{
	static const struct {
		const char *name;
		enum status (*make)(const struct trace *trace, int section, int width, struct text *out);
	} tables[] = {{"stalls", trace_stalls}, {"stats", trace_stats}, {"traffic", trace_traffic},
	        {"roofline", trace_roofline}, {"critical", trace_critical}};
	int section = interpreter_section_now(call->shell), i = 0;
	struct trace trace;
	struct text text = {0};
	while (strcmp(tables[i].name, call->statement->row->name) != 0)
		i++;
	enum status status = look_begin(call, &trace);
	if (status == ST_OK && call_count(call, 0))
		status = look_section_argument(call, 0, &section);
	if (status == ST_OK)
		status = tables[i].make(&trace, section, out_width(call->shell->out), &text);
	return answer(call, &text, status);
}

const struct command command_stalls = {
        .name = "stalls",
        .topic = "look",
        .usage = "stalls [SECTION]",
        .help = "shows how long each rank's streams waited, by cause, and which operation or rank caused "
                "the longest waits",
        .example = "stream io compute\nspin 2ms on io\nwait io on compute\nspin 1ms on compute\nsync\nstalls",
        .class = COMMAND_LOOK,
        .argument = {{ARG_WORD, ARG_OPTIONAL, NULL, "SECTION"}},
        .run = look_table_run,
};

static void stats_number(void *self, int rank, const char *name, double value)
{
	shell_number(self, rank, name, value);
}

static enum status stats_numbers(struct call *call)
{
	struct trace trace;
	int section = interpreter_section_now(call->shell);
	enum status status = look_begin(call, &trace);
	if (status == ST_OK && call_count(call, 0))
		status = look_section_argument(call, 0, &section);
	return status == ST_OK ? trace_figures(&trace, section, stats_number, call->shell) : status;
}

static enum status stats_run(struct call *call)
{
	struct text line = {0};
	enum status status = look_table_run(call);
	if (status == ST_OK && call->shell->numbers.wanted)
		status = stats_numbers(call);
	if (status == ST_OK) {
		state_memory(call->shell, call->set, true, &line);
		status = state_progress(call->shell, &line);
	}
	return answer(call, &line, status);
}

const struct command command_stats = {
        .name = "stats",
        .topic = "look",
        .usage = "stats [SECTION]",
        .help = "shows a section's figures: time, how busy each stream was, overlap, exposed "
                "communication, stalls (share of the time, averaged over the GPU's streams; `stalls` lists"
                " each), bytes sent, peak memory, a schedule's bubble. For a mesh with several axes: bytes"
                " and exposed time per axis. On GPUs: the simulator's prediction for each operation type. "
                "For a program also, over all iterations: the loss, tokens per second, steps skipped by a "
                "dynamic loss scale, and the peak memory by kind. `@0-3 stats` shows some ranks, as in all"
                " tables",
        .example = "spin 2ms\nsync\nstats",
        .class = COMMAND_LOOK,
        .argument = {{ARG_WORD, ARG_OPTIONAL, NULL, "SECTION"}},
        .run = stats_run,
};

const struct command command_roofline = {
        .name = "roofline",
        .topic = "look",
        .usage = "roofline [SECTION]",
        .help = "shows for each kernel its FLOP/s and bytes per second, both as a share of the machine's "
                "peak and memory bandwidth, its limit (flops, bytes or its latency), and the time it lost by "
                "sharing the device. In expressions: flop_share(KERNEL) and byte_share(KERNEL)",
        .example = "tensor x[256,256] w[256,256] = randn\ny = matmul x w\nz = relu y\nsync\nroofline",
        .class = COMMAND_LOOK,
        .argument = {{ARG_WORD, ARG_OPTIONAL, NULL, "SECTION"}},
        .run = look_table_run,
};

const struct command command_traffic = {
        .name = "traffic",
        .topic = "look",
        .usage = "traffic [SECTION]",
        .help = "shows the bytes that each rank sent, by link and by receiver. For collectives: the total "
                "size, the bytes sent by the rank that sends most, the lower bound for links alone "
                "(allreduce 2(n-1)/n of the size, allgather (n-1)/n), the distance from this bound, the "
                "number of sends, and the algorithm",
        .example = "tensor g[1k] = rank\nallreduce g\nsync\ntraffic",
        .class = COMMAND_LOOK,
        .argument = {{ARG_WORD, ARG_OPTIONAL, NULL, "SECTION"}},
        .run = look_table_run,
};

const struct command command_critical = {
        .name = "critical",
        .topic = "look",
        .usage = "critical [SECTION]",
        .help = "shows the critical path: the chain of operations across ranks that determines the "
                "section's end. Each operation had to finish before the next could begin, and their times "
                "add up to the whole. Also shows the time by kind, and the slack of the longest other "
                "operations: how much longer each could take without moving the end",
        .example = "tensor x[256,256] w[256,256] = randn\n@2 slow 2x\ny = matmul x w\nallreduce "
                   "y\nsync\ncritical",
        .class = COMMAND_LOOK,
        .argument = {{ARG_WORD, ARG_OPTIONAL, NULL, "SECTION"}},
        .run = look_table_run,
};

/* Appends the orders in which NCCL can hang, which then need no warning any more. */
static void look_put_orders(struct shell *shell, struct text *text)
{
	const struct trace trace = {.world = shell->world, .backend = shell->backend};

	shell->reported.circles = circles_now(shell->world)->count;
	while (world_order_warning(shell->world, shell->reported.orders))
		shell->reported.orders++;
	while (world_swapped(shell->world, shell->reported.swaps))
		shell->reported.swaps++;
	trace_orders(&trace, out_width(shell->out), text);
}

/* Races follow from the order of streams and waits. Listed ones need no warning any more. */
static enum status races_run(struct call *call)
{
	struct shell *shell = call->shell;
	struct trace trace = {.world = shell->world, .backend = shell->backend};
	struct text text = {0};
	shell->reported.races = races_now(shell->world)->count;
	trace_races(&trace, 0, !shell->course.watch, out_width(shell->out), &text);
	look_put_orders(shell, &text);
	return answer(call, &text, ST_OK);
}

const struct command command_races = {
        .name = "races",
        .topic = "look",
        .help = "reports pairs of operations that access the same memory without an order between them, "
                "and the line that would order them. Also reports groups whose ranks queue operations in "
                "different orders, if NCCL can hang, even if only in combination with other groups",
        .example = "tensor h[64] pinned = randn\ntensor x[64] = zeros\nstream io compute\ncopy h -> x on "
                   "io\ny = relu x on compute\nraces",
        .class = COMMAND_LOOK,
        .run = races_run,
};

static enum status stuck_run(struct call *call)
{
	struct trace trace;
	struct text text = {0};
	enum status status = look_begin(call, &trace);
	if (status == ST_OK) {
		trace_stuck(&trace, out_width(call->shell->out), false, &text);
		look_put_orders(call->shell, &text);
	}
	return answer(call, &text, status);
}

const struct command command_stuck = {
        .name = "stuck",
        .topic = "look",
        .help = "shows which rank waits for which, the reason, and whether a line of yours can release it."
                " Also shows orders in which NCCL can hang, as `races` does, and a collective's tensors "
                "and lines on each rank if they differ",
        .example = "tensor g[64] = rank\n@0 allreduce g\nstuck\n@1-3 allreduce g\nsync",
        .class = COMMAND_LOOK,
        .run = stuck_run,
};

static bool diff_is_file(const char *word)
{
	return strchr(word, '/') || strchr(word, '.');
}

static enum status diff_run(struct call *call)
{
	struct trace trace;
	struct text text = {0};
	const char *words[2];
	int a, b;
	enum status status = call_common(call, 0, &words[0]);
	if (status == ST_OK)
		status = call_common(call, 1, &words[1]);
	if (status != ST_OK)
		return status;
	if (diff_is_file(words[0]) != diff_is_file(words[1]))
		return fail(ST_ARGUMENT,
		        "diff: two sections, or two files; `journal save %s` writes this session's lines",
		        quoted_word("%s", words[diff_is_file(words[1])]).text);
	struct question *question = diff_is_file(words[0]) ? question_make(call, answer_diff) : NULL;
	for (int i = 0; question && i < 2 && status == ST_OK; i++)
		if (snprintf(question->world[i], sizeof question->world[i], "%s", words[i]) >=
		        (int)sizeof question->world[i])
			status = fail(ST_FILE, "diff: a file's name is too long");
	if (diff_is_file(words[0]))
		return question ? question_end(call->shell, question, status) : ST_OK;
	status = look_begin(call, &trace);
	if (status == ST_OK)
		status = section_find(call->shell, words[0], &a);
	if (status == ST_OK)
		status = section_find(call->shell, words[1], &b);
	if (status == ST_OK)
		status = trace_diff(&trace, a, b, out_width(call->shell->out), &text);
	return answer(call, &text, status);
}

const struct command command_diff = {
        .name = "diff",
        .topic = "look",
        .usage = "diff SECTION SECTION | diff FILE.rsh FILE.rsh",
        .help = "shows two sections' figures side by side. Two files, as `journal save` writes them, are "
                "run, each in its own world without data, and are also compared operation by operation",
        .example = "mark slow\nspin 2ms\nsync\nmark quick\nspin 1ms\nsync\ndiff slow quick",
        .class = COMMAND_LOOK,
        .argument = {{ARG_FILE, 0, NULL, "SECTION|FILE"}, {ARG_FILE, 0, NULL, "SECTION|FILE"}},
        .run = diff_run,
};

static enum status at_run(struct call *call)
{
	struct shell *shell = call->shell;
	struct number number;
	int64_t time = 0;
	struct trace trace;
	struct text text = {0};
	if (strcmp(call_argument_text(call, 0, 0), "off") == 0) {
		shell->at.set = false;
		return ST_OK;
	}
	enum status status = call_number(call, 0, 0, COMMON, &number);
	if (status == ST_OK && !number_is_time(number, &time))
		status = fail(ST_UNIT, "at needs a virtual time: at 3.2ms");
	if (status == ST_OK)
		status = look_begin(call, &trace);
	if (status == ST_OK)
		status = trace_at(&trace, time, out_width(shell->out), &text);
	if (status != ST_OK)
		return answer(call, &text, status);
	int64_t end = trace_window(&trace, -1).to, forecast = trace_forecasts(&trace, time);
	if (end < time && !trace_hangs(&trace)) {
		text_add(&text, end ? "   everything ends before, at " : "   nothing has run yet");
		if (end)
			time_text(end, &text);
		text_add(&text, "\n");
	}
	if (forecast != TIME_UNKNOWN) {
		text_add(&text, "   a forecast: a line typed now begins at ");
		time_text(forecast, &text);
		text_add(&text, ", and may change this\n");
	}
	shell->at = (struct instant){true, time, shell->world->digest};
	return answer(call, &text, ST_OK);
}

const struct command command_at = {
        .name = "at",
        .topic = "look",
        .usage = "at TIME|off",
        .help = "shows all ranks at that virtual time: which operations run and their progress, which "
                "wait, since when and for which rank. For a time in the future it shows what will happen "
                "if nothing more is queued. `peek` then refers to that time, until `at off` or the "
                "program's next line",
        .example = "tensor g[64k] = rank\n@2 spin 2ms\nallreduce g\nsync\nat 1ms",
        .class = COMMAND_LOOK,
        .argument = {{ARG_EXPRESSION, 0, NULL, "TIME|off"}},
        .run = at_run,
};

static const char *mem_kind_name(int kind)
{
	return tensor_kind_name((enum tensor_kind)kind);
}

static enum status mem_over(struct call *call)
{
	struct trace trace;
	struct text text = {0};
	int section = -1;
	enum status status = look_begin(call, &trace);
	if (status == ST_OK && call_count(call, 1))
		status = look_section_argument(call, 1, &section);
	if (status == ST_OK)
		status = trace_memory_over(&trace, section, out_width(call->shell->out),
		        shell_clock(call->shell), mem_kind_name, &text);
	return answer(call, &text, status);
}

static enum status mem_run(struct call *call)
{
	struct shell *shell = call->shell;
	struct trace trace = look_trace(call);
	struct text text = {0};
	const char *word;
	enum status status = call_count(call, 0) ? call_common(call, 0, &word) : ST_OK;
	if (status != ST_OK)
		return status;
	if (call_count(call, 0) && strcmp(word, "over") == 0)
		return mem_over(call);
	if (call_count(call, 1))
		return fail(ST_ARGUMENT, "mem takes `trim`, or `over` and the section to draw, not '%s'",
		        call_argument_text(call, 1, 0));
	/* trim is torch.cuda.empty_cache: unused segments are freed after their work. */
	if (call_count(call, 0)) {
		FOR_RANKS (rank, call->set) {
			size_t before = shell->world->op_count;
			if (status == ST_OK)
				status = shell_tell(shell, before, world_trim(shell->world, rank));
		}
		return status;
	}
	trace_memory(&trace, out_width(shell->out), &text);
	state_memory(shell, call->set, false, &text);
	return answer(call, &text, ST_OK);
}

const struct command command_mem = {
        .name = "mem",
        .topic = "look",
        .usage = "mem [trim|over [SECTION]]",
        .help = "draws each device's memory: segments, tensors' blocks, and the free blocks between them; "
                "for a program also the memory of parameters, gradients, optimizer state, activations and "
                "their gradients, buffers. `trim` returns free segments to the device, except graphs' "
                "segments. `over` draws memory over time by kind, from the allocation to the free, with "
                "the peak marked",
        .example = "tensor x[256,256] w[256,256] = randn\nmem\nfree x\nmem trim",
        .torch = "torch.cuda.memory_summary()   # trim: torch.cuda.empty_cache()",
        .class = COMMAND_LOOK,
        .unless = {"trim", COMMAND_STEER},
        .argument = {{ARG_WORD, ARG_OPTIONAL, "trim over", "trim|over"},
                {ARG_WORD, ARG_OPTIONAL, NULL, "SECTION"}},
        .run = mem_run,
};
