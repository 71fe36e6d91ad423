/* report.h -- the report as lines, each shown at once, or as one JSON object */
#ifndef RANKSH_DOCTOR_REPORT_H
#define RANKSH_DOCTOR_REPORT_H

#include "shell/doctor/check.h"

struct doctor_report {
	const struct doctor *doctor;
	bool colour;
	cJSON *json, *checks; /* NULL: lines */
};

void report_begin(struct doctor_report *report, const struct doctor *doctor);
/* Takes the finding's texts and numbers. quiet: without a line if the severity is OK */
void report_add(struct doctor_report *report, const char *name, bool quiet, struct finding *finding);
/* Ends the report with the line to type. Returns false if the output could not be written. */
bool report_end(struct doctor_report *report, bool starts, const char *type);

#endif
