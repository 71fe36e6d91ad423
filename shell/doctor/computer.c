/* computer.c -- processors, memory, and the limits that room.c measures before each start */
#include "base/number.h"
#include "shell/doctor/check.h"
#include "shell/session/options.h"
#include "shell/terminal/room.h"
#include "system/system.h"

#include <stdio.h>
#include <stdlib.h>

/* Measured: the time of a processor that a start takes for each rank */
static const double START_S = 0.08;
enum { RANKS_A_PROCESSOR = 8 };

void check_processors(const struct doctor *doctor, struct finding *finding)
{
	int processors = system_processors(), most = processors * RANKS_A_PROCESSOR;
	int hosts = doctor->hosts.nodes > 1 ? doctor->hosts.nodes : 1, n = (doctor->n + hosts - 1) / hosts;
	double seconds = START_S * n / processors;
	if (most > RANKS_MPI_MOST)
		most = RANKS_MPI_MOST;
	text_add(&finding->text, "%d", processors);
	text_add(&finding->consequence, "%d rank%s start%s in %.1f s", n, n == 1 ? "" : "s",
	        n == 1 ? "s" : "", seconds < 0.1 ? 0.1 : seconds);
	if (n > most) {
		finding->severity = CHECK_NOTE;
		text_add(&finding->consequence, ": that is slow; up to %d are comfortable", most);
	} else {
		text_add(&finding->consequence, ", up to %d are comfortable", most);
	}
	finding_number(finding, "processors", processors);
	finding_number(finding, "comfortable_ranks", most);
}

bool finding_need(const struct doctor *doctor, enum need_kind kind, const char *name, struct finding *finding,
        struct need *need)
{
	char wanted[64];
	bool met = room_need(kind, doctor->n, atoi(doctor->install.version), need) == ST_OK;
	if (!met) {
		finding->severity = kind < NEEDS_VITAL && doctor->mpi ? CHECK_PROBLEM : CHECK_NOTE;
		text_clear(&finding->type);
		text_add(&finding->type, "%s", need->type);
	}
	snprintf(wanted, sizeof wanted, "%s_wanted", name);
	finding_number(finding, name, need->there);
	finding_number(finding, wanted, need->wanted);
	return met;
}

void check_memory(const struct doctor *doctor, struct finding *finding)
{
	struct need need;
	bool met = finding_need(doctor, NEED_MEMORY, "bytes", finding, &need);
	if (need.there == INT64_MAX)
		text_add(&finding->text, "unknown");
	else
		text_add(&finding->text, "%s free", bytes_words(need.there).text);
	text_add(&finding->consequence, "%d rank%s take%s %s%s", doctor->n, doctor->n == 1 ? "" : "s",
	        doctor->n == 1 ? "s" : "", bytes_words(need.wanted).text,
	        met ? " and their tensors" : ", so some may be killed: fewer ranks (-n) take less");
}

void check_files(const struct doctor *doctor, struct finding *finding)
{
	struct need need;
	bool met = finding_need(doctor, NEED_FILES, "files", finding, &need);
	if (need.there == INT64_MAX)
		text_add(&finding->text, "no limit");
	else
		text_add(&finding->text, "%lld at most", (long long)need.there);
	text_add(&finding->consequence, "%d rank%s need %lld%s", doctor->n, doctor->n == 1 ? "" : "s",
	        (long long)need.wanted, met ? "" : ": mpirun would hang");
}

void check_tasks(const struct doctor *doctor, struct finding *finding)
{
	struct need need;
	bool met = finding_need(doctor, NEED_TASKS, "tasks", finding, &need);
	if (need.there == INT64_MAX)
		text_add(&finding->text, "no limit");
	else
		text_add(&finding->text, "%lld more may start", (long long)need.there);
	text_add(&finding->consequence, "%d rank%s need %lld%s", doctor->n, doctor->n == 1 ? "" : "s",
	        (long long)need.wanted,
	        met ? "" : " with their threads: end other programs, or use fewer ranks (-n)");
}

void check_limits(const struct doctor *doctor, struct finding *finding)
{
	static const struct {
		enum need_kind kind;
		const char *name, *words, *consequence;
	} rows[] = {{NEED_FILE_SIZE, "file_size", "files of", "mpirun cannot make its files"},
	        {NEED_ADDRESSES, "address_space", "an address space of", "mpirun would hang"},
	        {NEED_DATA, "data", "data of", "mpirun would die"},
	        {NEED_STACK, "stack", "a stack of", "mpirun would die"}};
	struct need need;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		bool first = !finding->text.count;
		if (finding_need(doctor, rows[i].kind, rows[i].name, finding, &need) || !first)
			continue;
		text_add(&finding->text, "%s %s at most", rows[i].words, bytes_words(need.there).text);
		text_add(&finding->consequence, "%s: it needs %s", rows[i].consequence,
		        bytes_words(need.wanted).text);
	}
	if (!finding->text.count) {
		text_add(&finding->text, "files, processes, sizes, network: enough");
		text_add(&finding->consequence, "mpirun can start");
	}
}

void check_network(const struct doctor *doctor, struct finding *finding)
{
	struct need need;
	bool met = finding_need(doctor, NEED_NETWORK, "interfaces", finding, &need);
	text_add(&finding->text, "%lld interface%s up", (long long)need.there,
	        need.there == 1 ? " is" : "s are");
	text_add(&finding->consequence, "%s",
	        met ? "mpirun and the ranks find each other" : "mpirun needs one, at least lo");
}
