/* report.c -- writes findings
 *
 *     ok       open files  1024 may be open; 4 ranks need 48
 *     `- MARK -`- NAME ---`- text; consequence: wrapped to the width, with this indent */
#include "shell/doctor/report.h"
#include "shell/terminal/talk.h"
#include "shell/wire/plain.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { JSON_VERSION = 1, MARK = 8, NAME = 11, WIDTH = 80, WIDTH_LEAST = 40 };

static const char *const severities[] = {
        [CHECK_OK] = "ok", [CHECK_NOTE] = "note", [CHECK_PROBLEM] = "problem"};
static const int colours[] = {[CHECK_OK] = 114, [CHECK_NOTE] = 179, [CHECK_PROBLEM] = 203};

static int report_width(const struct doctor_report *report)
{
	int columns = report->doctor->terminal ? terminal_columns() : 0;
	return columns < 1 ? WIDTH : columns < WIDTH_LEAST ? WIDTH_LEAST : columns;
}

/* Writes a mark in colour, and the rest of the line. */
static void report_line(
        const struct doctor_report *report, enum check_severity severity, const char *mark, const char *rest)
{
	struct text line = {0}, shown = {0};
	if (report->colour)
		text_add(&line, "\033[38;5;%dm", colours[severity]);
	text_add(&line, "%-*s%s%s\n", MARK, mark, report->colour ? "\033[0m" : "", rest);
	plain_put(text_string(&line), line.count, report->colour, &shown);
	fwrite(text_string(&shown), 1, shown.count, stdout);
	fflush(stdout);
	text_release(&line);
	text_release(&shown);
}

static void report_finding(
        const struct doctor_report *report, const char *name, const struct finding *finding)
{
	struct text words = {0}, rows = {0}, line = {0};
	text_add(&words, "%s; %s", text_string(&finding->text), text_string(&finding->consequence));
	text_wrapped(&rows, text_string(&words), MARK + NAME, report_width(report));
	text_add(&line, "%-*s%.*s", NAME, name, (int)(rows.count - 1 - MARK - NAME),
	        text_string(&rows) + MARK + NAME);
	report_line(report, finding->severity, severities[finding->severity], text_string(&line));
	text_release(&words);
	text_release(&rows);
	text_release(&line);
}

void report_begin(struct doctor_report *report, const struct doctor *doctor)
{
	const char *term = getenv("TERM"), *no_colour = getenv("NO_COLOR");
	bool colour = doctor->terminal && term && *term && strcmp(term, "dumb") != 0;
	*report = (struct doctor_report){.doctor = doctor, .colour = colour && !(no_colour && *no_colour)};
	if (!doctor->options->json)
		return;
	report->json = cJSON_CreateObject();
	cJSON_AddNumberToObject(report->json, "ranksh", JSON_VERSION);
	cJSON_AddStringToObject(report->json, "kind", "doctor");
	cJSON_AddStringToObject(report->json, "version", RANKSH_VERSION);
	cJSON_AddNumberToObject(report->json, "ranks", doctor->n);
	report->checks = cJSON_CreateArray();
}

static void report_add_json(const struct doctor_report *report, const char *name, struct finding *finding)
{
	cJSON *check = cJSON_CreateObject();
	text_make_safe(finding->text.bytes);
	text_make_safe(finding->consequence.bytes);
	text_make_safe(finding->type.bytes);
	cJSON_AddStringToObject(check, "name", name);
	cJSON_AddStringToObject(check, "severity", severities[finding->severity]);
	cJSON_AddStringToObject(check, "text", text_string(&finding->text));
	cJSON_AddStringToObject(check, "consequence", text_string(&finding->consequence));
	if (finding->type.count)
		cJSON_AddStringToObject(check, "type", text_string(&finding->type));
	cJSON_AddItemToObject(check, "numbers", finding->numbers);
	cJSON_AddItemToArray(report->checks, check);
	finding->numbers = NULL;
}

void report_add(struct doctor_report *report, const char *name, bool quiet, struct finding *finding)
{
	if (finding->text.count && report->json)
		report_add_json(report, name, finding);
	else if (finding->text.count && !(quiet && finding->severity == CHECK_OK))
		report_finding(report, name, finding);
	text_release(&finding->text);
	text_release(&finding->consequence);
	text_release(&finding->type);
	cJSON_Delete(finding->numbers);
}

bool report_end(struct doctor_report *report, bool starts, const char *type)
{
	if (report->json) {
		cJSON_AddBoolToObject(report->json, "starts", starts);
		cJSON_AddStringToObject(report->json, "type", type);
		cJSON_AddItemToObject(report->json, "checks", report->checks);
		char *line = cJSON_PrintUnformatted(report->json);
		puts(line ? line : "");
		cJSON_free(line);
		cJSON_Delete(report->json);
	} else {
		report_line(report, starts ? CHECK_OK : CHECK_PROBLEM, "type", type);
	}
	return fflush(stdout) == 0 && !ferror(stdout);
}
