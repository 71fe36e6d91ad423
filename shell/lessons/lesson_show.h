/* lesson_show.h -- how a task looks on the screen */
#ifndef RANKSH_LESSON_SHOW_H
#define RANKSH_LESSON_SHOW_H

struct lesson_file;
struct shell;
struct text;

/* Each line indented by three; blank lines stay. */
void lesson_say_text(struct shell *shell, const struct text *text, int colour);
/* What a task asks: title, story, the lines that have run, its question, the commands that go on. `number`: the
 * lesson's, from 1; `at`: the task's, from 0. */
void lesson_say_task(struct shell *shell, const struct lesson_file *lesson, int number, int at);

#endif
