/* embedded.c -- files carried in the binary, found by folder and name */
#include "base/embedded.h"

#include <stdio.h>
#include <string.h>

const struct embedded *embedded_find(const char *folder, const char *name, const char *ending)
{
	char path[128];
	snprintf(path, sizeof path, "%s%s%s", folder, name, ending);
	for (const struct embedded *file = embedded_files; file->path; file++)
		if (strcmp(file->path, path) == 0)
			return file;
	return NULL;
}

const char *embedded_name(const char *folder, int i, const char *ending)
{
	static _Thread_local char name[64];
	for (const struct embedded *file = embedded_files; file->path; file++) {
		const char *end = strstr(file->path, ending), *start = file->path + strlen(folder);
		if (strncmp(file->path, folder, strlen(folder)) != 0 || !end || strchr(start, '/') || i--)
			continue;
		snprintf(name, sizeof name, "%.*s", (int)(end - start), start);
		return name;
	}
	return NULL;
}
