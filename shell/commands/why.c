/* why.c -- why: the root cause of a wait
 *
 * An operation is named by its output, by its number among its kind, or by its phase; its rank
 * follows the name (`z@1`) or is in the line (`@1 why z`). */
#include "base/arithmetic.h"
#include "base/memory.h"
#include "shell/language/run/answer.h"
#include "shell/language/run/command.h"
#include "shell/replay/replay.h"
#include "trace/why.h"

#include <stdlib.h>
#include <string.h>

struct inquiry {
	struct call *call;
	struct trace trace;
	struct ranks ranks;
	char word[64]; /* without the rank */
	op_id *op;
	size_t ops;
};

/* Moves the rank of "z@1" into `ranks`. Fails with ST_RANK. */
static enum status inquiry_read_rank(struct inquiry *asked)
{
	char *at = strrchr(asked->word, '@'), *end;
	if (!at || !at[1] || strspn(at + 1, "0123456789") != strlen(at + 1))
		return ST_OK;
	long rank = strtol(at + 1, &end, 10);
	int n = asked->call->shell->world->n;
	if (rank >= n)
		return fail(ST_RANK, "no rank %ld: %s", rank, ranks_of_text(n).text);
	*at = '\0';
	ranks_one(&asked->ranks, (int)rank);
	return ST_OK;
}

/* Adds a rank's operations with that title or phase, else its host's waits in that command. */
static void inquiry_add_named(struct inquiry *asked, int rank, name_id name)
{
	const struct world *world = asked->call->shell->world;
	size_t before = asked->ops;
	for (int waits = 0; waits < 2 && asked->ops == before; waits++)
		for (op_id id = world->first[rank]; id; id = world->ops[id].next_program) {
			const struct record *record = op_record(world, id);
			bool silent = record->kind == OP_RECORD || record->kind == OP_WAIT ||
			        record->kind == OP_FILL;
			if (!silent &&
			        (waits ? record->reason == name
			               : record->title == name || record->phase == name))
				*MEM_ADD(&asked->op, &asked->ops) = id;
		}
}

static void inquiry_list_ops(const struct inquiry *asked, struct text *out)
{
	enum { SHOWN_MOST = 12 };
	const struct world *world = asked->call->shell->world;
	text_add(out, "%s is %zu operations on rank %d: say which\n", asked->word, asked->ops,
	        world->ops[asked->op[0]].rank);
	for (size_t i = 0; i < asked->ops && i < SHOWN_MOST; i++) {
		struct text name = {0}, label = {0}, line = {0};
		op_text(world, asked->op[i], &name);
		op_label(world, asked->op[i], &label);
		trace_put_line(&asked->trace, asked->op[i], &line);
		text_add(out, "   why %s@%d%*s%s   %s\n", text_string(&name), world->ops[asked->op[i]].rank,
		        (int)(name.count < 16 ? 18 - name.count : 2), "", text_string(&label),
		        text_string(&line));
		text_release(&name);
		text_release(&label);
		text_release(&line);
	}
	if (asked->ops > SHOWN_MOST)
		text_add(out, "   ... and %zu more\n", asked->ops - SHOWN_MOST);
}

static void inquiry_find_numbered(struct inquiry *asked, name_id title, long n)
{
	const struct world *world = asked->call->shell->world;
	struct {
		long count;
		op_id op;
	} *of = mem_alloc((size_t)world->n * sizeof *of);
	for (op_id id = 1; id <= world->op_count; id++) {
		int rank = world->ops[id].rank;
		if (op_record(world, id)->title == title && ++of[rank].count == n)
			of[rank].op = id;
	}
	FOR_RANKS (rank, &asked->ranks)
		if (of[rank].op)
			*MEM_ADD(&asked->op, &asked->ops) = of[rank].op;
	mem_free(of);
}

/* Sets *several if a rank has more than one operation of the name; then only those are kept. */
static enum status inquiry_find_ops(struct inquiry *asked, bool *several)
{
	const struct world *world = asked->call->shell->world;
	name_id name = names_find(world->names, asked->word, strlen(asked->word));
	name_id title;
	long n = op_numbered(world, asked->word, &title);
	*several = false;
	if (n)
		inquiry_find_numbered(asked, title, n);
	if (asked->ops)
		return ST_OK;
	FOR_RANKS (rank, &asked->ranks) {
		size_t before = asked->ops;
		op_id id;
		if (name && world_find(world, rank, name).kind != THING_TENSOR)
			inquiry_add_named(asked, rank, name);
		*several = asked->ops > before + 1;
		if (*several) {
			memmove(asked->op, asked->op + before, (asked->ops - before) * sizeof *asked->op);
			asked->ops -= before;
			return ST_OK;
		}
		if (asked->ops > before)
			continue;
		if (op_find(world, rank, asked->word, &id) == ST_OK)
			*MEM_ADD(&asked->op, &asked->ops) = id;
	}
	op_id none; /* for the failure on the first rank */
	return asked->ops ? ST_OK : op_find(world, ranks_first(&asked->ranks), asked->word, &none);
}

/* Shows how to ask for earlier writes, latest first; only the last one is explained. */
static void inquiry_put_earlier(const struct inquiry *asked, struct text *out)
{
	enum { SHOWN_MOST = 3 };
	const struct world *world = asked->call->shell->world;
	name_id name = names_find(world->names, asked->word, strlen(asked->word));
	op_id before[SHOWN_MOST] = {0}, last = asked->op[0];
	struct text line = {0};
	int writers = 0;
	for (op_id id = world->first[world->ops[last].rank]; name && id; id = world->ops[id].next_program) {
		const struct record *record = op_record(world, id);
		bool writes = false;
		for (int i = 0; i < record->operands && record->kind != OP_FILL; i++)
			writes |= record->operand[i].access & ACCESS_WRITE && record->operand[i].name == name;
		if (id >= last || !writes)
			continue;
		memmove(before + 1, before, (SHOWN_MOST - 1) * sizeof *before);
		before[0] = id;
		writers++;
	}
	text_add(&line, "%s was written %d times, the last is shown; before: ", asked->word, writers + 1);
	for (int i = 0; i < SHOWN_MOST && before[i]; i++) {
		int64_t end = backend_times(asked->trace.backend, before[i]).end;
		text_add(&line, i ? ", `why " : "`why ");
		op_text(world, before[i], &line);
		text_add(&line, end == TIME_UNKNOWN ? "` (not over)" : "` (");
		if (end != TIME_UNKNOWN) {
			time_text(end, &line);
			text_add(&line, ")");
		}
	}
	if (writers > SHOWN_MOST)
		text_add(&line, ", and %d more", writers - SHOWN_MOST);
	if (writers)
		text_wrapped(out, text_string(&line), 0, out_width(asked->call->shell->out));
	text_release(&line);
}

static void why_ask_saving(const struct call *call, const struct why *why)
{
	struct question *question = question_make(call, answer_saving);
	if (!question)
		return;
	struct changes *changes = &question->changes;
	size_t count = why_without(why, &question->without, &changes->slowed);
	question->several = why->roots > 1;
	changes->slow = 1;
	changes->op = question->without;
	changes->ops = count;
	if (count || !ranks_empty(&changes->slowed))
		question_end(call->shell, question, ST_OK);
	else
		question_free(question);
}

static enum status why_explain(struct inquiry *asked, struct why_question *question, struct text *out)
{
	struct why why = {0};
	int width = out_width(asked->call->shell->out);
	enum status status = trace_why(&asked->trace, question, width, &why);
	if (status == ST_OK) {
		text_put(out, text_string(&why.text), why.text.count);
		why_put_roots(&why, out);
		trace_put_uncertainty(&asked->trace, 1, out);
		if (call_outermost(asked->call))
			why_ask_saving(asked->call, &why);
	}
	why_release(&why);
	return status;
}

static bool why_read_time(const char *word, int64_t *ns)
{
	struct number number;
	int used;
	if (number_read(word, &number, &used) != ST_OK || word[used] || number.unit != UNIT_TIME)
		return false;
	*ns = number.value < (double)TIME_UNKNOWN ? (int64_t)number.value : TIME_UNKNOWN;
	return true;
}

static enum status why_answer(struct inquiry *asked, struct text *out)
{
	struct world *world = asked->call->shell->world;
	struct why_question question = {.of = WHY_RANK, .ranks = &asked->ranks, .section = -1};
	bool several = false;
	if (trace_says_nothing(&asked->trace, -1, out))
		return ST_OK;
	if (!*asked->word)
		return why_explain(asked, &question, out);
	if (why_read_time(asked->word, &question.time)) {
		int64_t end = trace_window(&asked->trace, -1).to;
		/* then all times after the end are alike */
		bool hangs = trace_hangs(&asked->trace);
		question.of = WHY_TIME;
		question.time = hangs ? least_of(question.time, end) : question.time;
		if (question.time <= end)
			return why_explain(asked, &question, out);
		text_add(out, "why %s: everything ends before, at ", asked->word);
		time_text(end, out);
		text_add(out, "\n");
		return ST_OK;
	}
	question.stream = names_find(world->names, asked->word, strlen(asked->word));
	FOR_RANKS (rank, &asked->ranks)
		if (question.stream &&
		        (question.stream == world->default_name ||
		                world_find(world, rank, question.stream).kind == THING_STREAM)) {
			question.of = WHY_STREAM;
			return why_explain(asked, &question, out);
		}
	if (!asked->word[strspn(asked->word, "0123456789")])
		return fail(ST_NAME, "why %s: `@%s why` explains that rank, `why %sms` that time",
		        asked->word, asked->word, asked->word);
	enum status status = inquiry_find_ops(asked, &several);
	if (status == ST_OK && several) {
		inquiry_list_ops(asked, out);
	} else if (status == ST_OK) {
		question.of = WHY_OP;
		question.op = asked->op;
		question.ops = asked->ops;
		inquiry_put_earlier(asked, out);
		status = why_explain(asked, &question, out);
	}
	/* keeps the failure, unless a stream has nearly that name */
	int rank = ranks_first(&asked->ranks);
	const char *near = status == ST_NAME ? world_nearest(world, rank, asked->word, THING_STREAM) : NULL;
	if (near)
		fail(ST_NAME, "why: no operation or stream '%s' on rank %d; did you mean the stream '%s'?",
		        asked->word, rank, near);
	return status;
}

static enum status why_run(struct call *call)
{
	struct shell *shell = call->shell;
	struct inquiry asked = {.call = call,
	        .trace = {.world = shell->world, .backend = shell->backend, .budget = &shell->budget},
	        .ranks = *call->set};
	const char *word = "";
	struct text text = {0};
	enum status status = call_common(call, 0, &word);
	if (status == ST_OK && strlen(word) >= sizeof asked.word)
		status = fail(ST_NAME, "no operation has so long a name");
	if (status != ST_OK)
		return status;
	memcpy(asked.word, word, strlen(word) + 1);
	status = inquiry_read_rank(&asked);
	if (status == ST_OK)
		status = shell_look(shell);
	if (status == ST_OK)
		status = why_answer(&asked, &text);
	mem_free(asked.op);
	return answer(call, &text, status);
}

const struct command command_why = {
        .name = "why",
        .topic = "look",
        .usage = "why [OP|STREAM|TIME] [@RANK]",
        .help = "explains why an operation waited, why the operation that it waited for was late, and so "
                "on to the root. OP is `y` (the last write to y), `allreduce#3` (the third here) or a "
                "phase; `z@1` selects a rank. For a stream: its longest wait; for a rank: its longest time"
                " without a kernel; at a time (`@1 why 3.2ms`): the rank's wait at that time",
        .example = "tensor x[256,256] w[256,256]\n@2 slow 2x\ny = matmul x w\nallreduce y\nsync\nwhy y@1",
        .class = COMMAND_LOOK,
        .argument = {{ARG_WORD, ARG_OPTIONAL, NULL, "OP|STREAM|TIME"}},
        .run = why_run,
};
