/* folders.c -- the folders that a session writes: of mpirun, of shared memory, of the journal */
#include "base/number.h"
#include "shell/doctor/check.h"
#include "shell/terminal/journal_file.h"
#include "shell/terminal/room.h"
#include "shell/wire/io.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void check_temporary(const struct doctor *doctor, struct finding *finding)
{
	struct need need;
	const char *variable, *folder = room_folder(&variable);
	bool met = finding_need(doctor, NEED_FOLDER, "bytes", finding, &need);
	text_add(&finding->text, "%s: ", finding_path(folder));
	if (room_free(folder) < 0)
		text_add(&finding->text, "%s", strerror(errno));
	else if (need.there == INT64_MAX)
		text_add(&finding->text, "free space unknown");
	else
		text_add(&finding->text, "%s free", bytes_words(need.there).text);
	text_add(&finding->consequence, "mpirun needs %s%s", bytes_words(need.wanted).text,
	        met ? "" : " there");
	if (!met && !*need.type)
		text_add(&finding->consequence, ": set %s to another folder", variable ? variable : "TMPDIR");
}

void check_shared(const struct doctor *doctor, struct finding *finding)
{
	struct need need;
	bool met = finding_need(doctor, NEED_SHARED, "bytes", finding, &need);
	text_add(&finding->text, "%s: ", room_shared());
	if (room_free(room_shared()) < 0)
		text_add(&finding->text, "%s", strerror(errno));
	else if (need.there == INT64_MAX)
		text_add(&finding->text, "free space unknown");
	else
		text_add(&finding->text, "%s free", bytes_words(need.there).text);
	if (met)
		text_add(&finding->consequence, "ranks exchange messages in memory");
	else
		text_add(&finding->consequence, "%d ranks use %s: messages go by TCP, half as fast",
		        doctor->n, bytes_words(need.wanted).text);
}

/* Writes a file of a page, because a quota shows only then. errno is 0, or says why that failed. */
static void home_try(const char *folder)
{
	static const char page[4096];
	char path[1100];
	snprintf(path, sizeof path, "%s/doctor-XXXXXX", folder);
	errno = 0;
	int file = mkstemp(path);
	if (file < 0)
		return;
	write_all(file, page, sizeof page);
	int failed = errno;
	if (close(file) != 0 && !failed)
		failed = errno;
	unlink(path);
	errno = failed;
}

void check_home(const struct doctor *doctor, struct finding *finding)
{
	struct journal_file journal = {.file = -1};
	int failed = 0;
	(void)doctor;
	if (journal_file_folder(&journal) != ST_OK) {
		failed = errno;
	} else {
		home_try(journal.folder);
		failed = errno;
	}
	text_add(&finding->text, "%s: ", finding_path(journal.folder));
	if (failed) {
		finding->severity = CHECK_NOTE;
		text_add(&finding->text, "%s", strerror(failed));
		text_add(&finding->consequence,
		        "no --resume, history, progress of lessons: set XDG_STATE_HOME");
	} else {
		text_add(&finding->text, "writable");
		text_add(&finding->consequence, "`ranksh --resume` works");
	}
	finding_number(finding, "bytes", room_free(journal.folder));
	journal_file_release(&journal);
}
