/* ranks.c -- a set of ranks as bits: rank r is bit r % 64 of word r / 64; `some` has
 * the bits of the non-empty words, so that loops skip the others */
#include "base/ranks.h"

#include <stdio.h>
#include <string.h>

static void word_set(struct ranks *set, int w, uint64_t word)
{
	set->words[w] = word;
	set->some = word ? set->some | UINT64_C(1) << w : set->some & ~(UINT64_C(1) << w);
}

void ranks_all(struct ranks *set, int n)
{
	memset(set, 0, sizeof *set);
	for (int w = 0; w < n / 64; w++)
		word_set(set, w, ~UINT64_C(0));
	if (n % 64)
		word_set(set, n / 64, (UINT64_C(1) << (n % 64)) - 1);
}

void ranks_one(struct ranks *set, int rank)
{
	memset(set, 0, sizeof *set);
	ranks_add(set, rank);
}

void ranks_add(struct ranks *set, int rank)
{
	word_set(set, rank / 64, set->words[rank / 64] | UINT64_C(1) << (rank % 64));
}

void ranks_drop(struct ranks *set, int rank)
{
	word_set(set, rank / 64, set->words[rank / 64] & ~(UINT64_C(1) << (rank % 64)));
}

void ranks_and(struct ranks *set, const struct ranks *other)
{
	for (uint64_t left = set->some; left; left &= left - 1) {
		int w = __builtin_ctzll(left);
		word_set(set, w, set->words[w] & other->words[w]);
	}
}

void ranks_or(struct ranks *set, const struct ranks *other)
{
	for (uint64_t left = other->some; left; left &= left - 1) {
		int w = __builtin_ctzll(left);
		word_set(set, w, set->words[w] | other->words[w]);
	}
}

bool ranks_has(const struct ranks *set, int rank)
{
	return rank >= 0 && rank < RANKS_MAX && set->words[rank / 64] >> (rank % 64) & 1;
}

bool ranks_empty(const struct ranks *set)
{
	return !set->some;
}

bool ranks_equal(const struct ranks *a, const struct ranks *b)
{
	bool equal = a->some == b->some;
	for (uint64_t left = a->some; left; left &= left - 1) {
		int w = __builtin_ctzll(left);
		equal &= a->words[w] == b->words[w];
	}
	return equal;
}

int ranks_count(const struct ranks *set)
{
	int count = 0;
	for (uint64_t left = set->some; left; left &= left - 1) {
		int w = __builtin_ctzll(left);
		count += __builtin_popcountll(set->words[w]);
	}
	return count;
}

int ranks_first(const struct ranks *set)
{
	return ranks_next(set, -1);
}

int ranks_next(const struct ranks *set, int rank)
{
	int from = rank + 1;
	if (from >= RANKS_MAX)
		return -1;
	uint64_t word = set->words[from / 64] >> (from % 64);
	if (word)
		return from + __builtin_ctzll(word);
	uint64_t later = set->some & ~UINT64_C(1) << from / 64;
	if (!later)
		return -1;
	int w = __builtin_ctzll(later);
	return w * 64 + __builtin_ctzll(set->words[w]);
}

void ranks_text(const struct ranks *set, struct text *out)
{
	const char *comma = "";
	for (int from = ranks_first(set); from >= 0;) {
		int to = from;
		while (ranks_has(set, to + 1))
			to++;
		text_add(out, to == from ? "%s%d" : to == from + 1 ? "%s%d,%d" : "%s%d-%d", comma, from, to);
		comma = ",";
		from = ranks_next(set, to);
	}
}

void ranks_brief(const struct ranks *set, int columns, struct text *out)
{
	int count = ranks_count(set), first = ranks_first(set);
	struct text words = {0};

	ranks_text(set, &words);
	for (int form = 0; words.count > (size_t)columns && form < 3; form++) {
		text_clear(&words);
		if (form < 2)
			text_add(&words, form ? "%d e.g. %d" : "%d ranks, e.g. %d", count, first);
		else
			text_add(&words, "%dx", count);
	}
	text_put(out, text_string(&words), words.count);
	text_release(&words);
}

struct ranks_of_text ranks_of_text(int n)
{
	struct ranks_of_text words = {"the only rank is 0"};
	if (n > 1)
		snprintf(words.text, sizeof words.text, "ranks are 0-%d", n - 1);
	return words;
}
