/* check.h -- cmocka, and what several test programs share */
#ifndef RANKSH_TEST_CHECK_H
#define RANKSH_TEST_CHECK_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define LENGTH_OF(array) (sizeof(array) / sizeof *(array))
/* `text` stands somewhere in the words of the last failure */
#define assert_words(text)                                                  \
	do {                                                                \
		if (!strstr(fail_text(), text))                             \
			fail_msg("'%s' is not in '%s'", text, fail_text()); \
	} while (0)

#endif
