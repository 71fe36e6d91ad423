/* question.c -- from the command that reads a question to the line that answers it */
#include "shell/training/question.h"
#include "base/memory.h"

#include <stdio.h>

void question_free(struct question *question)
{
	if (question)
		mem_free(question->without);
	mem_free(question);
}

struct question *question_make(const struct call *call, enum question_kind kind)
{
	if (call->shell->changes)
		return NULL;
	struct question *question = mem_alloc(sizeof *question);
	question->kind = kind;
	snprintf(question->asked, sizeof question->asked, "%.*s", WHOLE(call->statement->source));
	return question;
}

enum status question_end(struct shell *shell, struct question *question, enum status status)
{
	if (status != ST_OK) {
		question_free(question);
		return status;
	}
	question_free(shell->question); /* of a wish that was not granted */
	shell->question = question;
	shell->wish = (struct wish){.kind = WISH_ANSWER};
	return ST_OK;
}
