/* asked.c -- a check's `expect` lines, and the report for one that fails
 *
 *     expect time <= 1.05 * best(time)   # the host waits where it need not
 *            |--|           |--|           remark
 *            figure         best           "12.1 ms", "8.6 ms": shown together */
#include "shell/course/lessons/played.h"
#include "base/memory.h"
#include "shell/language/run/command.h"
#include "shell/language/run/interpreter.h"
#include "races/races.h"
#include "trace/why.h"

#include <ctype.h>
#include <string.h>

static void read_gate(struct gates *gates, const char *line, size_t length)
{
	const char *hash = memmem(line, length, "  #", 3);
	size_t words = hash ? (size_t)(hash - line) : length;
	while (words && line[words - 1] == ' ')
		words--;
	if (!words || *line == '#')
		return;
	struct gate *gate = MEM_ADD(&gates->gate, &gates->count);
	*gate = (struct gate){0};
	text_put(&gate->line, line, words);
	if (!hash)
		return;
	hash += 3;
	while (hash < line + length && *hash == ' ')
		hash++;
	text_put(&gate->remark, hash, length - (size_t)(hash - line));
}

void gates_read(struct gates *gates, const struct text *check)
{
	FOR_LINES (line, text_string(check), check->count)
		read_gate(gates, line.at, line.length);
}

static void release_answer(struct gate *gate)
{
	text_release(&gate->words);
	text_release(&gate->figure);
	text_release(&gate->best);
}

void gates_release(struct gates *gates)
{
	for (size_t i = 0; i < gates->count; i++) {
		text_release(&gates->gate[i].line);
		text_release(&gates->gate[i].remark);
		release_answer(&gates->gate[i]);
	}
	mem_free(gates->gate);
	*gates = (struct gates){0};
}

bool gates_speak_of(const char *lines, const char *name)
{
	size_t length = strlen(name);
	for (const char *at = lines; (at = strstr(at, name)); at += length)
		if ((at == lines || !(isalnum((unsigned char)at[-1]) || at[-1] == '_')) &&
		        !(isalnum((unsigned char)at[length]) || at[length] == '_'))
			return true;
	return false;
}

enum topic gate_topic(const struct gate *gate)
{
	static const struct {
		const char *name;
		enum topic topic;
	} names[] = {{"close", TOPIC_NUMBERS}, {"close_step", TOPIC_NUMBERS}, {"norm", TOPIC_NUMBERS},
	        {"sum", TOPIC_NUMBERS}, {"verify", TOPIC_NUMBERS}, {"races", TOPIC_ORDER},
	        {"stuck", TOPIC_ORDER}, {"bubble", TOPIC_ORDER}, {"peak", TOPIC_MEMORY},
	        {"sent", TOPIC_TRAFFIC}, {"count", TOPIC_LINES}, {"time", TOPIC_TIME},
	        {"hostwait", TOPIC_TIME}, {"exposed", TOPIC_TIME}, {"overlap", TOPIC_TIME},
	        {"overlapped", TOPIC_TIME}, {"idle", TOPIC_TIME}, {"busy", TOPIC_TIME}, {"stall", TOPIC_TIME},
	        {"elapsed", TOPIC_TIME}, {"busbw", TOPIC_TIME}, {"mfu", TOPIC_TIME}, {"hfu", TOPIC_TIME}};
	const char *line = text_string(&gate->line);
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (gates_speak_of(line, names[i].name))
			return names[i].topic;
	return strchr(line, '[') ? TOPIC_NUMBERS : TOPIC_LINES;
}

const char *topic_words(enum topic topic)
{
	static const char *const words[] = {
#define X(symbol, words) words,
		TOPICS(X)
#undef X
	};
	return words[topic];
}

void gates_compared(const struct text *check, struct text *names)
{
	for (const char *at = text_string(check); (at = strstr(at, "close")); at++) {
		const char *name = strchr(at, '(');
		size_t length = name ? strcspn(name + 1, ",) [.") : 0;
		if (length && name - at <= (long)strlen("close_step") &&
		        text_place(text_string(names), name + 1, length) < 0)
			text_add(names, "%.*s ", (int)length, name + 1);
	}
}

/* Evaluates best(EXPR) on all ranks, which records the figures. */
static enum status keep_figure(struct shell *shell, const char *what, size_t length)
{
	struct text line = {0};
	int failed = shell->expect.failed;
	text_add(&line, "expect best(%.*s) == best(%.*s)", (int)length, what, (int)length, what);
	enum status status = interpreter_run(shell, text_string(&line), line.count, NULL, 1);
	shell->expect.failed = failed;
	text_release(&line);
	return status;
}

void asked_figures(struct shell *shell, struct task_play *played)
{
	const char *figures = played->best && played->figures ? played->figures : "";
	FOR_LINES (line, figures, strlen(figures))
		keep_figure(shell, line.at, line.length);
}

/* For `EXPR <= ... best(WHAT)`: sets both figures, from the rank furthest above the best. */
static void put_figures(
        struct shell *shell, struct slice_of_text own, struct slice_of_text best, struct gate *gate)
{
	struct best here = {.keeps = true}, *kept = shell->course.best;
	struct number figure, least, shown[2] = {{0}};
	bool found = false;
	shell->course.best = &here;
	enum status status = keep_figure(shell, own.at, own.length);
	shell->course.best = kept;
	for (int rank = 0; status == ST_OK && kept && rank < shell->world->n; rank++) {
		if (!best_find(&here, own.at, own.length, rank, &figure) ||
		        !best_find(kept, best.at, best.length, rank, &least))
			continue;
		if (!found || figure.value - least.value > shown[0].value - shown[1].value) {
			shown[0] = figure;
			shown[1] = least;
		}
		found = true;
	}
	if (found) {
		number_text(shown[0], &gate->figure);
		number_text(shown[1], &gate->best);
	}
	best_release(&here);
}

static void show_figures(struct shell *shell, const char *line, struct gate *gate)
{
	line += strlen("expect ");
	const char *best = strstr(line, "best(");
	size_t left = strcspn(line, "<>="), inner = 0;
	if (!best || !line[left])
		return;
	best += strlen("best(");
	for (int depth = 1; best[inner] && depth; inner++)
		depth += best[inner] == '(' ? 1 : best[inner] == ')' ? -1 : 0;
	while (left && line[left - 1] == ' ')
		left--;
	put_figures(shell, (struct slice_of_text){line, (uint32_t)left},
	        (struct slice_of_text){best, (uint32_t)inner - 1}, gate);
}

/* Adds the root cause of the section's longest wait, except launch time. */
static void put_root(struct shell *shell, struct text *out)
{
	struct trace trace = {.world = shell->world, .backend = shell->backend, .budget = &shell->budget};
	struct ranks all;
	struct why why = {0};
	ranks_all(&all, shell->world->n);
	struct why_question question = {
	        .of = WHY_RANK, .ranks = &all, .section = interpreter_section_now(shell)};
	if (trace_why(&trace, &question, 80, &why) == ST_OK && why.roots && why.root[0].kind != ROOT_LAUNCH)
		text_add(out, "%s", text_string(&why.root[0].text));
	why_release(&why);
}

static void put_host_cause(struct shell *shell, struct text *out)
{
	struct trace trace = {.world = shell->world, .backend = shell->backend, .budget = &shell->budget};
	const struct world *world = shell->world;
	int section = interpreter_section_now(shell);
	int64_t longest = 0;
	op_id found = 0;
	for (op_id id = 1; id <= world->op_count; id++) {
		const struct record *record = op_record(world, id);
		struct times times = backend_times(shell->backend, id);
		if (record->kind != OP_SYNC || record->section != section || times.end == TIME_UNKNOWN ||
		        times.end - times.issue <= longest)
			continue;
		longest = times.end - times.issue;
		found = id;
	}
	if (!found)
		return;
	const struct record *record = op_record(world, found);
	text_add(out, "the host waits ");
	time_text(longest, out);
	text_add(out, " in `%s`", names_text(world->names, record->reason ? record->reason : record->title));
	trace_put_line_behind(&trace, found, out);
}

/* All processes evaluate; rank 0 stores the answer in the shared gate. *cause: a cause is wanted;
 * false once a failed time gate has one. */
static bool ask_gate(struct shell *shell, struct task_play *played, struct gate *gate, bool *cause)
{
	int failed = shell->expect.failed;
	struct gate other = {0}, *answer = shell->world->me == 0 ? gate : &other;
	struct text why = {0}, *words = &answer->words;
	const char *line = text_string(&gate->line);
	shell_replaying(shell, -1);
	enum status status = interpreter_run(shell, line, gate->line.count, NULL, 1);
	out_render(shell->out, words);
	while (words->count && words->bytes[words->count - 1] == '\n')
		words->bytes[--words->count] = '\0';
	shell_replaying(shell, 1);
	bool held = status == ST_OK && shell->expect.failed == failed;
	if (status != ST_OK && status != ST_EXPECT)
		text_add(words, "%s", fail_text());
	if (gate_topic(gate) != TOPIC_NUMBERS)
		show_figures(shell, line, answer);
	if (!held && gate_topic(gate) == TOPIC_TIME && *cause) {
		if (!gates_speak_of(line, "hostwait"))
			put_root(shell, &why);
		if (!why.count)
			put_host_cause(shell, &why);
		*cause = !why.count;
	}
	answer->asked = true;
	answer->held = held;
	if (shell->world->me == 0)
		text_add(&played->cause, "%s", text_string(&why));
	release_answer(&other);
	text_release(&why);
	return held;
}

/* Reads the tensor after all measurements. Returns false if that read is uninitialized. */
static bool is_written(struct shell *shell, const char *name, size_t length)
{
	struct text line = {0};
	size_t before = races_now(shell->world)->unread_count;
	for (int rank = 0; rank < shell->world->n; rank++) {
		name_id id = names_find(shell->world->names, name, length);
		struct thing thing = world_find(shell->world, rank, id);
		if (thing.kind != THING_TENSOR)
			continue;
		const struct layout *layout = &shell->world->tensors[thing.index].layout;
		text_clear(&line);
		played_unname(shell, rank, "probe_of_the_check");
		text_add(&line,
		        "@%d tensor probe_of_the_check%s host %s; @%d copy %.*s -> probe_of_the_check\n",
		        rank, shape_text(layout).text, dtype_name((enum dtype)layout->dtype), rank,
		        (int)length, name);
		interpreter_run(shell, text_string(&line), line.count, TASK_FILE, 1);
	}
	text_release(&line);
	return races_now(shell->world)->unread_count == before;
}

static void is_unwritten(struct gates *gates, const char *name, size_t length)
{
	for (size_t i = 0; i < gates->count; i++) {
		struct gate *gate = &gates->gate[i];
		struct text compared = {0};
		gates_compared(&gate->line, &compared);
		bool found = text_place(text_string(&compared), name, length) >= 0;
		text_release(&compared);
		if (!found || !gate->held)
			continue;
		gate->held = false;
		text_add(&gate->words, "%.*s is not written, in whole or in part", (int)length, name);
		return;
	}
}

/* Fails gates that compare a tensor that is not fully written. */
static void ask_written(struct shell *shell, struct task_play *played)
{
	struct text names = {0};
	gates_compared(&played->task->part[PART_CHECK], &names);
	for (const char *at = text_string(&names); *at; at += strcspn(at, " ") + 1) {
		size_t length = strcspn(at, " ");
		if (!is_written(shell, at, length) && shell->world->me == 0)
			is_unwritten(played->gates, at, length);
	}
	text_release(&names);
}

void asked_gates(struct shell *shell, struct task_play *played)
{
	bool keeps = shell->course.best && shell->course.best->keeps, cause = !keeps, held = true;
	if (!played->gates)
		return;
	for (size_t i = 0; i < played->gates->count && (held || played->all_gates || keeps); i++) {
		struct gate *gate = &played->gates->gate[i];
		if (!keeps || strstr(text_string(&gate->line), "best("))
			held &= ask_gate(shell, played, gate, &cause);
	}
	if (held && !keeps)
		ask_written(shell, played);
}
