/* check.h -- cmocka, and helpers that several test programs share */
#ifndef RANKSH_TEST_CHECK_H
#define RANKSH_TEST_CHECK_H

#include "base/memory.h"
#include "base/status.h" /* before cmocka, which has a macro `fail` */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define LENGTH_OF(array) (sizeof(array) / sizeof *(array))
/* `text` stands somewhere in the words of the last failure */
#define assert_words(text)                                                  \
	do {                                                                \
		if (!strstr(fail_text(), text))                             \
			fail_msg("'%s' is not in '%s'", text, fail_text()); \
	} while (0)

/* ---- a process without memory ----
 *
 * An allocation that finds no memory ends its process (base/memory.h), so what is tested runs in a child. It
 * may not assert: cmocka would go on with the other tests there. It returns whether all was right. */

/* The child, in which the n-th allocation fails, and what it printed on descriptor 2. Its status of
 * waitpid. */
static inline int run_in_child(long n, bool (*run)(void *self), void *self, char *words, size_t room)
{
	int ends[2], status = -1;
	size_t count = 0;
	ssize_t got;
	fflush(NULL);
	assert_int_equal(pipe(ends), 0);
	pid_t child = fork();
	if (child == 0) {
		dup2(ends[1], 2);
		mem_fail_at(n);
		_exit(run(self) ? 0 : 1);
	}
	close(ends[1]);
	while (count < room - 1 && (got = read(ends[0], words + count, room - 1 - count)) > 0)
		count += (size_t)got;
	words[count] = '\0';
	close(ends[0]);
	assert_int_equal(waitpid(child, &status, 0), child);
	return status;
}

/* Fails the n-th allocation of run(self): the process must end with status MEM_EXIT and words, or, when it
 * allocates less often, come to its end with everything right. True when it came to its end. */
static inline bool ends_without_memory(long n, bool (*run)(void *self), void *self)
{
	char words[2000];
	int status = run_in_child(n, run, self, words, sizeof words);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return true;
	if (!WIFEXITED(status) || WEXITSTATUS(status) != MEM_EXIT || !strstr(words, "out of memory"))
		fail_msg("allocation %ld: ended with %#x, and said: %s", n, (unsigned)status, words);
	return false;
}

/* Each allocation of run(self) fails in turn: the first ones all, later ones at growing distances. At least
 * one must have failed. */
static inline void sweep_memory(bool (*run)(void *self), void *self)
{
	long n = 0;
	while (!ends_without_memory(n, run, self))
		n += 1 + n / 16;
	assert_true(n > 0);
}

#endif
