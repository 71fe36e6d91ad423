/* choose.c -- a model's file, the strategies' files and what drives them, put together to a program
 *
 *     let data_kind = "text" ...      what `data` has said
 *     mesh dp=2 tp=2                  an axis for each strategy that works on one
 *     strategies/models/gpt.rsh       with the options of `model`
 *     strategies/ddp.rsh              with those of `strategy`
 *     strategies/tp.rsh
 *     setup
 *     for it in 0:1 { iteration } */
#include "shell/training/choose.h"
#include "shell/training/chosen.h"
#include "base/memory.h"
#include "shell/session/out.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* ---- the files of one program ---- */

static enum status add_file(struct shell *shell, struct chosen *chosen, const struct choice *choice)
{
	int i = chosen->files;
	enum status status = choose_file(shell, i == 0, choice->name, &chosen->file[i]);
	if (status != ST_OK)
		return status;
	chosen->files++;
	snprintf(chosen->what[i], sizeof chosen->what[i], "%s %s", i ? "strategy" : "model", choice->name);
	chosen->file[i].what = chosen->what[i];
	chosen->file[i].given = choice->given;
	chosen->file[i].givens = choice->givens;
	chosen->file[i].shares = i > 1;
	return head_read(&chosen->head[i], &chosen->file[i]);
}

/* ---- the mesh ---- */

/* "mesh dp=2 tp=2": an axis for each strategy that has one, in the order of the line. At most one size may be
 * left out: it is what the others leave of the ranks. A strategy that stands alone has all ranks, however many
 * there are: its program says `world`, so that its source runs elsewhere too. ST_RANGE: the sizes do not
 * multiply to the ranks; ST_ARGUMENT: two strategies on one axis, or a size for one that has none. */
static enum status put_axes(
        const struct chosen *chosen, const struct choice *strategy, int ranks, struct text *out)
{
	int64_t product = 1;
	int open = -1; /* the one whose size is not given */
	struct text sizes = {0};
	for (int i = 1; i < chosen->files; i++) {
		const char *axis = text_string(&chosen->head[i].axis);
		if (!*axis && strategy[i - 1].size)
			return fail(ST_ARGUMENT, "strategy %s works on no axis: write `%s`, without a size",
			        strategy[i - 1].name, strategy[i - 1].name);
		for (int k = 1; k < i && *axis; k++)
			if (strcmp(text_string(&chosen->head[k].axis), axis) == 0)
				return fail(ST_ARGUMENT, "%s and %s work on the same axis, %s",
				        strategy[k - 1].name, strategy[i - 1].name, axis);
		if (*axis && !strategy[i - 1].size && open > 0)
			return fail(ST_ARGUMENT, "%s and %s: which sizes? write %s=2 + %s=%d",
			        strategy[open - 1].name, strategy[i - 1].name, strategy[open - 1].name,
			        strategy[i - 1].name, ranks / 2);
		if (*axis && !strategy[i - 1].size)
			open = i;
		product *= strategy[i - 1].size ? strategy[i - 1].size : 1;
		text_add(&sizes, "%s%s=%d", i > 1 ? " + " : "", strategy[i - 1].name, strategy[i - 1].size);
	}
	enum status status = ST_OK;
	if (open < 0 ? product != ranks && product > 1 : ranks % product != 0)
		status = fail(ST_RANGE, "%s: the sizes multiply to %lld, and there are %d ranks",
		        text_string(&sizes), (long long)product, ranks);
	text_release(&sizes);
	bool any = false;
	for (int i = 1; i < chosen->files && status == ST_OK; i++)
		if (chosen->head[i].axis.count) {
			char size[24] = "world"; /* alone it has all ranks, however many there are */
			if (chosen->files > 2 || strategy[i - 1].size)
				snprintf(size, sizeof size, "%d",
				        strategy[i - 1].size ? strategy[i - 1].size : (int)(ranks / product));
			text_add(
			        out, "%s %s=%s", any ? "" : "mesh", text_string(&chosen->head[i].axis), size);
			any = true;
		}
	text_add(out, any ? "\n" : "");
	return status;
}

/* ---- what `data` and `stage` say ---- */

static void put_quoted(const char *value, struct text *out)
{
	text_put(out, "\"", 1);
	for (; *value; value++)
		text_add(out, strchr("\"\\$", *value) ? "\\%c" : "%c", *value);
	text_put(out, "\"", 1);
}

/* sizes_only: nothing of it is read: a model is looked at before its data is there */
static void put_data(const struct plan *plan, bool sizes_only, const struct head *model, struct text *out)
{
	static const char *const kinds[] = {
	        [DATA_SYNTHETIC] = "synthetic", [DATA_TEXT] = "text", [DATA_NPY] = "npy"};
	bool given = plan->data_given && !sizes_only;
	const struct {
		const char *name;
		int64_t value;
	} numbers[] = {{"samples", given ? plan->data.count : 0}, {"vocab", plan->data.vocab},
	        {"columns_in", plan->data.in}, {"columns_out", plan->data.out}};
	text_add(out,
	        "let data_kind = \"%s\"\nlet data_path = ", kinds[given ? plan->data.kind : DATA_SYNTHETIC]);
	put_quoted(given ? plan->data.path[0] : "", out);
	text_add(out, "\nlet target_path = ");
	put_quoted(given ? plan->data.path[1] : "", out);
	text_put(out, "\n", 1);
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
		if (!head_has_option(model, numbers[i].name))
			text_add(out, "let %s = %lld\n", numbers[i].name, (long long)numbers[i].value);
}

/* The option's place in choice->given, where it is given; else `givens` */
static int place_of(const struct choice *choice, const char *name)
{
	int i = 0;
	while (i < choice->givens && strcmp(choice->given[i].name, name) != 0)
		i++;
	return i;
}

/* Sets the option, given before or not */
static struct given *give(struct choice *choice, const char *name, struct number number)
{
	int i = place_of(choice, name);
	if (i == (int)(sizeof choice->given / sizeof *choice->given))
		i--;
	choice->givens = choice->givens > i ? choice->givens : i + 1;
	choice->given[i] = (struct given){.name = name, .number = number};
	return &choice->given[i];
}

static void give_stage(const struct plan *plan, const struct head *head, struct choice *strategy)
{
	const struct {
		const char *name;
		double ns;
	} times[] = {
	        {"F", plan->stage.f}, {"B", plan->stage.b}, {"W", plan->stage.w}, {"comm", plan->stage.comm}};
	for (size_t i = 0; i < sizeof times / sizeof *times && plan->stage.given; i++)
		if (head_has_option(head, times[i].name) &&
		        place_of(strategy, times[i].name) == strategy->givens)
			give(strategy, times[i].name, (struct number){times[i].ns, UNIT_TIME});
}

/* ---- together ---- */

static const char drive[] = "setup\nfor it in 0:1 { iteration }\n";

static void add_text(struct program *program, struct names *names, const char *text, size_t count)
{
	program_add(program, names,
	        &(struct player_file){
	                .name = "the driver", .what = "the driver", .text = text, .count = count});
}

/* The program of these choices; the first is the model's. name NULL: the model is only looked at. The choices
 * are copied first: what `data` and `stage` have said is given to them here as options, where a file has such
 * an option and the line does not give it. */
static enum status build(struct shell *shell, const struct choice *choice, int count, int ranks,
        const char *name, struct program **made)
{
	const struct plan *plan = &training_of(shell)->now;
	struct choice *own = mem_alloc((size_t)count * sizeof *own);
	struct chosen chosen = {.files = 0};
	struct text first = {0};
	enum status status = ST_OK;
	memcpy(own, choice, (size_t)count * sizeof *own);
	for (int i = 0; i < count && status == ST_OK; i++)
		status = add_file(shell, &chosen, &own[i]);
	if (status == ST_OK)
		status = chosen_fit(&chosen);
	if (status == ST_OK) {
		put_data(plan, count == 1 && !name, &chosen.head[0], &first);
		if (plan->data.vocab && head_has_option(&chosen.head[0], "vocab"))
			give(&own[0], "vocab", (struct number){plan->data.vocab, UNIT_PLAIN});
		for (int i = 1; i < count; i++)
			give_stage(plan, &chosen.head[i], &own[i]);
		status = put_axes(&chosen, own + 1, ranks, &first);
	}
	if (status == ST_OK) {
		*made = program_make(name ? name : choice->name);
		(*made)->built_in = true;
		struct names *names = shell->world->names;
		add_text(*made, names, text_string(&first), first.count);
		for (int i = 0; i < count; i++) {
			(*made)->built_in &= !choice_is_path(own[i].name);
			chosen.file[i].givens = own[i].givens;
			program_add(*made, names, &chosen.file[i]);
		}
		add_text(*made, names, drive, sizeof drive - 1);
		for (int i = 1; i < count && !(*made)->loses; i++)
			if (chosen.head[i].loses.count) {
				(*made)->loses =
				        mem_copy_text(chosen.head[i].loses.bytes, chosen.head[i].loses.count);
				(*made)->because = mem_copy_text(
				        text_string(&chosen.head[i].because), chosen.head[i].because.count);
			}
	}
	text_release(&first);
	for (int i = 0; i < chosen.files; i++) {
		mem_free((void *)(uintptr_t)chosen.file[i].text);
		head_release(&chosen.head[i]);
	}
	mem_free(own);
	return status;
}

enum status choose_model(struct shell *shell, const struct choice *model)
{
	double elements = 0;
	struct training *t = training_of(shell);
	struct program *program = NULL;
	enum status status = build(shell, model, 1, 1, NULL, &program);
	if (status == ST_OK)
		status = program_walk(shell, program, 1, &elements);
	if (status == ST_OK) {
		program_release(t->now.model_program);
		t->now.model_program = program_use(program);
		struct text size = {0};
		number_text((struct number){elements, UNIT_PLAIN}, &size);
		out_say(shell->out, "   %s: %s parameters; `strategy ddp` trains it\n", model->name,
		        text_string(&size));
		text_release(&size);
	}
	program_release(program);
	return status;
}

struct program *choose_otherwise(
        struct shell *shell, const struct program *alone, bool f32, int micros, int seed)
{
	struct player_file model = alone->file[alone->files > 1 ? 1 : 0], serial;
	struct choice choice = {.givens = model.givens}, parts = {.name = "serial"};
	struct program *program = NULL;
	if (alone->files < 3 || (f32 && !file_has_option(&model, "dtype")) ||
	        (seed && !file_has_option(&model, "seed")))
		return NULL;
	memcpy(choice.given, model.given, (size_t)model.givens * sizeof *model.given);
	if (f32)
		give(&choice, "dtype", (struct number){0})->word = "f32";
	int given = place_of(&choice, "seed");
	double begin = given < choice.givens ? choice.given[given].number.value : 1;
	if (seed)
		give(&choice, "seed", (struct number){begin + seed, UNIT_PLAIN});
	if (micros > 1 && choose_file(shell, false, "serial", &serial) != ST_OK)
		return NULL;
	program = program_make(alone->name);
	struct names *names = shell->world->names;
	program_add(program, names, &alone->file[0]);
	model.given = choice.given;
	model.givens = choice.givens;
	program_add(program, names, &model);
	if (micros > 1) {
		give(&parts, "accumulate", (struct number){micros, UNIT_PLAIN});
		serial.what = "strategy serial";
		serial.given = parts.given;
		serial.givens = parts.givens;
		program_add(program, names, &serial);
		mem_free((void *)(uintptr_t)serial.text);
	}
	program_add(program, names, &alone->file[alone->files - 1]);
	return program;
}

/* The model as it was chosen */
static struct choice model_choice(const struct plan *plan)
{
	struct choice choice = {.name = "mlp"};
	if (!plan->model_program)
		return choice;
	const struct player_file *file = &plan->model_program->file[1];
	choice.name = plan->model_program->name;
	choice.givens = file->givens;
	memcpy(choice.given, file->given, (size_t)file->givens * sizeof *file->given);
	return choice;
}

enum status choose_model_again(struct shell *shell)
{
	struct program *before =
	        program_use(training_of(shell)->now.model_program); /* its texts are the choice's */
	struct choice choice = model_choice(&training_of(shell)->now);
	enum status status = before ? choose_model(shell, &choice) : ST_OK;
	program_release(before);
	return status;
}

enum status choice_key(struct call *call, int i, struct choice *choice)
{
	struct given given = {0};
	enum status status = call_key(call, i, &given);
	if (status == ST_OK && choice->givens == (int)(sizeof choice->given / sizeof *choice->given))
		status = fail(ST_LIMIT, "%s: at most %d options", choice->name, choice->givens);
	if (status == ST_OK)
		choice->given[choice->givens++] = given;
	return status;
}

enum status choose_strategies(struct shell *shell, const struct choice *strategy, int count)
{
	struct choice all[FILES_MAX] = {model_choice(&training_of(shell)->now)};
	struct program *program = NULL, *alone = NULL;
	char name[64] = "";
	for (int i = 0; i < count; i++) {
		size_t used = strlen(name);
		snprintf(name + used, sizeof name - used, "%s%s", i ? " + " : "", strategy[i].name);
		all[i + 1] = strategy[i];
	}
	enum status status = build(shell, all, count + 1, shell->world->n, name, &program);
	if (status == ST_OK)
		status = build(shell, all, 1, 1, all[0].name, &alone);
	if (status == ST_OK) {
		program->alone = program_use(alone);
		status = program_take(shell, program);
	}
	program_release(program);
	program_release(alone);
	return status;
}
