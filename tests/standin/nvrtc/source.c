/* source.c -- brackets, outside of texts, characters and comments */
#include "standin/nvrtc/source.h"

#include <string.h>

enum { DEPTH = 200 };

struct reading {
	const char *at;
	int line;
	char open[DEPTH]; /* the brackets that close what is open */
	int depth;
	const char *words; /* of the first mistake */
};

static void complain(struct reading *reading, const char *words)
{
	if (!reading->words)
		reading->words = words;
}

/* From behind its opening mark to behind the closing one */
static void skip_quoted(struct reading *reading, char mark)
{
	for (; *reading->at != mark; reading->at++) {
		if (*reading->at == '\\' && reading->at[1])
			reading->at++;
		if (*reading->at == '\n' || !*reading->at) {
			complain(reading, "missing closing quote");
			return;
		}
	}
	reading->at++;
}

static void skip_comment(struct reading *reading)
{
	const char *end = strstr(reading->at + 1, "*/");
	if (!end)
		complain(reading, "comment unclosed at end of file");
	for (; *reading->at && reading->at != end; reading->at++)
		reading->line += *reading->at == '\n';
	reading->at += end ? 2 : 0;
}

static void bracket(struct reading *reading, char c)
{
	const char *opening = "([{", *closing = ")]}", *opened = strchr(opening, c);
	if (opened && reading->depth < DEPTH)
		reading->open[reading->depth++] = closing[opened - opening];
	else if (opened)
		complain(reading, "brackets are nested too deeply");
	else if (reading->depth == 0 || reading->open[reading->depth - 1] != c)
		complain(reading, "a bracket closes what is not open");
	else
		reading->depth--;
}

static void read_one(struct reading *reading)
{
	char c = *reading->at++;
	if (c == '\n')
		reading->line++;
	else if (c == '"' || c == '\'')
		skip_quoted(reading, c);
	else if (c == '/' && *reading->at == '*')
		skip_comment(reading);
	else if (c == '/' && *reading->at == '/')
		reading->at += strcspn(reading->at, "\n");
	else if (strchr("()[]{}", c))
		bracket(reading, c);
}

bool source_whole(const char *text, int *line, const char **words)
{
	struct reading reading = {.at = text, .line = 1};
	while (*reading.at && !reading.words)
		read_one(&reading);
	if (reading.depth > 0)
		complain(&reading, "a bracket is still open at end of file");
	*line = reading.line;
	*words = reading.words;
	return !reading.words;
}
