/* check.h -- a check and its finding; the checks by file */
#ifndef RANKSH_DOCTOR_CHECK_H
#define RANKSH_DOCTOR_CHECK_H

#include "base/text.h"
#include "mpi/install.h"
#include "shell/session/options.h"
#include "shell/terminal/hosts.h"
#include "shell/terminal/room.h"

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stdint.h>

/* NOTE: a session starts, but lacks something. PROBLEM: none starts. */
enum check_severity { CHECK_OK, CHECK_NOTE, CHECK_PROBLEM };
struct finding {
	enum check_severity severity;
	struct text text;        /* what was found: "1024 may be open" */
	struct text consequence; /* what follows */
	struct text type;        /* a line for the user's shell that helps; empty: none */
	cJSON *numbers;          /* an object, owned */
};
/* What is examined: a session of n ranks with these options */
struct doctor {
	const struct options *options;
	int n;
	bool mpi;                   /* it needs mpirun */
	struct mpi_install install; /* mpirun "": there is none, because of `missing` */
	char *missing;
	struct hosts hosts; /* of the session, unless they are refused */
	char *refused;
	bool failed;   /* an earlier check has found a problem */
	bool terminal; /* the report goes to a terminal */
};

/* Adds a number to finding->numbers; INT64_MAX, no limit, becomes null. */
void finding_number(struct finding *finding, const char *name, int64_t value);
/* Measures a need of the session. If it is not met, sets the severity, NOTE if a session starts
 * anyway, and the line to type. Adds its numbers: NAME and NAME_wanted. Returns true if it is
 * met. */
bool finding_need(const struct doctor *doctor, enum need_kind kind, const char *name, struct finding *finding,
        struct need *need);
/* Returns the path with ~ for the home; valid until the next call. */
const char *finding_path(const char *path);

/* mpi.c */
void check_open_mpi(const struct doctor *doctor, struct finding *finding);
void check_other_mpi(const struct doctor *doctor, struct finding *finding);
/* launcher.c */
/* Returns true for the process that reports: a launcher's first, or one without a launcher. */
bool doctor_is_first(void);
/* Finds the hosts and the number of ranks of the session. */
void doctor_place(struct doctor *doctor);
void check_launcher(const struct doctor *doctor, struct finding *finding);
void check_allocation(const struct doctor *doctor, struct finding *finding);
/* computer.c */
void check_processors(const struct doctor *doctor, struct finding *finding);
void check_memory(const struct doctor *doctor, struct finding *finding);
void check_files(const struct doctor *doctor, struct finding *finding);
void check_tasks(const struct doctor *doctor, struct finding *finding);
void check_limits(const struct doctor *doctor, struct finding *finding);
void check_network(const struct doctor *doctor, struct finding *finding);
/* folders.c */
void check_temporary(const struct doctor *doctor, struct finding *finding);
void check_shared(const struct doctor *doctor, struct finding *finding);
void check_home(const struct doctor *doctor, struct finding *finding);
/* gpu.c */
void check_gpu(const struct doctor *doctor, struct finding *finding);
void check_libraries(const struct doctor *doctor, struct finding *finding);
void check_kernels(const struct doctor *doctor, struct finding *finding);
/* terminal.c */
void check_terminal(const struct doctor *doctor, struct finding *finding);
void check_locale(const struct doctor *doctor, struct finding *finding);
/* start.c */
void check_start(const struct doctor *doctor, struct finding *finding);

#endif
