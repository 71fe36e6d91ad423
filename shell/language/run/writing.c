/* writing.c -- the file that a line writes */
#include "shell/language/run/writing.h"
#include "shell/values/share.h"

enum status call_write(const struct call *call, const char *path, const struct output_kind *kind, bool force,
        const struct text *text)
{
	struct text line = {0};
	call_line(call, ranks_first(call->set), &line);
	struct output output = {.path = path, .kind = kind, .force = force, .line = text_string(&line)};
	enum status status = shell_write(call->shell, &output, text);
	text_release(&line);
	return status;
}
