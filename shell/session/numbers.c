/* numbers.c -- keeps an answer's numbers by name and rank */
#include "shell/session/numbers.h"
#include "base/memory.h"
#include "shell/wire/block.h"

#include <cjson/cJSON.h>
#include <string.h>

static struct named_number *numbers_find(struct numbers *numbers, const char *name)
{
	for (size_t i = 0; i < numbers->count; i++)
		if (strcmp(numbers->number[i].name, name) == 0)
			return &numbers->number[i];
	return NULL;
}

/* Ranks in ascending order need no search. */
void numbers_add(struct numbers *numbers, int rank, const char *name, double value)
{
	struct named_number *number = numbers->wanted ? numbers_find(numbers, name) : NULL;
	if (!numbers->wanted || (!number && numbers->count == NUMBERS_MOST))
		return;
	if (!number) {
		number = MEM_ADD(&numbers->number, &numbers->count);
		*number = (struct named_number){.name = mem_copy_text(name, strlen(name))};
	}
	size_t i = number->ranks;
	while (i > 0 && number->of[i - 1].rank > rank)
		i--;
	if (i > 0 && number->of[i - 1].rank == rank)
		number->of[i - 1].value = value;
	else
		*MEM_INSERT(&number->of, &number->ranks, i) = (struct rank_number){rank, value};
}

static void numbers_forget(struct numbers *numbers)
{
	for (size_t i = 0; i < numbers->count; i++) {
		mem_free(numbers->number[i].name);
		mem_free(numbers->number[i].of);
	}
	numbers->count = 0;
}

void numbers_pack(struct numbers *numbers, int me, struct text *bytes)
{
	for (size_t i = 0; i < numbers->count; i++) {
		const struct named_number *number = &numbers->number[i];
		for (size_t k = 0; k < number->ranks; k++)
			if (number->of[k].rank == me) {
				block_put_string(bytes, number->name);
				block_put(bytes, &number->of[k].value, sizeof(double));
			}
	}
	numbers_forget(numbers);
}

bool numbers_unpack(struct numbers *numbers, int rank, const void *bytes, size_t count)
{
	const char *at = bytes, *end = at + count, *name;
	size_t length;
	double value;
	while (at < end && block_take(&at, end, &name, &length)) {
		if (!length || name[length - 1] || !block_take_struct(&at, end, &value, sizeof value))
			return false;
		numbers_add(numbers, rank, name, value);
	}
	return at == end;
}

/* NaN and infinities are null, too: JSON has none. */
static cJSON *number_json(const struct named_number *number, int n)
{
	bool equal = true;
	for (size_t k = 1; k < number->ranks; k++)
		equal = equal && number->of[k].value == number->of[0].value;
	if (equal)
		return cJSON_CreateNumber(number->of[0].value);
	cJSON *list = cJSON_CreateArray();
	size_t k = 0;
	for (int rank = 0; rank < n; rank++) {
		bool known = k < number->ranks && number->of[k].rank == rank;
		cJSON_AddItemToArray(
		        list, known ? cJSON_CreateNumber(number->of[k].value) : cJSON_CreateNull());
		k += known;
	}
	return list;
}

void numbers_take(struct numbers *numbers, int n, struct text *json)
{
	if (!numbers->count)
		return;
	cJSON *object = cJSON_CreateObject();
	for (size_t i = 0; i < numbers->count; i++)
		cJSON_AddItemToObject(object, numbers->number[i].name, number_json(&numbers->number[i], n));
	char *text = cJSON_PrintUnformatted(object);
	text_add(json, "%s", text);
	cJSON_free(text);
	cJSON_Delete(object);
	numbers_forget(numbers);
}

void numbers_release(struct numbers *numbers)
{
	numbers_forget(numbers);
	mem_free(numbers->number);
	*numbers = (struct numbers){0};
}
