/* networks.c -- keeps MPI off the networks that exist only within a host
 *
 * Docker, libvirt and others give every host the same private addresses. Open MPI takes these for a
 * network that the hosts share, and waits for ever for a connection over it. */
#include "mpi/inside.h"
#include <ifaddrs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#define SETTING "OMPI_MCA_btl_tcp_if_"

static bool network_is_private(const char *name)
{
	static const char *const begins[] = {
	        "docker", "br-", "virbr", "veth", "podman", "cni", "lxcbr", "lxdbr", "vboxnet", "vmnet"};
	for (size_t i = 0; i < sizeof begins / sizeof *begins; i++)
		if (strncmp(name, begins[i], strlen(begins[i])) == 0)
			return true;
	return false;
}

void networks_choose(void)
{
	const char *here = getenv("OMPI_COMM_WORLD_LOCAL_SIZE"), *all = getenv("OMPI_COMM_WORLD_SIZE");
	char names[1024] = "127.0.0.1/8,sppp"; /* Open MPI's default */
	size_t count = strlen(names), before = count;
	struct ifaddrs *first = NULL;
	bool one_host = here && all && strcmp(here, all) == 0;
	if (one_host || getenv(SETTING "include") || getenv(SETTING "exclude") || getifaddrs(&first) != 0)
		return;
	for (struct ifaddrs *at = first; at; at = at->ifa_next)
		if (at->ifa_addr && at->ifa_addr->sa_family == AF_INET && network_is_private(at->ifa_name) &&
		        count + strlen(at->ifa_name) + 1 < sizeof names)
			count += (size_t)sprintf(names + count, ",%s", at->ifa_name);
	freeifaddrs(first);
	if (count > before)
		setenv(SETTING "exclude", names, 1);
}
