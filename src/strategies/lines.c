/* lines.c -- see lines.h */
#include "strategies/lines.h"

#include <stdio.h>
#include <string.h>

bool lines_half(const struct layers *l)
{
	return l->model->dtype != DT_F32;
}

const char *lines_rows(const struct layers *l, char word[32])
{
	if (l->rows)
		snprintf(word, 32, "%lld", (long long)l->rows);
	else
		snprintf(word, 32, "%s", l->rows_text);
	return word;
}

const char *lines_tokens(const struct layers *l, char word[64])
{
	if (l->rows)
		snprintf(word, 64, "%lld", (long long)(l->rows * l->model->seq));
	else
		snprintf(word, 64, "%s*%lld", l->rows_text, (long long)l->model->seq);
	return word;
}

void lines_put(const struct layers *l, int unit, const char *pattern)
{
	for (const char *c = pattern; *c; c++)
		switch (*c) {
		case '#':
			text_add(l->out, "%d%s", unit, l->suffix);
			break;
		case '@':
			text_add(l->out, "%d", unit);
			break;
		case '^':
			text_add(l->out, "%d%s", unit - 1, l->suffix);
			break;
		case '~':
			text_add(l->out, "%s", l->suffix);
			break;
		default:
			text_put(l->out, c, 1);
			break;
		}
	text_add(l->out, "%s\n", l->on);
}

void lines_gradient(
        struct layers *l, const char *parameter, int unit, const char *left, const char *right, bool also)
{
	char name[32];
	snprintf(name, sizeof name, unit ? "d%s%d" : "d%s", parameter, unit);
	text_add(l->out, "%s %s matmul %s.T %s%s\n", name, l->add || also ? "+=" : "=", left, right, l->on);
	if (l->done && strcmp(name, "dtable") != 0) /* a tied table's is complete with the embedding's part */
		l->done(l, name + 1);
}

void lines_name(const struct layers *l, const char *base, int unit, char name[48])
{
	snprintf(name, 48, "%s%d%s", base, unit, l->suffix);
}

void lines_place(struct layers *l, enum layer_place at, enum half half, int unit, const char *base,
        int number, char name[48])
{
	char tensor[48];
	lines_name(l, base, number, tensor);
	snprintf(name, 48, "%s", tensor);
	if (l->place)
		l->place(l, at, half, unit, tensor, name);
}

/* ---- dropout ---- */

enum { SEED_APART = 1000000 }; /* of the numbers that parameters and data begin with */

/* Every place of every iteration has a seed of its own: the embedding's 0, then two a block */
static void dropout_seed(const struct layers *l, int unit, enum half half)
{
	int layers = l->whole_layers ? l->whole_layers : l->model->layers,
	    place = 2 * unit - (unit && half == HALF_ATTENTION);
	text_add(l->out, " seed=%lld+it*%d", (long long)SEED_APART * (l->model->seed + 1LL) + place,
	        2 * layers + 1);
	if (l->below)
		text_add(l->out, "+2*%s", l->below);
}

/* Where the rank's part begins in the whole: rows of the batch x elements of a row, and what lies in the
 * parts before it */
static void dropout_at(const struct layers *l)
{
	long long row = (long long)(l->model->seq * l->model->hidden);
	if (strcmp(l->first, "0") != 0 || l->cut)
		text_add(l->out, " at=(%s)*%lld", l->first, row);
	if (l->cut)
		text_add(l->out, "+rank*%lld", (long long)l->cut);
	if (l->width)
		text_add(l->out, " width=%lld", (long long)l->width);
}

void lines_dropout(
        const struct layers *l, const char *kernel, const char *to, const char *of, int unit, enum half half)
{
	if (l->model->dropout <= 0)
		return;
	text_add(l->out, "%s = %s %s p=%.9g", to, kernel, of, l->model->dropout);
	dropout_seed(l, unit, half);
	dropout_at(l);
	text_add(l->out, "%s\n", l->on);
}
