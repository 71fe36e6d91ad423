/* random_program.h -- random programs, a list of lines for each rank, and orders in which a
 * person could type them.
 *
 * A program has several segments, with a commit between two of them (all ranks `sync`, and a
 * `query` is answered). Within a segment the lines of one rank keep their order. How the lines
 * of different ranks are mixed, and looks in between, must have no effect. */
#ifndef RANKSH_TESTS_RANDOM_PROGRAM_H
#define RANKSH_TESTS_RANDOM_PROGRAM_H

#include "dice.h"

#include "base/text.h"
#include "shell/session/credit.h"
#include "shell/language/run/interpreter.h"
#include "shell/session/shell.h"
#include "shell/line/line.h"
#include "shell/training/open.h"

#include <stdio.h>
#include <string.h>

enum { PROGRAM_RANKS = 8, SEGMENTS = 3, LINES = 24, COLLECTIVES = 4, LINE_BYTES = 80 };
struct program {
	int ranks;
	char line[SEGMENTS][PROGRAM_RANKS][LINES][LINE_BYTES];
	int count[SEGMENTS][PROGRAM_RANKS];
};
static const char *const program_begin[] = {
        "stream io compute comm",
        "tensor x[64,64] w[64,64] = uniform seed=rank scale=0.1",
        "tensor y[64,64] z[64,64] = ones",
        "tensor h[64,64] pinned = randn seed=7",
        "event e f",
        "tensor win[64,64] = zeros",
        "tensor got[64,64] = zeros",
        "window win",
};

/* A line of one rank's own; %s is a stream. None that blocks its host (sync, print, a pageable copy): its
 * answer would be a commit. */
static const char *const own_lines[] = {
        "y = matmul x w on %s",
        "x = relu x on %s",
        "z += y on %s",
        "spin 300us on %s",
        "spin 1ms on %s",
        "copy h -> x on %s",
        "copy y -> h on %s",
        "record e on %s",
        "record f on %s",
        "wait e on %s",
        "wait f on %s",
        "wait compute on %s",
        "wait io on %s",
        "host 700us",
        "slow 1.5x",
        "slow 1x",
        "z = softmax y on %s",
        "{ phase F1; spin 200us on %s }",
        "put y -> win@((rank+1)%world) on %s",
        "put x[0:8] -> win[8:16]@0 on %s",
        "add y -> win@((rank+2)%world) scale=-0.5 on %s",
        "add got -> win@rank on %s",
        "get win@((rank+1)%world) -> got on %s",
        "got = relu win on %s",
        "win = scale y 0.5 on %s",
};
/* The same lines on all ranks, each in its own time */
static const char *const shared_lines[] = {
        "allreduce y on comm",
        "allreduce w in half on comm op=avg",
        "allreduce z on io op=max",
        "broadcast x root=0 on comm",
        "sendrecv y -> z to=(rank+1)%world from=(rank-1)%world on comm",
        "q = allgather y on comm",
        "reduce y root=1%world on comm",
};
static const char *const looks[] = {"timeline", "stats", "stalls", "traffic", "races", "stuck", "mem",
        "tensors", "streams", "critical", "peek y[0,0]", "help"};

static inline void add_line(
        struct program *program, int segment, int rank, const char *form, const char *stream)
{
	char line[LINE_BYTES], *out = program->line[segment][rank][program->count[segment][rank]++];
	char *hole;
	snprintf(line, sizeof line, "@%d %s", rank, form);
	hole = strstr(line, "%s");
	if (hole)
		snprintf(out, LINE_BYTES, "%.*s%s%s", (int)(hole - line), line, stream, hole + 2);
	else
		snprintf(out, LINE_BYTES, "%s", line);
}

static inline void add_own(struct dice *dice, struct program *program, int segment, int rank)
{
	static const char *const streams[] = {"io", "compute", "comm", "default"};
	const char *stream = streams[throw(dice, 4)],
	           *line = own_lines[throw(dice, sizeof own_lines / sizeof *own_lines)];
	add_line(program, segment, rank, line, stream);
}

static inline void program_make(struct program *program, uint64_t seed, int ranks)
{
	struct dice dice = {.seed = seed};
	memset(program, 0, sizeof *program);
	program->ranks = ranks;
	for (int segment = 0; segment < SEGMENTS; segment++) {
		for (int meeting = 0; meeting <= COLLECTIVES; meeting++) {
			const char *shared =
			        shared_lines[throw(&dice, sizeof shared_lines / sizeof *shared_lines)];
			for (int rank = 0; rank < ranks; rank++) {
				for (uint32_t own = throw(&dice, 4); own > 0; own--)
					add_own(&dice, program, segment, rank);
				if (meeting < COLLECTIVES)
					add_line(program, segment, rank, shared, "");
			}
		}
	}
}

/* One session that types a program; `said` gathers what it says at the commits. */
struct typist {
	struct shell *shell;
	struct text said;
	struct dice dice;
	bool mixes, looks;
};

static inline enum status type_line(struct typist *typist, const char *line, bool heard)
{
	struct text output = {0};
	enum status status = shell_line(typist->shell, line, strlen(line), 0, -1);
	out_render(typist->shell->out, &output);
	if (heard)
		text_add(&typist->said, "%s: %s: %s\n", line, status_name(status), text_string(&output));
	text_release(&output);
	return status;
}

static inline enum status type_segment(struct typist *typist, const struct program *program, int segment)
{
	int next[PROGRAM_RANKS] = {0}, left = 0;
	enum status status = ST_OK;
	for (int rank = 0; rank < program->ranks; rank++)
		left += program->count[segment][rank];
	for (int rank = 0; left > 0 && status == ST_OK; left--) {
		if (typist->mixes)
			rank = (int) throw(&typist->dice, (uint32_t)program->ranks);
		while (next[rank] == program->count[segment][rank])
			rank = (rank + 1) % program->ranks;
		status = type_line(typist, program->line[segment][rank][next[rank]++], false);
		if (status != ST_OK)
			fprintf(stderr, "%s: %s\n", program->line[segment][rank][next[rank] - 1],
			        fail_text());
		if (typist->looks && throw(&typist->dice, 3) == 0)
			type_line(typist, looks[throw(&typist->dice, sizeof looks / sizeof *looks)], false);
	}
	return status;
}

static inline enum status type_commit(struct typist *typist, int segment)
{
	static const char *const lines[] = {"sync", "query compute", "timeline", "stats", "stalls", "traffic",
	        "print sum(x) norm(y) sum(got) sum(win)"};
	char mark[32];
	enum status status = ST_OK;
	size_t count = sizeof lines / sizeof *lines - typist->shell->dry; /* no data to print */
	for (size_t i = 0; i < count && status == ST_OK; i++)
		status = type_line(typist, lines[i], true);
	for (int rank = 0; rank < typist->shell->world->n; rank++) {
		struct host_now now;
		typist->shell->backend->host(typist->shell->backend, rank, &now);
		text_add(&typist->said, "%d: %lld\n", rank, (long long)now.clock);
	}
	snprintf(mark, sizeof mark, "mark s%d", segment);
	return status == ST_OK ? type_line(typist, mark, true) : status;
}

static inline enum status type_program(struct typist *typist, const struct program *program)
{
	enum status status = ST_OK;
	char halves[64];
	for (size_t i = 0; i < sizeof program_begin / sizeof *program_begin && status == ST_OK; i++)
		status = type_line(typist, program_begin[i], true);
	snprintf(halves, sizeof halves, "group half 0-%d %d-%d", program->ranks / 2 - 1, program->ranks / 2,
	        program->ranks - 1);
	if (status == ST_OK)
		status = type_line(typist, program->ranks > 1 ? halves : "group half 0", true);
	for (int segment = 0; segment < SEGMENTS && status == ST_OK; segment++) {
		status = type_segment(typist, program, segment);
		/* in the midst, one rank alone is answered: the others' past stays open where nothing leads to it */
		if (status == ST_OK && segment == SEGMENTS / 2)
			status = type_line(
			        typist, typist->shell->dry ? "@0 sync" : "@0 print norm(win)", true);
		else if (status == ST_OK)
			status = type_commit(typist, segment);
	}
	return status == ST_OK ? type_line(typist, "close win", true) : status;
}

/* Types the program in a fresh session and says what came out. order 0: rank after rank; else mixed by
 * chance. */
static inline enum status program_run(const struct program *program, struct transport *transport, bool dry,
        uint64_t order, bool looks_too, struct text *said)
{
	struct shell shell = {0};
	struct credit credit = {0};
	struct typist typist = {
	        .shell = &shell, .dice = {.seed = order}, .mixes = order > 0, .looks = looks_too};
	credit_start(&credit, transport, &shell.budget);
	shell.credit = &credit;
	enum status status = shell_open(&shell, transport, program->ranks, dry, "classroom");
	if (status == ST_OK)
		status = type_program(&typist, program);
	shell_close(&shell);
	*said = typist.said;
	return status;
}

#endif
