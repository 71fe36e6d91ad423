/* doctor.h -- `ranksh doctor`: what was found on this computer, and what follows from it
 *
 *     ok       Open MPI    4.1.4 (/usr/bin); mpirun starts the ranks
 *     problem  /tmp        64 kB are free; mpirun needs 9 MB, so no session starts
 *     ...
 *     type     export TMPDIR=/var/tmp
 *
 * Each row comes from a check, a row of the table in doctor.c. A new check is a function in a file
 * of its family and a row there; tests/script/doctor.sh has a test for each. A check starts no
 * ranks, except that of --try. */
#ifndef RANKSH_DOCTOR_H
#define RANKSH_DOCTOR_H

#include "shell/session/options.h"

/* Prints the report: lines of at most 80 columns, or of the terminal's width; with options->json one
 * JSON object. Returns the exit status: 0 if a session can start, 1 if it cannot, 4 if the output
 * cannot be written. */
int doctor_run(const struct options *options);

#endif
