/* changes.c -- the changes of a counterfactual replay */
#include "shell/session/changes.h"
#include "shell/session/lasting.h"

#include <string.h>

static struct changes *changes_on(const struct shell *shell)
{
	return shell->replay.changes && shell->replay.changes->on ? shell->replay.changes : NULL;
}

const struct machine *changes_plain(const struct shell *shell)
{
	const struct changes *changes = changes_on(shell);
	return changes ? &changes->plain : &shell->lasting.machine;
}

enum status changes_machine(struct shell *shell)
{
	struct changes *changes = changes_on(shell);
	if (!changes)
		return ST_OK;
	changes->plain = shell->lasting.machine;
	struct machine machine = changes->other ? changes->machine : shell->lasting.machine;
	/* the machine's figures change, so its counter must */
	machine.changes = shell->lasting.machine.changes + 1;
	for (int i = 0; i < changes->keys; i++) {
		const struct key_change *change = &changes->key[i];
		struct number number = change->number;
		if (change->factor) {
			machine_key(change->key, NULL, &number.unit);
			number.value *= machine_value(&machine, change->key);
		}
		enum status status = machine_set(&machine, change->name, number);
		if (status != ST_OK)
			return status;
	}
	shell->lasting.machine = machine;
	return ST_OK;
}

enum status changes_begin(struct shell *shell)
{
	struct changes *changes = shell->replay.changes;
	changes->on = true;
	FOR_RANKS (rank, &changes->slowed)
		lasting_slow(shell, rank, changes->slow);
	return changes_machine(shell);
}

double changes_slow(const struct shell *shell, int rank, double factor)
{
	const struct changes *changes = changes_on(shell);
	return changes && ranks_has(&changes->slowed, rank) ? changes->slow : factor;
}

/* Copies a line without blanks at its ends, with single blanks. */
static size_t plain_text(const char *text, size_t length, char *plain, size_t room)
{
	size_t count = 0;
	for (size_t i = 0; i < length && count + 1 < room; i++) {
		bool blank = text[i] == ' ' || text[i] == '\t';
		if (!blank || (count && plain[count - 1] != ' '))
			plain[count++] = blank ? ' ' : text[i];
	}
	while (count && plain[count - 1] == ' ')
		count--;
	return count;
}

enum status changes_without(struct changes *changes, const char *text)
{
	size_t count = plain_text(text, strlen(text), changes->without, sizeof changes->without);
	changes->without[count] = '\0';
	if (!count || count + 1 == sizeof changes->without)
		return fail(
		        ST_RANGE, "without: the text of a line was expected: without \"wait io on compute\"");
	return ST_OK;
}

bool changes_leave_out(struct shell *shell, const char *source, size_t length)
{
	struct changes *changes = changes_on(shell);
	char line[sizeof changes->without];
	if (!changes || !*changes->without)
		return false;
	size_t count = plain_text(source, length, line, sizeof line);
	bool out = strlen(changes->without) == count && memcmp(changes->without, line, count) == 0;
	changes->left_out += out;
	if (changes->lines && !changes->left_out)
		names_make(changes->lines, line, count);
	return out;
}
