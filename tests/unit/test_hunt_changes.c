/* test_hunt_changes.c -- the changes of a text's lines: each one changes the text, and its
 * repair restores the text */
#include "base/embedded.h"
#include "base/memory.h"
#include "check.h"
#include "shell/course/hunt/changes.h"

#include <ctype.h>
#include <string.h>

/* What a text does, as far as looks tell: without blanks, `;`, empty lines and comments at a line's end */
static void put_bare(const char *text, size_t count, struct text *out)
{
	bool quoted = false, starts = true;
	for (size_t i = 0; i < count; i++) {
		char c = text[i];
		quoted ^= c == '"';
		if (c == '#' && starts && !quoted)
			while (i + 1 < count && text[i + 1] != '\n')
				i++;
		else if (!isspace((unsigned char)c) && c != ';')
			text_put(out, &c, 1);
		starts = isspace((unsigned char)c) || strchr(";{}", c);
	}
}

static bool says_the_same(const struct text *a, const char *text, size_t count)
{
	struct text one = {0}, other = {0};
	put_bare(text_string(a), a->count, &one);
	put_bare(text, count, &other);
	bool same = strcmp(text_string(&one), text_string(&other)) == 0;
	text_release(&one);
	text_release(&other);
	return same;
}

static void mend(const struct text_change *change, struct text *text)
{
	for (int i = 0; i < CHANGE_MENDS && change->mend[i]; i++) {
		struct text mended = {0};
		assert_true(line_replace(
		        text_string(text), text->count, change->line + i, change->mend[i], &mended));
		text_release(text);
		*text = mended;
	}
}

static size_t check_text(const char *name, const char *text, size_t count)
{
	struct changed_lines changes = {0};
	changes_find(&changes, text, count);
	for (size_t i = 0; i < changes.count; i++) {
		struct text changed = {0};
		change_apply(&changes.change[i], text, count, &changed);
		bool same = says_the_same(&changed, text, count);
		mend(&changes.change[i], &changed);
		if (same || !says_the_same(&changed, text, count))
			fail_msg("%s:%d, %s: %s", name, changes.change[i].line, changes.change[i].what,
			        same ? "it changes nothing" : "it is not mended");
		text_release(&changed);
	}
	size_t found = changes.count;
	changes_release(&changes);
	return found;
}

static void each_change_is_mended(void **state)
{
	static const char *const folders[] = {"strategies/", "strategies/parts/", "strategies/models/"};
	size_t found = 0;
	(void)state;
	for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
		const char *name;
		for (int k = 0; (name = embedded_name(folders[i], k, ".rsh")); k++) {
			const struct embedded *file = embedded_find(folders[i], name, ".rsh");
			found += check_text(file->path, file->bytes, file->count);
		}
	}
	assert_true(found > 1000);
}

/* The changed lines of a line, each on one of its own */
static void of_line(const char *line, struct text *out)
{
	struct changed_lines changes = {0};
	changes_find(&changes, line, strlen(line));
	for (size_t i = 0; i < changes.count; i++) {
		struct text changed = {0};
		change_apply(&changes.change[i], line, strlen(line), &changed);
		text_add(out, "%s\n", text_string(&changed));
		text_release(&changed);
	}
	changes_release(&changes);
}

static void a_line_has_these(void **state)
{
	static const struct {
		const char *line, *changed;
	} lines[] = {
	        {"if rank > 0 { wait a on b }",
	                "if rank >= 0 { wait a on b }\nif rank > 1 { wait a on b }\nif rank > 0 { wait a }\n"
	                "if rank > 0 { wait b on a }\nif rank > 0 { }\n"},
	        {"let n = 2*k1", "let n = 3*k1\nlet n = 1*k1\n"},
	        {"sendrecv x -> y to=l from=r;  phase F",
	                "sendrecv x -> y to=r from=l;  phase F\n"
	                "sendrecv x -> y to=l from=r;  sync;  phase F\n"
	                "sendrecv x -> y to=l from=r;  sendrecv x -> y to=l from=r;  phase F\n"
	                "if rank > 0 { sendrecv x -> y to=l from=r };  phase F\nphase F\n"},
	        {"# wait a on b", ""},
	        {"option k=1 \"a 2 b\"", ""},
	        {"tensor x[4] = randn seed=1", ""},
	        {"say \"1; wait a on b\"", ""},
	        {"free x;  stream s", "stream s\n"},
	};
	(void)state;
	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
		struct text found = {0};
		of_line(lines[i].line, &found);
		assert_string_equal(text_string(&found), lines[i].changed);
		text_release(&found);
	}
}

static void lines_are_counted(void **state)
{
	static const char text[] = "a\nb\n\nd";
	struct text out = {0};
	size_t length;
	(void)state;
	assert_null(line_of_text(text, strlen(text), 0, &length));
	assert_null(line_of_text(text, strlen(text), 5, &length));
	assert_false(line_replace(text, strlen(text), 5, "x", &out));
	assert_true(line_replace(text, strlen(text), 3, "c", &out));
	assert_string_equal(text_string(&out), "a\nb\nc\nd");
	text_release(&out);
	assert_true(line_replace(text, strlen(text), 4, "", &out));
	assert_string_equal(text_string(&out), "a\nb\n\n");
	text_release(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(each_change_is_mended),
	        cmocka_unit_test(a_line_has_these),
	        cmocka_unit_test(lines_are_counted),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
