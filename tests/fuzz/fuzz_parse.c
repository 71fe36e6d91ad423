/* fuzz_parse.c -- mutated scripts for the parser: no input may crash it, and what it refuses leaves no memory
 * behind.
 *
 *     fuzz_parse INPUTS FOLDER...      INPUTS mutated .rsh files of the folders, the same at every run
 *     fuzz_parse SECONDSs FOLDER...    as many as fit into the seconds: 60s
 * With clang, -DLIBFUZZER -fsanitize=fuzzer,address,undefined makes it a target of libFuzzer. */
#include "base/memory.h"
#include "base/philox.h"
#include "shell/language/parse/tree.h"
#include "shell/commands/table.h"
#include "shell/submit/rows.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* 0, or 1 when memory was left behind */
static int parse_once(const char *bytes, size_t count)
{
	long live = mem_live();
	struct tree *tree;
	if (tree_parse(&tree, bytes, count, "fuzz", 1) == ST_OK)
		tree_release(tree);
	return mem_live() != live;
}

#ifdef LIBFUZZER
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
	if (parse_once((const char *)bytes, count))
		__builtin_trap();
	return 0;
}
#else

enum { INPUT_MAX = 1 << 16, SEEDS_MAX = 400 };
struct seed {
	char *bytes;
	size_t count;
};
struct random {
	uint64_t counter;
};

static uint32_t draw(struct random *random, uint32_t below)
{
	uint32_t out[4];
	philox(1, random->counter++, out);
	return below ? out[0] % below : 0;
}

static int add_file(struct seed *seed, const char *path)
{
	FILE *file = fopen(path, "rb");
	if (!file)
		return 0;
	seed->bytes = malloc(INPUT_MAX);
	seed->count = seed->bytes ? fread(seed->bytes, 1, INPUT_MAX / 2, file) : 0;
	fclose(file);
	return seed->bytes != NULL;
}

static int add_folder(struct seed *seeds, int count, const char *folder)
{
	struct dirent **entries;
	int found = scandir(folder, &entries, NULL, alphasort);
	for (int i = 0; i < found; i++) {
		char path[1024];
		const char *dot = strrchr(entries[i]->d_name, '.');
		int fits =
		        snprintf(path, sizeof path, "%s/%s", folder, entries[i]->d_name) < (int)sizeof path;
		if (fits && dot && strcmp(dot, ".rsh") == 0 && count < SEEDS_MAX)
			count += add_file(&seeds[count], path);
		free(entries[i]);
	}
	if (found >= 0)
		free(entries);
	return count;
}

/* [at, at+old) of the input becomes `fresh` */
static size_t replace(char *input, size_t count, size_t at, size_t old, const char *fresh, size_t length)
{
	if (count - old + length > INPUT_MAX)
		return count;
	memmove(input + at + length, input + at + old, count - at - old);
	memcpy(input + at, fresh, length);
	return count - old + length;
}

static size_t mutate(
        struct random *random, char *input, size_t count, const struct seed *seeds, int seed_count)
{
	static const char *const words[] = {"{", "}", "(", ")", "[", "]", "\"", "$", "$(", "=",
	        "+=", "==", ":", ";", "\n", " ", "@", "@0-", "#", "->", "%", ".T", " on ", " in ", "let ",
	        "if ", " else ", "for i in 0:", "def ", "expect error { ", "repeat ", "tensor ", "2ms",
	        "1e999", "80%", "_", ",", "not ", "\\", "close(x,y)", "x[0", "99999999999999999999", "\xff",
	        "\xc3\xa9", "time(", "count(a#3)", "dp=0,", "-", "((((((((", "{{{{{{{{", "[[[[[[[["};
	uint32_t at = draw(random, (uint32_t)count + 1), length = draw(random, 40);
	const struct seed *other = &seeds[draw(random, (uint32_t)seed_count)];
	if (at + length > count)
		length = (uint32_t)count - at;
	switch (draw(random, 6)) {
	case 0:
		return replace(input, count, at, length, "", 0);
	case 1: {
		char byte = (char)draw(random, 256);
		return replace(input, count, at, count > at, &byte, 1);
	}
	case 2: {
		uint32_t from = draw(random, (uint32_t)other->count + 1), take = draw(random, 200);
		if (from + take > other->count)
			take = (uint32_t)other->count - from;
		return replace(input, count, at, 0, other->bytes + from, take);
	}
	case 3:
		return at; /* cut off */
	default: {
		const char *word = words[draw(random, sizeof words / sizeof *words)];
		for (uint32_t times = draw(random, 40) ? 1 : 300; times > 0; times--)
			count = replace(input, count, at, 0, word, strlen(word));
		return count;
	}
	}
}

/* Runs until `inputs` inputs and `seconds` seconds of CPU time are used. */
static int fuzz(long inputs, double seconds, const struct seed *seeds, int count)
{
	static char input[INPUT_MAX];
	struct random random = {0};
	long runs = 0;
	for (clock_t end = clock() + (clock_t)(seconds * CLOCKS_PER_SEC); runs < inputs || clock() < end;
	        runs++) {
		const struct seed *seed = &seeds[draw(&random, (uint32_t)count)];
		size_t length = seed->count;
		memcpy(input, seed->bytes, length);
		for (uint32_t changes = 1 + draw(&random, 8); changes > 0; changes--)
			length = mutate(&random, input, length, seeds, count);
		/* an exact copy: reading behind its end is seen by the sanitizer */
		char *exact = malloc(length ? length : 1);
		if (!exact)
			return 1;
		memcpy(exact, input, length);
		int lost = parse_once(exact, length);
		free(exact);
		if (lost) {
			printf("FAIL fuzz: memory left behind by:\n%.*s\n", (int)length, input);
			return 1;
		}
	}
	printf("ok fuzz: %ld inputs\n", runs);
	return 0;
}

int main(int argc, char **argv)
{
	commands_start(command_table);
	struct seed seeds[SEEDS_MAX];
	int count = 0;
	for (int i = 2; i < argc; i++)
		count = add_folder(seeds, count, argv[i]);
	if (argc < 3 || !count) {
		fprintf(stderr, "usage: fuzz_parse INPUTS|SECONDSs FOLDER...   (folders with .rsh files)\n");
		return 2;
	}
	bool timed = strchr(argv[1], 's') != NULL;
	int status = fuzz(timed ? 0 : atol(argv[1]), timed ? atof(argv[1]) : 0, seeds, count);
	while (count > 0)
		free(seeds[--count].bytes);
	return status;
}
#endif
