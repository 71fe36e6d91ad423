/* alone.h -- the messages of one process that stands alone, opened around the tests of a program */
#ifndef RANKSH_TEST_ALONE_H
#define RANKSH_TEST_ALONE_H

#include "check.h"
#include "mpi/plane.h"
#include "shell/commands/table.h"
#include "shell/submit/rows.h"

static struct plane *plane;

static inline int open_plane(void **state)
{
	(void)state;
	commands_start(command_table);
	return plane_start(&plane, false, NULL, NULL) != ST_OK;
}

static inline int close_plane(void **state)
{
	(void)state;
	plane_stop(plane);
	return 0;
}

#endif
