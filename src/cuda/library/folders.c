/* folders.c -- folders that may contain NVIDIA's libraries: the loader's path, the toolkit, pip's
 * packages */
#include "cuda/library/folders.h"
#include "cuda/library/library.h"
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Adds the pattern's new matches in reverse order of name: the newest version first. */
static void add_found(struct text *folders, const char *pattern)
{
	glob_t found = {0};
	if (glob(pattern, GLOB_ONLYDIR | GLOB_NOESCAPE, NULL, &found) == 0)
		for (size_t i = found.gl_pathc; i-- > 0;) {
			struct text line = {0};
			text_add(&line, "\n%s\n", found.gl_pathv[i]);
			if (!strstr(text_string(folders), text_string(&line)))
				text_add(folders, "%s\n", found.gl_pathv[i]);
			text_release(&line);
		}
	globfree(&found);
}
static void add_beneath(struct text *folders, const char *root, const char *folder, const char *pattern)
{
	struct text whole = {0};
	if (folder && *folder)
		text_add(&whole, "%s%s%s", root, folder, pattern);
	if (whole.count)
		add_found(folders, text_string(&whole));
	text_release(&whole);
}

/* Python's packages are in PREFIX/lib/python3.X/site-packages, Debian's in dist-packages. pip
 * gives each of NVIDIA's packages a folder (nvidia/nccl/lib); those of CUDA 13 share
 * nvidia/cu13/lib. */
static void add_packages(struct text *folders, const char *root, const char *prefix)
{
	add_beneath(folders, root, prefix, "/lib/python3*/site-packages/nvidia/*/lib");
	add_beneath(folders, root, prefix, "/lib/python3*/dist-packages/nvidia/*/lib");
}

/* The PREFIX of each PREFIX/bin on PATH that has a python3 */
static void add_packages_on_path(struct text *folders)
{
	const char *path = getenv("PATH");
	for (const char *at = path; at && *at;) {
		size_t length = strcspn(at, ":");
		struct text python = {0}, prefix = {0};
		text_add(&python, "%.*s/python3", (int)length, at);
		if (length > 4 && memcmp(at + length - 4, "/bin", 4) == 0 &&
		        access(text_string(&python), X_OK) == 0)
			text_put(&prefix, at, length - 4);
		add_packages(folders, "", text_string(&prefix));
		text_release(&python);
		text_release(&prefix);
		at += length + (at[length] == ':');
	}
}

void cuda_folders(struct text *folders, enum cuda_part part, const char *root)
{
	const char *only = getenv("RANKSH_CUDA");
	if (only && *only) {
		text_add(folders, "%s\n", only);
		return;
	}
	text_add(folders, "\n");
	if (part == CUDA_PART_DRIVER) { /* the toolkit contains only a stub of it */
		add_beneath(folders, root, "/usr/lib/wsl/lib", "");
		add_beneath(folders, root, "/usr/local/nvidia/lib64", "");
		add_beneath(folders, root, "/run/opengl-driver/lib", "");
		return;
	}
	const char *toolkits[] = {getenv("CUDA_HOME"), getenv("CUDA_PATH")};
	for (size_t i = 0; i < sizeof toolkits / sizeof *toolkits; i++) {
		add_beneath(folders, "", toolkits[i], "/lib64");
		add_beneath(folders, "", toolkits[i], "/lib");
	}
	add_packages(folders, "", getenv("VIRTUAL_ENV"));
	add_packages(folders, "", getenv("CONDA_PREFIX"));
	add_packages_on_path(folders);
	add_beneath(folders, root, "/usr/local/cuda", "/lib64");
	add_beneath(folders, root, "/usr/local/cuda-*", "/lib64");
	add_beneath(folders, root, "/usr/local/cuda-*", "/lib");
	const char *home = getenv("HOME");
	struct text local = {0};
	if (home && *home)
		text_add(&local, "%s/.local", home);
	add_packages(folders, "", text_string(&local));
	text_release(&local);
	add_packages(folders, root, "/usr/local");
	add_packages(folders, root, "/usr");
}
