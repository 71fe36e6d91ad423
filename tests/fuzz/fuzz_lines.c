/* fuzz_lines.c -- lines that somebody might type at the prompt of a session, for sessions.sh
 *
 *     fuzz_lines SEED COUNT RANKS      prints COUNT requests to a session of so many ranks (docs/internals/wire.md)
 *
 * A line is made from a template, in which `%` and a letter stands for a word of that kind. All words come
 * from small sets, so that lines often meet: what one sends another receives. A third of the lines is then
 * changed at random places, as by a slip of the hand. The same seed gives the same lines on every
 * computer. */
#include "base/philox.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_MAX = 2000, DEPTH_MAX = 3 };

struct random {
	uint64_t seed, counter;
	unsigned ranks;
};
struct line {
	char at[LINE_MAX + 100];
	size_t count;
};

static unsigned draw(struct random *random, unsigned below)
{
	uint32_t out[4];
	philox(random->seed, random->counter++, out);
	return below ? out[0] % below : 0;
}

static void put(struct line *line, const char *text)
{
	for (; *text && line->count < LINE_MAX; text++)
		line->at[line->count++] = *text;
	line->at[line->count] = 0;
}

/* ---- lines from templates ---- */

/* %t tensor  %m matrix  %s stream  %e event  %g group  %n number  %d duration  %k rank  %r which ranks, or
 * nothing
 * %o `on` a stream, or nothing  %i `in` a group, or nothing  %x expression  %b a few simple lines in
 * braces */
static const char *const simple[] = {"%r%t = relu %t%o", "%r%t = add %t %t%o", "%r%t += %t%o",
        "%r%m = matmul %m %m%o", "%r%t = scale %t %n%o", "%rfill %t %n%o", "%rsgd %t %t lr=0.1%o",
        "%rt0[0:2] = relu t1[2:4]%o", "%rcopy %t -> %t%o", "%rcopy h -> %t%o", "%rallreduce %t%i%o",
        "%rallreduce %t op=max%i%o", "allreduce %t algo=ring unroll%i%o", "%rbroadcast %t root=%k%i%o",
        "%rreduce %t root=%k%i%o", "%ra0 = allgather %t%i%o", "%ra1 = reducescatter %t%i%o",
        "%ra2 = alltoall %t%i%o", "%ra3 = scatter %t root=%k%i%o", "@%k send %t to=%k%o",
        "@%k recv %t from=%k%o", "@%k send %t to=%k%o; @%k recv %t from=%k%o",
        "sendrecv %t -> %t to=(rank+1)%%world from=(rank-1)%%world%o", "%rbarrier%i", "%rspin %d%o",
        "%rhost %d", "%rsync", "%rsync %s", "%rsync %e", "%rquery %s", "%rrecord %e on %s", "%rwait %e on %s",
        "%rwait %s on %s", "%rprint %t[0]", "%rprint %x", "%rlet n = %x", "%rpeek %t[0]"};
static const char *const whole[] = {"tensor t0[4] t1[4] = randn seed=%n", "tensor m0[8,8] m1[8,8] = rank+1",
        "%rtensor t2[4]%f = %x", "tensor h[4] pinned = iota", "stream s0", "stream s1 blocking",
        "stream s1 priority=high", "event e0", "event e1", "group g0 0-%k", "group g1 %k", "mesh dp=2",
        "v0 = reshape m0 [64]", "v1 = t1[1:3]", "v2 = shard t0%i", "together %b", "together%o %b", "%r%b",
        "for i in 0:%n %b", "for p in t0 t1 m0 { %rallreduce $p%o }", "repeat %n %b", "if %x %b else %b",
        "def f p %b", "%rf %n", "%rf t0", "expect %x == %x", "expect error %b", "expect error \"no\" %b",
        "mark %e", "phase F%n", "%rslow %nx", "set launch=%d", "set link_rate=1GB/s", "%rfree %t%o", "use %s",
        "use @%k", "use @all", "use %g", "capture c %b", "launch c%o", "abort %g", "@%k crash", "reset",
        "undo", "undo", "undo %n", "explain on", "explain off", "mem trim", "tensors", "streams", "events",
        "groups", "timeline", "timeline all", "stalls", "stats", "races", "stuck", "traffic", "journal",
        "mem", "program", "strategy ddp bucket=4k", "strategy pipeline micro=2", "strategy zero",
        "strategy fsdp", "strategy tp", "model mlp layers=2 hidden=16 batch=4", "step", "step", "step 2",
        "run 1", "step back", "step 0", "verify", "say \"at $(time) of $(rank)\"", "lesson 1", "check",
        "help %e", "why", "stage F=%d B=%d W=%d"};

static void word(struct random *random, struct line *line, char kind, int depth);

static void fill_in(struct random *random, struct line *line, const char *template, int depth)
{
	for (const char *at = template; *at; at++) {
		if (*at == '%')
			word(random, line, *++at, depth);
		else
			put(line, (char[]){*at, 0});
	}
}

static void block(struct random *random, struct line *line, int depth)
{
	put(line, "{ ");
	for (unsigned count = 1 + draw(random, 3); count > 0; count--) {
		bool flat = depth >= DEPTH_MAX || draw(random, 8);
		fill_in(random, line,
		        flat ? simple[draw(random, sizeof simple / sizeof *simple)]
		             : whole[draw(random, sizeof whole / sizeof *whole)],
		        depth + 1);
		put(line, count > 1 ? "; " : " ");
	}
	put(line, "}");
}

static const char *one_of(struct random *random, const char *const *words, unsigned count)
{
	return words[draw(random, count)];
}
#define ONE_OF(...)                                        \
	one_of(random, (const char *const[]){__VA_ARGS__}, \
	        sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *))

static void word(struct random *random, struct line *line, char kind, int depth)
{
	char rank[20];
	/* now and then a rank that is not there */
	snprintf(rank, sizeof rank, "%u", draw(random, random->ranks + !draw(random, 12)));
	switch (kind) {
	case 't':
		put(line,
		        ONE_OF("t0", "t0", "t1", "t1", "t2", "m0", "h", "v0", "v1", "v2", "a0", "a1",
		                "none"));
		break;
	case 'm':
		put(line, ONE_OF("m0", "m1", "m2", "m0.T", "t0"));
		break;
	case 's':
		put(line, ONE_OF("default", "s0", "s0", "s1", "none"));
		break;
	case 'e':
		put(line, ONE_OF("e0", "e1", "e0", "none"));
		break;
	case 'g':
		put(line, ONE_OF("world", "g0", "g1", "dp"));
		break;
	case 'n':
		put(line, ONE_OF("0", "1", "2", "3", "0.5", "-1", "rank", "world", "(rank+1)"));
		break;
	case 'd':
		put(line, ONE_OF("1us", "10us", "1ms", "(rank+1)*1ms", "0us"));
		break;
	case 'k':
		put(line, rank);
		break;
	case 'f':
		put(line, ONE_OF("", " f16", " bf16", " i32", " pinned", " host"));
		break;
	case 'r':
		put(line, ONE_OF("", "", "", "@", "@", "@all ", "@(rank % 2 == 0) ", "@0-1 "));
		if (line->at[line->count - (line->count > 0)] == '@') {
			put(line, rank);
			put(line, " ");
		}
		break;
	case 'o':
		fill_in(random, line, ONE_OF("", "", " on %s"), depth);
		break;
	case 'i':
		fill_in(random, line, ONE_OF("", "", "", " in %g"), depth);
		break;
	case 'x':
		fill_in(random, line,
		        ONE_OF("%n", "%n + %n", "t0[0]", "norm(%t)", "sum(m0)", "time", "races", "stuck == 0",
		                "rank == 0", "exposed(s0)", "count(spin)", "n", "min(rank,%n)", "7 // %n",
		                "peak"),
		        depth);
		break;
	case 'b':
		block(random, line, depth);
		break;
	default:
		put(line, (char[]){kind, 0});
	}
}

/* ---- slips of the hand ---- */

static void slip(struct random *random, struct line *line)
{
	size_t at = draw(random, (unsigned)line->count + 1), take = draw(random, 5);
	struct line tail = {.count = 0};
	switch (draw(random, 3)) {
	case 0: /* something more */
		put(&tail, line->at + at);
		line->count = at;
		put(line,
		        ONE_OF(" ", ";", "{", "}", "(", ")", "[", "]", "@", "=", ":", ",", ".", "$", "\"",
		                "#", "%", "*", "-", "->", "\\", "0", "1", "x", " on ", " in ", "rank",
		                "world", "inf", "@0 ", "\303\251", "\033", "let ", "if ", "undo", " step",
		                "..", "use ", "expect error "));
		put(line, tail.at);
		break;
	case 1: /* something less */
		put(&tail, line->at + (at + take < line->count ? at + take : line->count));
		line->count = at;
		put(line, tail.at);
		break;
	default: /* something twice */
		put(&tail, line->at + (at > take ? at - take : 0));
		line->count = at;
		put(line, tail.at);
	}
	line->at[line->count] = 0;
}

/* What touches files, asks for a person, or takes its time on purpose */
static bool is_left_out(const char *line)
{
	static const char *const words[] = {"save", "export", "source", "journal ", "quit", "exit", "restart",
	        "edit", "pace", "machine", "load", "data", "view", "\n"};
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (strstr(line, words[i]))
			return true;
	for (const char *q = line; (q = strchr(q, 'q')) != NULL; q++) /* `q` alone is `quit` */
		if ((q == line || !isalnum((unsigned char)q[-1])) && !isalnum((unsigned char)q[1]))
			return true;
	return false;
}

/* Looks are asked for beside lines: the pictures of `view`, the endings of a word */
static void print_look(struct random *random)
{
	if (draw(random, 2))
		printf("\036{\"do\":\"view\",\"width\":%u,\"height\":%u,\"from\":%u,\"to\":%u,\"first_row\":%"
		       "u,\"selected\":%u}\n",
		        draw(random, 120), draw(random, 30), draw(random, 1000), draw(random, 1000000),
		        draw(random, 4), draw(random, 40));
	else
		printf("\036{\"do\":\"complete\",\"text\":\"@0 t0 = allr\",\"cursor\":%u}\n",
		        draw(random, 13));
}

int main(int argc, char **argv)
{
	if (argc != 4) {
		fprintf(stderr, "usage: fuzz_lines SEED COUNT RANKS\n");
		return 2;
	}
	struct random random = {.seed = strtoull(argv[1], NULL, 10), .ranks = (unsigned)atoi(argv[3])};
	const char *const first[] = {whole[0], whole[1], "stream s0 s1", "event e0 e1"};
	long count = atol(argv[2]);
	for (long i = 0; i < count; i++) {
		struct line line = {.count = 0};
		const char *template = i < 4   ? first[i]
		        : draw(&random, 5) < 3 ? simple[draw(&random, sizeof simple / sizeof *simple)]
		                               : whole[draw(&random, sizeof whole / sizeof *whole)];
		fill_in(&random, &line, template, 0);
		if (i >= 4 && !draw(&random, 3))
			for (unsigned slips = 1 + draw(&random, 3); slips > 0; slips--)
				slip(&random, &line);
		if (i >= 4 && !draw(&random, 20))
			print_look(&random);
		if (!is_left_out(line.at))
			printf("%s\n", line.at);
	}
	return 0;
}
