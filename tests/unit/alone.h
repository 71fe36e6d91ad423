/* alone.h -- the messages of a single process, opened around the tests of a program */
#ifndef RANKSH_TEST_ALONE_H
#define RANKSH_TEST_ALONE_H

#include "check.h"
#include "mpi/transport.h"
#include "shell/commands/table.h"
#include "shell/submit/rows.h"

static struct transport *transport;

static inline int open_transport(void **state)
{
	(void)state;
	commands_start(command_table);
	return transport_start(&transport, false, NULL, NULL) != ST_OK;
}

static inline int close_transport(void **state)
{
	(void)state;
	transport_stop(transport);
	return 0;
}

#endif
