/* elf.h -- reads a text constant of a shared library without loading it */
#ifndef RANKSH_MPI_ELF_H
#define RANKSH_MPI_ELF_H

#include <stdbool.h>
#include <stddef.h>

/* Copies the exported array of characters `symbol`, cut at `room`. Returns false, and copies
 * nothing or "", if the file is no library of this kind of computer or has no such text. */
bool elf_constant(const char *path, const char *symbol, char *into, size_t room);

#endif
