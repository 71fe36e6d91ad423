/* machine.c -- machine and set: the modelled hardware and its figures
 *
 * A change applies to operations queued from now on, on all ranks, and outlives the world. */
#include "shell/language/run/answer.h"
#include "shell/language/run/command.h"
#include "shell/session/changes.h"
#include "shell/session/device.h"
#include "shell/session/lasting.h"

#include <string.h>

static enum status machine_run(struct call *call)
{
	struct text text = {0};
	const char *word;
	struct shell *shell = call->shell;
	if (call_count(call, 0)) {
		struct machine machine = shell->lasting.machine;
		enum status status = call_common(call, 0, &word);
		if (status == ST_OK)
			status = device_machine_shared(shell->device, shell->transport, word, &machine);
		return status == ST_OK ? lasting_machine(shell, &machine) : status;
	}
	bool cuda = shell->device && shell->device->here;
	machine_text(&shell->lasting.machine, &text);
	if (cuda)
		text_add(&text,
		        shell->lasting.machine.here
		                ? "the GPU at hand: work takes the time that it takes; these are "
		                  "what is expected\n"
		                : "played: work takes at least the time that this machine would "
		                  "(`machine this`: the GPU at hand)\n");
	lasting_slow_text(shell, &text);
	text_add(&text, "machines:%s", cuda ? " this" : "");
	for (int i = 0; machine_embedded(i); i++)
		text_add(&text, " %s", machine_embedded(i));
	text_add(&text, "\n");
	return answer(call, &text, ST_OK);
}

static void machine_follows(const char *name, struct text *out)
{
	for (int i = 0; !*name && machine_embedded(i); i++)
		text_add(out, "%s\n", machine_embedded(i));
}

const struct command command_machine = {
        .name = "machine",
        .topic = "steer",
        .usage = "machine [NAME|FILE]",
        .help = "shows the modelled machine with every number's source, and the `slow` ranks. With a name:"
                " chooses that machine for the lines that follow and ends `set` and `slow`. With --device "
                "cuda, `this` is the GPU itself, and any other machine is emulated",
        .example = "machine dgx-h100\nmachine",
        .for_all = "the machine, but for `slow 2x`,",
        .class = COMMAND_LOOK,
        .unless = {"*", COMMAND_STEER},
        .argument = {{ARG_FILE, ARG_OPTIONAL, NULL, "NAME|FILE"}},
        .run = machine_run,
        .follows = machine_follows,
};

/* All keys are set in a copy first, so a refused line changes nothing. */
static enum status set_run(struct call *call)
{
	struct machine machine = *changes_plain(call->shell);
	for (int i = 0; i < call->statement->options; i++) {
		struct given given;
		enum status status = call_key(call, i, &given);
		if (status != ST_OK)
			return status;
		if (strcmp(given.name, "hello") == 0)
			continue; /* read by the front end: terminal/session.c */
		/* a word's number is 0, which a key accepts or finds out of range */
		status = machine_set(&machine, given.name, given.number);
		if (given.word && status != ST_NAME)
			status = fail(ST_ARGUMENT,
			        "set: '%s=%s': a number was expected (`machine` lists them with their units)",
			        given.name, given.word);
		if (status != ST_OK)
			return status;
	}
	enum status status = device_holds(call->shell->device, &machine);
	return status == ST_OK ? lasting_set(call->shell, &machine) : status;
}

static void set_follows(const char *name, struct text *out)
{
	const char *about;
	enum unit unit;
	(void)name;
	for (int i = 0; i < MACHINE_KEY_COUNT; i++)
		text_add(out, "%s=\n", machine_key(i, &about, &unit));
}

const struct command command_set = {
        .name = "set",
        .topic = "steer",
        .usage = "set KEY=VALUE ...",
        .help = "changes the machine's numbers (`machine` lists them) for the lines that follow; they "
                "survive `reset` and the next program. hello=off: no start screen",
        .example = "set launch=5us link_rate=100GB/s\nspin 1ms",
        .for_all = "the machine, but for `slow 2x`,",
        .class = COMMAND_STEER,
        .argument = {{ARG_KEYS, ARG_MANY, NULL, "KEY=VALUE"}},
        .run = set_run,
        .follows = set_follows,
};
