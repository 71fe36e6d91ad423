/* start.c -- starts ranks, as a session does, and measures how long that takes (--try) */
#include "shell/doctor/check.h"
#include "shell/terminal/hosts.h"
#include "shell/rank/launcher.h"
#include "shell/session/options.h"
#include "shell/doctor/patience.h"
#include "shell/terminal/launch.h"

#include <signal.h>
#include <string.h>

enum { TRIED_RANKS = 2, START_LIMIT_MS = 20000 };

/* Takes the failure's first line, and a last line of a program that reported more. */
static void start_failed(struct finding *finding, const char *words, const struct text *err)
{
	size_t length = strcspn(words, "\n");
	finding->severity = CHECK_PROBLEM;
	text_add(&finding->text, "%.*s", (int)length, words);
	FOR_LINES (line, text_string(err), err->count) {
		if (line.length && !words[length])
			text_add(&finding->text, " | %.*s", (int)line.length, line.at);
	}
	FOR_LINES (line, words + length, strlen(words + length)) {
		if (line.length)
			text_add(&finding->text, " %.*s", (int)line.length, line.at);
	}
}

/* Tries two ranks of this computer, or all on several hosts. */
static int start_ranks(const struct doctor *doctor)
{
	return doctor->hosts.from != HOSTS_NONE || doctor->options->n ? doctor->n : TRIED_RANKS;
}

static void start_try(const struct doctor *doctor, struct finding *finding)
{
	char *line[] = {"-c", "barrier"};
	const struct options *typed = doctor->options;
	struct options options = {.n = start_ranks(doctor),
	        .lines = line[1],
	        .device = typed->device ? typed->device : "sim",
	        .word = line,
	        .words = 2,
	        .hosts = typed->hosts,
	        .hostfile = typed->hostfile,
	        .prefix = typed->prefix};
	struct text out = {0}, err = {0};
	struct job job;
	struct patience patience = patience_begin("starting ranks", START_LIMIT_MS);
	if (job_start(&job, &options, false) != ST_OK) {
		start_failed(finding, fail_text(), &err);
		text_add(&finding->consequence, "no session starts");
		return;
	}
	while ((job.out >= 0 || job.err >= 0) && patience_left(&patience))
		job_hear(&job, PATIENCE_TICK_MS, &out, &err);
	bool ended = job.out < 0 && job.err < 0;
	int64_t ms = patience_end(&patience);
	if (!ended)
		kill(-job.pid, SIGKILL);
	int code = job_outcome(&job, job_collect(&job));
	finding_number(finding, "ranks", options.n);
	finding_number(finding, "ms", ms);
	if (!ended) {
		finding->severity = CHECK_PROBLEM;
		text_add(&finding->text, "%d ranks have not started in %d s", options.n,
		        START_LIMIT_MS / 1000);
		text_add(&finding->consequence, "a session would wait longer, or forever");
	} else if (code != 0) {
		start_failed(finding, code == 4 ? fail_text() : "the ranks ended", &err);
		text_add(&finding->consequence, "so does a session");
	} else {
		text_add(&finding->text, "%d rank%s started and ended in %.1f s", options.n,
		        options.n == 1 ? "" : "s", (double)ms / 1000);
		text_add(&finding->consequence, "sessions start");
	}
	text_release(&out);
	text_release(&err);
	job_release(&job);
}

void check_start(const struct doctor *doctor, struct finding *finding)
{
	if (!doctor->options->tries) {
		text_add(&finding->text, "not tried");
		text_add(&finding->consequence, "`ranksh doctor --try` starts %d ranks", start_ranks(doctor));
	} else if (launcher_joins(doctor->options->n)) {
		text_add(&finding->text, "not tried");
		text_add(&finding->consequence, "this process is one of a job, whose ranks have started");
	} else if (doctor->failed) {
		finding->severity = CHECK_NOTE;
		text_add(&finding->text, "not tried");
		text_add(&finding->consequence, "no session starts before the problem above is solved");
	} else {
		start_try(doctor, finding);
	}
}
