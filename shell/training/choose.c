/* choose.c -- makes a program from a model's file, the strategies' files and a driver
 *
 *     let data_kind = "text" ...      from `data`
 *     mesh dp=2 tp=2                  an axis for each strategy with one
 *     strategies/models/gpt.rsh       with the options from `model`
 *     strategies/tp.rsh               with those from `strategy`; order: stack_order
 *     strategies/ddp.rsh
 *     setup
 *     for it in 0:1 { iteration } */
#include "shell/training/choose.h"
#include "shell/session/changes.h"
#include "shell/session/quote.h"

#include <stdint.h>
#include <string.h>

/* A number that the driver sets, unless the file has an option of that name */
struct preset {
	const char *name;
	int64_t value;
	const char *unit;
};

/* sizes_only: omits the files. loader->workers 0: the data is in pinned memory */
static void driver_put_data(const struct plan *plan, bool sizes_only, const struct loader *loader,
        const struct head *model, struct text *out)
{
	static const char *const kinds[] = {
	        [DATA_SYNTHETIC] = "synthetic", [DATA_TEXT] = "text", [DATA_NPY] = "npy"};
	bool given = plan->data_given && !sizes_only;
	const struct preset presets[] = {{"samples", given ? plan->data.count : 0, ""},
	        {"vocab", plan->data.vocab, ""}, {"columns_in", plan->data.in, ""},
	        {"columns_out", plan->data.out, ""}, {"loader_workers", loader->workers, ""},
	        {"loader_prefetch", loader->prefetch, ""}, {"loader_read", (int64_t)loader->read, "B/s"},
	        {"loader_decode", (int64_t)loader->decode, "ns"}};
	text_add(out, "let it = 0\nlet data_kind = \"%s\"\nlet data_path = ",
	        kinds[given ? plan->data.kind : DATA_SYNTHETIC]);
	quote_text(given ? plan->data.path[0] : "", out);
	text_add(out, "\nlet target_path = ");
	quote_text(given ? plan->data.path[1] : "", out);
	text_put(out, "\n", 1);
	for (size_t i = 0; i < sizeof presets / sizeof *presets; i++)
		if (!head_option(model, presets[i].name))
			text_add(out, "let %s = %lld%s\n", presets[i].name, (long long)presets[i].value,
			        presets[i].value ? presets[i].unit : "");
}

static void choice_give_number(struct choice *choice, const char *name, struct number number)
{
	choice_give(choice, &(struct given){.name = name, .number = number});
}

static void choice_give_stage(const struct plan *plan, struct choice *strategy)
{
	const struct {
		const char *name;
		double ns;
	} times[] = {{"F", plan->stage.f}, {"B", plan->stage.b}, {"W", plan->stage.w},
	        {"transfer", plan->stage.comm}};
	for (size_t i = 0; i < sizeof times / sizeof *times && plan->stage.given; i++)
		if (head_option(&strategy->head, times[i].name) && !choice_given(strategy, times[i].name))
			choice_give_number(strategy, times[i].name, (struct number){times[i].ns, UNIT_TIME});
}

static const char drive[] = "setup\nfor it in 0:1 { iteration }\n";

static void driver_add(struct program *program, const char *text, size_t count)
{
	program_add(program,
	        &(struct player_file){
	                .name = "the driver", .what = "the driver", .text = text, .count = count});
}

static void program_add_choice(struct program *program, struct choice *choice, const char *kind)
{
	struct text what = {0};
	text_add(&what, "%s %s", kind, choice->name);
	choice->file.what = text_string(&what);
	choice->file.given = choice->given;
	choice->file.givens = choice->givens;
	program_add(program, &choice->file);
	text_release(&what);
}

static struct program *program_assemble(struct shell *shell, struct choice *choice, const int *order,
        int count, const struct text *first, const char *name)
{
	struct program *made = program_make(name, shell->world->names);
	made->built_in = true;
	driver_add(made, text_string(first), first->count);
	for (int i = 0; i < count; i++) {
		struct choice *one = &choice[order[i]];
		made->built_in &= !choice_is_path(one->name);
		one->file.shares = i > 1;
		program_add_choice(made, one, i ? "strategy" : "model");
		const struct text *text = one->head.text;
		if (!i) {
			text_put(&made->parts, text[HEAD_PARTS].bytes, text[HEAD_PARTS].count);
			continue;
		}
		text_put(&made->loses, text[HEAD_LOSES].bytes, text[HEAD_LOSES].count);
		text_put(&made->own_pace, text[HEAD_OWN_PACE].bytes, text[HEAD_OWN_PACE].count);
	}
	driver_add(made, drive, sizeof drive - 1);
	return made;
}

/* Sets the options that a replay changes in the strategies that have them, else in the model. */
static void choices_give_changed(struct changes *changes, struct choice *choice, int count)
{
	for (int i = 0; changes && i < changes->options; i++) {
		const struct given *given = changes->option[i];
		struct choice *to = NULL;
		for (int k = 1; k < count && !to; k++)
			to = head_option(&choice[k].head, given->name) ? &choice[k] : NULL;
		if (!to && head_option(&choice[0].head, given->name))
			to = &choice[0];
		if (!to)
			continue;
		changes->used[i] = true;
		for (int k = 0; k < count; k++)
			if (choice_given(&choice[k], given->name))
				choice_give(&choice[k], given);
		choice_give(to, given);
	}
}

/* choice[0] is the model. name NULL: for a walk, without data files */
static enum status choices_build(struct shell *shell, struct choice *choice, int count, int ranks,
        const char *name, struct program **made)
{
	const struct plan *plan = &shell->training->now;
	struct text first = {0}, idle = {0};
	int order[FILES_MAX], told = count > 1 ? choice->givens : 0; /* of the model, by `model` */
	enum status status = ST_OK;
	for (int i = 0; i < count && status == ST_OK; i++)
		status = choose_head(shell, i == 0, &choice[i]);
	if (status == ST_OK && count > 1)
		choices_give_changed(shell->replay.changes, choice, count);
	if (status == ST_OK)
		status = stack_order(choice, count, order);
	if (status == ST_OK)
		status = choices_fit(choice, order, count);
	if (status == ST_OK)
		status = stack_options(choice, count);
	if (status == ST_OK) {
		driver_put_data(plan, !name, count > 1 ? &plan->loader : &(struct loader){0}, &choice[0].head,
		        &first);
		/* the vocabulary of a text (0: none) overrides the line's */
		const struct given *given = choice_given(&choice[0], "vocab");
		int vocab = plan->data.vocab;
		if (vocab && given && !given->word && given->number.value != vocab)
			text_add(&idle, "vocab=%g has no effect: the text has %d\n", given->number.value,
			        vocab);
		if (vocab && head_option(&choice[0].head, "vocab"))
			choice_give_number(&choice[0], "vocab", (struct number){vocab, UNIT_PLAIN});
		for (int i = 1; i < count; i++)
			choice_give_stage(plan, &choice[i]);
		status = stack_mesh(choice, count, ranks, &first);
	}
	if (status == ST_OK)
		*made = program_assemble(shell, choice, order, count, &first, name ? name : choice->name);
	if (status == ST_OK) {
		stack_links(choice, count, shell->world->machine, ranks, &(*made)->links);
		stack_idle(choice, count, told, &idle);
		choices_lost(choice, order, count, &idle);
		text_put(&(*made)->idle, idle.bytes, idle.count);
	}
	text_release(&idle);
	text_release(&first);
	for (int i = 0; i < count; i++)
		choice_release(&choice[i]);
	return status;
}

enum status choose_model(struct shell *shell, struct choice *model)
{
	struct training *t = shell->training;
	struct program *program = NULL;
	enum status status = choices_build(shell, model, 1, 1, NULL, &program);
	if (status == ST_OK)
		status = program_walk(shell, program, 1);
	if (status == ST_OK) {
		program_release(t->now.model_program);
		t->now.model_program = program_use(program);
		struct text size = {0};
		number_text((struct number){program->elements, UNIT_PLAIN}, &size);
		out_say(shell->out, "   %s: %s parameters; `strategy ddp` trains it\n", model->name,
		        text_string(&size));
		text_release(&size);
		program_say_idle(shell, program);
	}
	program_release(program);
	return status;
}

/* Returns the chosen model, or mlp; a script is its own model. Texts are the program's. */
static struct choice choice_of_model(const struct program *program)
{
	struct choice choice = {.name = program ? program->name : "mlp"};
	if (!program)
		return choice;
	choice.file = program->file[program_is_script(program) ? 0 : 1];
	choice.givens = choice.file.givens;
	memcpy(choice.given, choice.file.given, (size_t)choice.givens * sizeof *choice.given);
	return choice;
}

struct program *choose_otherwise(struct shell *shell, const struct program *alone, struct names *names,
        const struct otherwise *otherwise)
{
	bool script = program_is_script(alone);
	struct choice model = choice_of_model(alone), serial = {.name = "serial"};
	const struct given *seed = choice_given(&model, "seed");
	double begin = seed ? seed->number.value : 1;
	const struct {
		bool wanted;
		struct given given;
	} changes[] = {{otherwise->f32, {.name = "dtype", .word = "f32"}},
	        {otherwise->loss_scale > 0, {.name = "loss_scale", .number.value = otherwise->loss_scale}},
	        {otherwise->seed, {.name = "seed", .number.value = begin + otherwise->seed}}};
	for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
		if (changes[i].wanted && !file_has_option(&model.file, changes[i].given.name))
			return NULL;
		if (changes[i].wanted)
			choice_give(&model, &changes[i].given);
	}
	if (otherwise->micros > 1 && choose_file(shell, false, &serial) != ST_OK)
		return NULL;
	struct program *program = program_make(alone->name, names);
	if (!script)
		program_add(program, &alone->file[0]);
	program_add_choice(program, &model, script ? "script" : "model");
	if (otherwise->micros > 1) {
		choice_give_number(&serial, "accumulate", (struct number){otherwise->micros, UNIT_PLAIN});
		program_add_choice(program, &serial, "strategy");
		choice_release(&serial);
	}
	if (!script)
		program_add(program, &alone->file[alone->files - 1]);
	return program;
}

enum status choose_model_again(struct shell *shell)
{
	struct program *before = program_use(shell->training->now.model_program);
	struct choice choice = choice_of_model(before);
	enum status status = before ? choose_model(shell, &choice) : ST_OK;
	program_release(before);
	return status;
}

enum status choice_key(struct call *call, int i, struct choice *choice)
{
	if (choice->givens == GIVENS_MAX)
		return fail(ST_LIMIT, "%s: at most %d options", choice->name, GIVENS_MAX);
	return call_key(call, i, &choice->given[choice->givens++]);
}

static void choices_put_line(const struct choice *choice, int count, struct text *out)
{
	for (int i = 1; i < count; i++) {
		text_add(out, "%s%s", i > 1 ? " + " : "", choice[i].name);
		if (choice[i].size)
			text_add(out, "=%d", choice[i].size);
		for (int k = 0; k < choice[i].givens; k++) {
			const struct given *given = &choice[i].given[k];
			text_add(out, " %s=%s", given->name, given->digits ? given->digits : "");
			if (!given->digits)
				given_text(given, out);
		}
	}
}

enum status choose_program(struct shell *shell, struct choice *choice, int count, struct program **made)
{
	struct text name = {0}, written = {0};
	if (!choice[0].name)
		choice[0] = choice_of_model(shell->training->now.model_program);
	for (int i = 1; i < count; i++)
		text_add(&name, "%s%s", i > 1 ? " + " : "", choice[i].name);
	choices_put_line(choice, count, &written);
	*made = NULL;
	enum status status = choices_build(shell, choice, count, shell->world->n, text_string(&name), made);
	if (status == ST_OK)
		status = choices_build(shell, choice, 1, 1, choice[0].name, &(*made)->alone);
	if (status == ST_OK)
		text_put(&(*made)->written, written.bytes, written.count);
	text_release(&name);
	text_release(&written);
	return status;
}

enum status choose_strategies(struct shell *shell, struct choice *choice, int count)
{
	struct program *program;
	enum status status = choose_program(shell, choice, count, &program);
	if (status == ST_OK)
		status = program_begin(shell, program);
	program_release(program);
	return status;
}

/* Appends why one rank, trained from the beginning, may differ. */
static void checkpoint_put_loses(const struct checkpoint *c, const struct text *parts, struct text *out)
{
	static const char then[] = "up to the checkpoint, ";
	const char *line = text_string(parts), *why = line + strcspn(line, ":");
	bool again = strncmp(c->loses, then, strlen(then)) == 0; /* a resumed training wrote it */
	if (*c->loses)
		text_add(out, "1: %s%s\n", again ? "" : then, c->loses);
	if (c->parts && parts->count)
		text_add(out, "(%.*s) != %d: %sthe batch was trained in %d part%s%s\n", (int)(why - line),
		        line, c->parts, then, c->parts, c->parts == 1 ? "" : "s", why);
}

enum status choose_resumed(struct shell *shell, const struct checkpoint *c)
{
	int first = c->iteration;
	const struct program *from = shell->training->now.program;
	struct program *made = program_make(from->name, shell->world->names);
	struct text begin = {0}, driver = {0};
	text_put(&begin, from->file[0].text, from->file[0].count);
	text_add(&begin, "def refresh { }\n");
	driver_add(made, text_string(&begin), begin.count);
	for (size_t i = 1; i + 1 < from->files; i++)
		program_add(made, &from->file[i]);
	text_add(&driver,
	        "setup\n## the checkpoint\n# parameters and optimizer as they were after iteration "
	        "%d\nrestore ",
	        first);
	quote_text(c->path, &driver);
	text_add(&driver, "\nrefresh\nfor it in %d:%d { iteration }\n", first, first + 1);
	driver_add(made, text_string(&driver), driver.count);
	made->built_in = from->built_in;
	made->first = first;
	made->alone = program_use(from->alone);
	program_copy_heads(from, made);
	checkpoint_put_loses(c, &made->parts, &made->resumed);
	enum status status = program_take(shell, made);
	program_release(made);
	text_release(&begin);
	text_release(&driver);
	return status;
}
