/* say.c -- words for the user: on the terminal, or for a program (script.c) */
#include "shell/terminal/inside.h"
#include "shell/wire/io.h"

#include <stdarg.h>
#include <stdio.h>

static void show_progress(const struct saying *saying, bool again)
{
	size_t length = saying->count;
	printf("\r\033[K   ");
	print_plain(saying->bytes, text_valid(saying->bytes, length > 40 ? 37 : length));
	printf("%s  %d s   (Ctrl-C %s)", length > 40 ? "..." : "", saying->seconds,
	        again ? "twice: end the ranks?" : "stops it");
}

void talk_say(const struct talk *talk, const struct saying *saying)
{
	struct text marked = {0};
	if (talk->hearer) {
		talk->hearer(talk->hearing, saying);
		return;
	}
	switch (saying->by) {
	case SAID_OUTPUT:
		pager_print(talk->pager, saying->bytes, saying->count);
		break;
	case SAID_RANK:
		mark_lines(saying->rank, saying->bytes, saying->count, &marked);
		fwrite(text_string(&marked), 1, marked.count, stdout);
		break;
	case SAID_JOB:
		print_plain(saying->bytes, saying->count);
		break;
	case SAID_NOTE:
		pager_print(NULL, saying->bytes, saying->count);
		break;
	case SAID_ERROR:
		fputs(talk->colour ? "\033[38;5;203m" : "", stdout);
		pager_print(NULL, saying->bytes, saying->count);
		puts(talk->colour ? "\033[0m" : "");
		break;
	case SAID_PROGRESS:
		show_progress(saying, talk->again);
		break;
	}
	fflush(stdout);
	text_release(&marked);
}

static void say_words(const struct session *session, enum said by, struct text *words)
{
	while (by == SAID_ERROR && words->count && words->bytes[words->count - 1] == '\n')
		words->count--;
	talk_say(&session->talk,
	        &(struct saying){.by = by, .bytes = text_string(words), .count = words->count});
	text_release(words);
}

void say_bad(const struct session *session, const char *format, ...)
{
	struct text words = {0};
	va_list arguments;
	va_start(arguments, format);
	text_vadd(&words, format, arguments);
	va_end(arguments);
	say_words(session, SAID_ERROR, &words);
}

void say_note(const struct session *session, const char *format, ...)
{
	struct text words = {0};
	va_list arguments;
	va_start(arguments, format);
	text_vadd(&words, format, arguments);
	va_end(arguments);
	say_words(session, SAID_NOTE, &words);
}
