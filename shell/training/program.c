/* program.c -- a program's text taken apart, and played step by step */
#include "base/memory.h"
#include "shell/language/run/command.h"
#include "shell/language/run/interpreter.h"
#include "shell/session/out.h"
#include "shell/session/read.h"
#include "shell/training/open.h"
#include "shell/training/state.h"
#include "shell/training/training.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- reading ---- */

void program_release(struct program *program)
{
	text_release(&program->text);
	mem_free(program->step);
	*program = (struct program){0};
}

enum status program_copy(const struct program *from, struct program *to)
{
	struct text text = {0};
	text_put(&text, text_string(&from->text), from->text.count);
	enum status status = program_read(to, &text, from->name);
	if (status != ST_OK)
		text_release(&text);
	return status;
}

static bool begins(const char *line, size_t count, const char *with)
{
	size_t length = strlen(with);
	return count >= length && memcmp(line, with, length) == 0;
}

static bool blank(const char *line, size_t count)
{
	size_t i = 0;
	while (i < count && strchr(" \t\r", line[i]))
		i++;
	return i == count || line[i] == '#';
}

static bool begins_loop(const char *line, size_t count)
{
	return begins(line, count, "for it in ") && line[count - 1] == '{';
}

/* Where the reading is */
struct reading {
	struct program *program;
	struct step *step;
	bool why, over;
	int number;
	int depth /* of blocks over several lines */;
};

/* Blocks that this line closes and opens: "}", "@0 {", "} else {" */
static int closes(const char *line, size_t count)
{
	size_t i = 0;
	while (i < count && strchr(" \t", line[i]))
		i++;
	return i < count && line[i] == '}';
}

static int opens(const char *line, size_t count)
{
	while (count && strchr(" \t\r", line[count - 1]))
		count--;
	return count && line[count - 1] == '{' && !blank(line, count);
}

static enum status begin_step(struct reading *r, size_t title, size_t title_count, size_t after, int number)
{
	struct program *p = r->program;
	MEM_GROW(&p->step, p->count, &p->room);
	r->step = &p->step[p->count++];
	*r->step = (struct step){
	        .title = title, .title_count = title_count, .why = after, .lines = after, .line = number};
	r->why = true;
	return ST_OK;
}

static enum status read_line(struct reading *r, size_t from, size_t count, size_t next)
{
	struct program *p = r->program;
	const char *line = p->text.bytes + from;
	if (begins(line, count, "## "))
		return r->over ? fail(ST_SYNTAX, "line %d: a step behind the iteration's end", r->number)
		               : begin_step(r, from + 3, count - 3, next, r->number + 1);
	if (!p->loops && r->depth == 0 && begins_loop(line, count)) {
		p->loops = true;
		p->setup = p->count;
		p->loop = from;
		p->loop_count = count;
		r->step = NULL;
		return ST_OK;
	}
	if (p->loops && r->depth == 0 && count == 1 && *line == '}') {
		r->over = true;
		return ST_OK;
	}
	if (r->over)
		return blank(line, count)
		        ? ST_OK
		        : fail(ST_SYNTAX, "line %d: a line behind the iteration's end", r->number);
	if (!r->step && blank(line, count))
		return ST_OK;
	enum status status = r->step ? ST_OK : begin_step(r, from, 0, from, r->number);
	if (status != ST_OK)
		return status;
	r->depth += opens(line, count) - closes(line, count);
	r->why = r->why && count && *line == '#';
	if (r->why) {
		r->step->why_count = next - r->step->why;
		r->step->lines = next;
		r->step->line = r->number + 1;
	}
	r->step->lines_count = next - r->step->lines;
	return ST_OK;
}

enum status program_read(struct program *program, struct text *text, const char *name)
{
	struct program made = {.text = *text};
	struct reading r = {.program = &made};
	enum status status = ST_OK;
	for (size_t from = 0, next; from < text->count && status == ST_OK; from = next) {
		const char *end = memchr(text->bytes + from, '\n', text->count - from);
		size_t count = end ? (size_t)(end - text->bytes) - from : text->count - from;
		next = from + count + (end != NULL);
		r.number++;
		status = read_line(&r, from, count, next);
	}
	if (status == ST_OK && made.loops && !r.over)
		status = fail(ST_SYNTAX, "the iteration has no end: a line with `}` alone");
	if (status == ST_OK && made.count == 0)
		status = fail(ST_SYNTAX, "no lines in it");
	if (status != ST_OK) {
		mem_free(made.step);
		return fail_in(status, "%s", name);
	}
	snprintf(made.name, sizeof made.name, "%s", name);
	if (!made.loops)
		made.setup = made.count;
	*program = made;
	*text = (struct text){0};
	return ST_OK;
}

/* ---- a step on the screen ---- */

enum { LINES_SHOWN = 24, SCREEN = 80 };

/* The ranks that a step's lines are for, as far as its text says: "0-3", "0 2-3" */
static void ranks_of(const struct shell *shell, const char *line, const char *end, struct text *out)
{
	struct text all = {0};
	bool plain = false;
	for (const char *next; line < end; line = next) {
		const char *newline = memchr(line, '\n', (size_t)(end - line));
		size_t count = newline ? (size_t)(newline - line) : (size_t)(end - line);
		next = line + count + (newline != NULL);
		char word[40] = " ";
		size_t length = *line == '@' ? strcspn(line + 1, " \n") : 0;
		if (length && length < sizeof word - 3) {
			memcpy(word + 1, line + 1, length);
			strcat(word, " ");
			if (!strstr(text_string(&all), word))
				text_add(&all, "%s%s", all.count ? "" : " ", word + (all.count > 0));
		} else if (!blank(line, count) && !begins(line, count, "phase ")) {
			plain = true;
		}
	}
	if (!plain && all.count) {
		text_put(out, all.bytes + 1, all.count - 2);
	} else {
		struct text used = {0}; /* "@1 ", or nothing */
		interpreter_prompt(shell, &used);
		if (used.count > 2)
			text_put(out, used.bytes + 1, used.count - 2);
		else
			text_add(out, shell->world->n > 1 ? "0-%d" : "0", shell->world->n - 1);
		text_release(&used);
	}
	text_release(&all);
}

static void indented(
        struct shell *shell, const char *at, size_t count, const char *skip, int blanks, int colour, int most)
{
	const char *end = at + count;
	int shown = 0, left = 0;
	for (const char *next; at < end; at = next) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		int length = (int)(newline ? newline - at : end - at);
		next = at + length + (newline != NULL);
		int skipped = begins(at, (size_t)length, skip) ? (int)strlen(skip) : 0;
		if (length == 0)
			continue;
		if (shown++ < most)
			out_say(shell->out, "%*s%s%.*s%s\n", blanks, "", style(shell->out, colour),
			        length - skipped, at + skipped, style(shell->out, COLOUR_PLAIN));
		else
			left++;
	}
	if (left)
		out_say(shell->out, "%*s... and %d lines more\n", blanks, "", left);
}

static void place_of(const struct training *t, size_t at, int iteration, struct text *out)
{
	const struct program *p = &t->now.program;
	if (!p->loops)
		text_add(out, "step %zu/%zu", at + 1, p->count);
	else if (at < p->setup)
		text_add(out, "step %zu/%zu of the setup", at + 1, p->setup);
	else
		text_add(out, "step %zu/%zu of iteration %d", at - p->setup + 1, p->count - p->setup,
		        iteration);
}

static void show_step(struct shell *shell, const struct training *t, bool lines)
{
	const struct program *p = &t->now.program;
	const struct step *step = &p->step[t->at];
	const char *text = p->text.bytes;
	struct text head = {0}, ranks = {0};
	place_of(t, t->at, t->iteration, &head);
	size_t place = head.count;
	text_add(&head, "   %.*s", (int)step->title_count, text + step->title);
	ranks_of(shell, text + step->lines, text + step->lines + step->lines_count, &ranks);
	int width = out_width(shell->out) < SCREEN ? out_width(shell->out) : SCREEN;
	const char *word =
	        strchr("0123456789", *text_string(&ranks)) && ranks.count == 1 ? "rank " : "ranks ";
	int gap = width - (int)text_columns(text_string(&head)) - (int)ranks.count - (int)strlen(word);
	out_say(shell->out, "%s%.*s%s%s%*s%s%s\n", style(shell->out, COLOUR_HEAD), (int)place,
	        text_string(&head), style(shell->out, COLOUR_PLAIN), text_string(&head) + place,
	        gap > 3 ? gap : 3, "", word, text_string(&ranks));
	text_release(&head);
	text_release(&ranks);
	if (!lines)
		return;
	indented(shell, text + step->why, step->why_count, "# ", 2, COLOUR_NOTE, LINES_SHOWN);
	indented(shell, text + step->lines, step->lines_count, "", 4, COLOUR_KERNEL, LINES_SHOWN);
}

void program_list(struct shell *shell)
{
	const struct training *t = shell->training;
	const struct program *p = &t->now.program;
	for (size_t i = 0; i < p->count; i++) {
		const struct step *step = &p->step[i];
		if (p->loops && (i == 0 || i == p->setup))
			out_say(shell->out, "%s%s%s\n", style(shell->out, COLOUR_HEAD),
			        i < p->setup ? "the setup" : "the iteration",
			        style(shell->out, COLOUR_PLAIN));
		out_say(shell->out, "%s %3zu  %.*s\n", i == t->at ? " >" : "  ",
		        i < p->setup ? i + 1 : i - p->setup + 1, (int)step->title_count,
		        p->text.bytes + step->title);
	}
	if (t->at == p->count)
		out_say(shell->out, "   it is at its end\n");
}

/* ---- playing ---- */

static enum status wants_program(const struct training *t)
{
	return t->now.program.count
	        ? ST_OK
	        : fail(ST_ARGUMENT,
	                  "there is no program: `strategy ddp` writes one, `program F.rsh` loads one");
}

/* A part of its lines have run: neither running them again nor going on would be the program */
static enum status wants_whole(const struct training *t)
{
	if (!t->torn)
		return wants_program(t);
	struct text where = {0};
	place_of(t, t->at, t->iteration, &where);
	enum status status = fail(ST_ARGUMENT,
	        "%s was not finished: `step back` makes the world as it was before it, `step 0` an empty one",
	        text_string(&where));
	text_release(&where);
	return status;
}

/* The iteration's number is known to its lines, as in the script */
static enum status tell_iteration(struct shell *shell, int iteration)
{
	char number[16];
	snprintf(number, sizeof number, "%d", iteration);
	return interpreter_let(shell, "it", number);
}

static enum status play(struct shell *shell, struct training *t)
{
	const struct program *p = &t->now.program;
	const struct step *step = &p->step[t->at];
	enum status status = ST_OK;
	if (p->loops && t->at == p->setup)
		status = tell_iteration(shell, t->iteration);
	if (status == ST_OK)
		status = interpreter_run(
		        shell, p->text.bytes + step->lines, step->lines_count, p->name, step->line);
	if (status == ST_INCOMPLETE)
		status = fail(ST_SYNTAX, "%s:%d: a bracket, brace or quote is open at the end of the step",
		        p->name, step->line);
	if (status == ST_OK)
		status = shell->backend->advance(shell->backend, &shell->budget);
	if (status != ST_OK) {
		t->torn = true;
		struct text where = {0};
		place_of(t, t->at, t->iteration, &where);
		if (status != ST_INTERRUPTED && status != ST_QUIT)
			status = fail_in(status, "%s, %.*s", text_string(&where), (int)step->title_count,
			        p->text.bytes + step->title);
		text_release(&where);
		return status;
	}
	t->played++;
	if (++t->at == p->count && p->loops) {
		t->at = p->setup;
		t->iteration++;
	}
	return ST_OK;
}

/* Lines that run again stop at the step that is asked for; what is left of their line is what they did
 * then. */
static bool at_limit(const struct training *t)
{
	return t->limit >= 0 && t->played >= t->limit;
}

enum status program_steps(struct shell *shell, long steps, bool show)
{
	struct training *t = training_of(shell);
	if (!t)
		return ST_MEMORY;
	enum status status = wants_whole(t);
	long began = t->played;
	t->cut = -1;
	for (long i = 0; i < steps && status == ST_OK; i++) {
		if (at_limit(t)) {
			t->cut = t->played - began;
			return ST_OK;
		}
		if (t->at == t->now.program.count)
			return i ? ST_OK
			         : fail(ST_RANGE, "the program is at its end; `step 0` goes to its start");
		if (show)
			show_step(shell, t, steps <= 3 || i + 1 == steps);
		status = play(shell, t);
	}
	return status;
}

/* Steps to the end of what `iterations` iterations from here are; the setup and an iteration begun are
 * finished first */
static long steps_left(const struct training *t)
{
	const struct program *p = &t->now.program;
	return (long)(p->count - t->at);
}

/* The reads of the tensor `loss` on the ranks that have one; reads: world.n of them */
static enum status loss_reads(struct shell *shell, struct ranks *set, struct data_read *reads)
{
	struct world *world = shell->world;
	name_id name = names_find(world->names, "loss", 4);
	enum status status = ST_OK;
	int count = 0;
	for (int rank = 0; rank < world->n && name && status == ST_OK; rank++) {
		if (world_find(world, rank, name).kind != THING_TENSOR)
			continue;
		reads[count] = (struct data_read){.kind = READ_ELEMENT, .stream = STREAM_DEFAULT};
		status = interpreter_view(shell, rank, "loss", &reads[count++].a);
		ranks_add(set, rank);
	}
	return status;
}

enum status program_loss(struct shell *shell, double *loss)
{
	size_t n = (size_t)shell->world->n;
	struct ranks set = {0};
	*loss = NAN;
	if (shell->dry)
		return ST_OK;
	struct data_read *reads = mem_alloc(n * sizeof *reads);
	double *values = mem_alloc(n * sizeof *values), sum = 0;
	enum status status = reads && values ? loss_reads(shell, &set, reads) : ST_MEMORY;
	int count = ranks_count(&set);
	if (status == ST_OK && count)
		status = shell_read(shell, &set, reads, NULL, values);
	for (int i = 0; i < count && status == ST_OK; i++)
		sum += values[i];
	if (status == ST_OK && count)
		*loss = sum / count;
	mem_free(reads);
	mem_free(values);
	return status;
}

static enum status say_progress(struct shell *shell, const struct training *t)
{
	struct text rate = {0};
	double loss;
	enum status status = program_loss(shell, &loss);
	if (status != ST_OK)
		return status;
	int64_t end = state_end(shell);
	out_say(shell->out, "   iteration %d", t->iteration);
	if (!isnan(loss))
		out_say(shell->out, "   loss %.6g", loss);
	if (end >= 0)
		out_say(shell->out, "   done at %.2f ms", (double)end / 1e6);
	state_rate(shell, &rate);
	out_say(shell->out, "%s\n", text_string(&rate));
	text_release(&rate);
	return ST_OK;
}

enum status program_iterations(struct shell *shell, long iterations, bool progress)
{
	struct training *t = training_of(shell);
	if (!t)
		return ST_MEMORY;
	enum status status = wants_whole(t);
	long began = t->played, every = iterations <= 10 ? 1 : (iterations + 9) / 10;
	t->cut = -1;
	for (long i = 0; i < iterations && status == ST_OK; i++) {
		long steps = steps_left(t);
		if (steps == 0)
			return fail(ST_RANGE, "the program is at its end; `step 0` goes to its start");
		for (; steps > 0 && status == ST_OK; steps--) {
			if (at_limit(t)) {
				t->cut = t->played - began;
				return ST_OK;
			}
			status = play(shell, t);
		}
		if (status == ST_OK && progress && t->now.program.loops &&
		        ((i + 1) % every == 0 || i + 1 == iterations))
			status = say_progress(shell, t);
	}
	return status;
}

/* ---- as a script ---- */

void program_script(const struct shell *shell, struct text *out)
{
	const struct training *t = shell->training;
	const struct program *p = &t->now.program;
	int iterations = t->iteration + (t->at > p->setup);
	if (!p->loops) {
		text_put(out, text_string(&p->text), p->text.count);
		return;
	}
	text_put(out, p->text.bytes, p->loop);
	text_add(out, "for it in 0:%d {", iterations > 0 ? iterations : 1);
	text_put(out, p->text.bytes + p->loop + p->loop_count, p->text.count - p->loop - p->loop_count);
}
