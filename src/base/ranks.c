/* ranks.c -- a set of ranks, as bits: rank r is bit r % 64 of word r / 64. All loops are over words, so a set
 * of 4096 ranks costs 64 steps, and walking it one step more for each member. */
#include "base/ranks.h"

#include <string.h>

void ranks_all(struct ranks *set, int n)
{
	memset(set, 0, sizeof *set);
	for (int w = 0; w < n / 64; w++)
		set->words[w] = ~UINT64_C(0);
	if (n % 64)
		set->words[n / 64] = (UINT64_C(1) << (n % 64)) - 1;
}

void ranks_one(struct ranks *set, int rank)
{
	memset(set, 0, sizeof *set);
	ranks_add(set, rank);
}

void ranks_add(struct ranks *set, int rank)
{
	set->words[rank / 64] |= UINT64_C(1) << (rank % 64);
}

void ranks_drop(struct ranks *set, int rank)
{
	set->words[rank / 64] &= ~(UINT64_C(1) << (rank % 64));
}

void ranks_and(struct ranks *set, const struct ranks *other)
{
	for (int w = 0; w < RANKS_WORDS; w++)
		set->words[w] &= other->words[w];
}

void ranks_or(struct ranks *set, const struct ranks *other)
{
	for (int w = 0; w < RANKS_WORDS; w++)
		set->words[w] |= other->words[w];
}

bool ranks_has(const struct ranks *set, int rank)
{
	return rank >= 0 && rank < RANKS_MAX && set->words[rank / 64] >> (rank % 64) & 1;
}

bool ranks_empty(const struct ranks *set)
{
	return ranks_first(set) < 0;
}

bool ranks_equal(const struct ranks *a, const struct ranks *b)
{
	return memcmp(a, b, sizeof *a) == 0;
}

int ranks_count(const struct ranks *set)
{
	int count = 0;
	for (int w = 0; w < RANKS_WORDS; w++)
		count += __builtin_popcountll(set->words[w]);
	return count;
}

int ranks_first(const struct ranks *set)
{
	return ranks_next(set, -1);
}

/* The rest of the word that has the next rank, then whole words: members are found by counting zeros, and a set
 * of few costs few steps. */
int ranks_next(const struct ranks *set, int rank)
{
	int from = rank + 1;
	if (from >= RANKS_MAX)
		return -1;
	uint64_t word = set->words[from / 64] >> (from % 64);
	if (word)
		return from + __builtin_ctzll(word);
	for (int w = from / 64 + 1; w < RANKS_WORDS; w++)
		if (set->words[w])
			return w * 64 + __builtin_ctzll(set->words[w]);
	return -1;
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
