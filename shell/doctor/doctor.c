/* doctor.c -- the table of checks, in the order of the report */
#include "shell/doctor/doctor.h"
#include "base/memory.h"
#include "mpi/install.h"
#include "shell/doctor/check.h"
#include "shell/terminal/hosts.h"
#include "shell/doctor/report.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* quiet: lines show it only if something is wrong */
static const struct {
	const char *name;
	void (*check)(const struct doctor *doctor, struct finding *finding);
	bool quiet;
} checks[] = {
        {"Open MPI", check_open_mpi, false},
        {"other MPI", check_other_mpi, false},
        {"launcher", check_launcher, false},
        {"hosts", check_allocation, false},
        {"processors", check_processors, false},
        {"memory", check_memory, false},
        {"GPU", check_gpu, false},
        {"libraries", check_libraries, false},
        {"kernels", check_kernels, false},
        {"terminal", check_terminal, false},
        {"locale", check_locale, false},
        {"temporary", check_temporary, false},
        {"shared", check_shared, false},
        {"home", check_home, false},
        {"open files", check_files, true},
        {"processes", check_tasks, true},
        {"network", check_network, true},
        {"limits", check_limits, false},
        {"start", check_start, false},
};

void finding_number(struct finding *finding, const char *name, int64_t value)
{
	if (value == INT64_MAX)
		cJSON_AddNullToObject(finding->numbers, name);
	else
		cJSON_AddNumberToObject(finding->numbers, name, (double)value);
}

const char *finding_path(const char *path)
{
	static struct text shown;
	const char *home = getenv("HOME");
	size_t length = home ? strlen(home) : 0;
	bool below = length > 1 && strncmp(path, home, length) == 0 && (!path[length] || path[length] == '/');
	text_clear(&shown);
	text_add(&shown, "%s%s", below ? "~" : "", path + (below ? length : 0));
	return text_string(&shown);
}

/* The line that opens the session that was examined */
static void add_session(const struct options *options, struct text *line)
{
	text_add(line, "ranksh");
	if (options->dry)
		text_add(line, " --dry");
	if (options->n)
		text_add(line, " -n %d", options->n);
	if (options->hosts)
		text_add(line, " --hosts %s", options->hosts);
	if (options->hostfile)
		text_add(line, " --hostfile %s", options->hostfile);
	if (options->prefix)
		text_add(line, " --prefix %s", options->prefix);
	if (options->device)
		text_add(line, " --device %s", options->device);
}

int doctor_run(const struct options *options)
{
	struct doctor doctor = {
	        .options = options, .mpi = !options_alone(options), .terminal = !options->json && isatty(1)};
	struct doctor_report report = {0};
	struct text type = {0};
	if (!doctor_is_first())
		return 0;
	if (mpi_install_find(&doctor.install) != ST_OK)
		doctor.missing = fail_copy();
	doctor_place(&doctor);
	report_begin(&report, &doctor);
	for (size_t i = 0; i < sizeof checks / sizeof *checks; i++) {
		struct finding finding = {.numbers = cJSON_CreateObject()};
		checks[i].check(&doctor, &finding);
		if (finding.severity == CHECK_PROBLEM) {
			doctor.failed = true;
			if (!type.count)
				text_add(&type, "%s", text_string(&finding.type));
		}
		report_add(&report, checks[i].name, checks[i].quiet, &finding);
	}
	/* without a remedy: one process needs no mpirun */
	if (!type.count && doctor.failed)
		text_add(&type, "ranksh -n 1");
	else if (!type.count)
		add_session(options, &type);
	bool written = report_end(&report, !doctor.failed, text_string(&type));
	text_release(&type);
	mem_free(doctor.missing);
	mem_free(doctor.refused);
	hosts_release(&doctor.hosts);
	return !written ? 4 : doctor.failed ? 1 : 0;
}
