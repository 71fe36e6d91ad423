/* question.c -- a question, from its command to its answer */
#include "shell/replay/question.h"
#include "base/memory.h"

#include <stdio.h>

void question_free(struct question *question)
{
	if (question)
		mem_free(question->without);
	mem_free(question);
}

struct question *question_make(
        const struct call *call, enum status (*answer)(struct shell *shell, const struct question *question))
{
	if (call->shell->replay.changes)
		return NULL;
	struct question *question = mem_alloc(sizeof *question);
	question->answer = answer;
	snprintf(question->asked, sizeof question->asked, "%.*s", WHOLE(call->statement->source));
	return question;
}

/* Fails with ST_ARGUMENT if the lines before the question are not all known. */
static enum status question_answer(struct shell *shell)
{
	struct question *question = shell->wishes.question;
	enum status status;
	shell->wishes.question = NULL;
	if (shell->journal.here.text)
		status = question->answer(shell, question);
	else
		status = fail(ST_ARGUMENT,
		        "`%s` is a line of its own, in no block, def, or file that is `source`d",
		        question->asked);
	question_free(question);
	/* the line in the other world would only confuse */
	return status == ST_INTERRUPTED ? fail(ST_INTERRUPTED, "interrupted") : status;
}

enum status question_end(struct shell *shell, struct question *question, enum status status)
{
	if (status != ST_OK) {
		question_free(question);
		return status;
	}
	question_free(shell->wishes.question); /* from a wish that was not granted */
	shell->wishes.question = question;
	shell->wishes.statement = (struct wish){.kind = WISH_ANSWER, .grant = question_answer};
	return ST_OK;
}
