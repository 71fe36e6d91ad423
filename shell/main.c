/* main.c -- chooses this process's role: front end, rank, or the only process */
#include "kernels/widths.h"
#include "machine/machine.h"
#include "shell/commands/table.h"
#include "shell/doctor/doctor.h"
#include "shell/session/device.h"
#include "shell/session/options.h"
#include "shell/rank/launcher.h"
#include "shell/rank/process.h"
#include "shell/submit/rows.h"
#include "shell/terminal/hosts.h"
#include "shell/terminal/launch.h"
#include "shell/terminal/script.h"
#include "shell/course/class/learning.h"
#include "shell/course/course.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static enum status not_regular(const struct options *options)
{
	const char *file = options->file;
	if (options->grade || options->check_lessons || options->test)
		return fail(ST_FILE,
		        "%s is not a regular file: write its lines to one, then `ranksh %s%s F.rsh`", file,
		        options->grade          ? "--grade "
		                : options->test ? "--test"
		                                : "--check-lessons",
		        options->grade ? options->grade : "");
	return fail(ST_FILE,
	        "%s is not a regular file: a pipe's lines run by `ranksh < PIPE` or `COMMAND | ranksh`",
	        file);
}

/* A script is a regular file. Pipes and devices are read only as standard input, line by line. */
static enum status check_input(const struct options *options)
{
	const char *file = options->file;
	struct stat about;
	if (file && (access(file, R_OK) != 0 || stat(file, &about) != 0))
		return fail(ST_FILE, "cannot read %s: %s", file, strerror(errno));
	if (file && S_ISDIR(about.st_mode))
		return fail(ST_FILE, "cannot read %s: it is a folder", file);
	if (file && !S_ISREG(about.st_mode))
		return not_regular(options);
	if (file || options->lines || options->wire)
		return ST_OK;
	if (fstat(0, &about) == 0 && S_ISDIR(about.st_mode))
		return fail(ST_FILE,
		        "the standard input is a folder: `ranksh F.rsh` or `ranksh < F.rsh` runs lines");
	return ST_OK;
}

static enum status check(const struct options *options)
{
	struct machine machine = {0};
	enum status status = ST_OK;
	bool here = options->machine && strcmp(options->machine, "this") == 0;
	if (options->machine && (!here || strcmp(options->device, "sim") == 0))
		status = device_machine(&device_sim, options->machine, &machine);
	if (status == ST_OK && options->journal && !options->wire && !options->json && options_batch(options))
		return fail(ST_ARGUMENT,
		        "--journal records a prompt, and needs a terminal; a script's lines are in its file");
	if (status == ST_OK && !options->wire && !options_alone(options))
		status = hosts_check(options);
	if (status == ST_OK)
		status = check_input(options);
	return status == ST_OK ? learning_check(options) : status;
}

/* Sets what OpenBLAS reads when it is opened. Without its setting an older OpenBLAS does not use
 * AVX-512. If memory is limited, unused BLAS threads spin for a buffer. */
static void set_blas(void)
{
	if (kernels_width() == WIDTH_AVX512)
		setenv("OPENBLAS_CORETYPE", "SKYLAKEX", 0);
	setenv("OPENBLAS_NUM_THREADS", "1", 1);
}

/* Returns whether --json was typed, even after a wrong option, where reading ends. */
static bool wants_json(int argc, char **argv)
{
	bool json = false;
	for (int i = 1; i < argc; i++)
		json |= strcmp(argv[i], "--json") == 0;
	return json;
}

int main(int argc, char **argv)
{
	struct options options;
	if (argc > 1 && strcmp(argv[1], "--reach") == 0)
		return reach_run(argc - 2, argv + 2);
	set_blas();
	/* Opens closed standard descriptors, whose numbers a pipe would get otherwise, for reading:
	 * output to them still fails. */
	int place;
	while ((place = open("/dev/null", O_RDONLY)) >= 0 && place <= 2)
		;
	if (place > 2)
		close(place);
	if (process_version() != ST_OK) {
		fprintf(stderr, FAULT_MARK "%s\n", fail_text());
		return 2;
	}
	enum status status = options_read(&options, argc, argv);
	if (status == ST_OK && (options.help || options.version)) {
		fputs(options.help ? options_help() : "ranksh " RANKSH_VERSION "\n", stdout);
		return fflush(stdout) == 0 ? 0 : 4;
	}
	if (status == ST_OK && options.doctor)
		return doctor_run(&options);
	commands_start(command_table);
	if (status == ST_OK && options.overview)
		return overview_run(&options);
	/* process.c chooses the device of a rank, and rank 0 reports failures */
	bool rank = !options.dry && launcher_joins(options.n);
	struct launcher launcher;
	if (!rank && !options_alone(&options) && launcher_several(&launcher))
		return launcher_refuse(&launcher, 2);
	if (status == ST_OK && rank && (options.hosts || options.hostfile))
		status = fail(ST_ARGUMENT,
		        "%s: mpirun has placed these ranks; `mpirun --host LIST`, or `ranksh --hosts LIST` "
		        "without mpirun",
		        options.hosts ? "--hosts" : "--hostfile");
	if (status == ST_OK && !rank)
		status = device_choose(&options);
	if (status == ST_OK && !rank)
		status = check(&options);
	if (status != ST_OK && wants_json(argc, argv))
		script_refused(2);
	else if (status != ST_OK && launcher_first())
		fprintf(stderr, "ranksh: %s\n", fail_text());
	if (status != ST_OK)
		return 2;
	if (rank)
		return process_run(&options, &course_functions, true, argc, argv);
	bool prompt = script_wanted(&options) || !options_batch(&options);
	if (options.wire || (options_alone(&options) && !prompt))
		return process_run(&options, &course_functions, false, argc, argv);
	return prompt ? session_run(&options, &course_functions) : launch_batch(&options);
}
