/* elf.c -- reads a text constant of a shared library without loading it */
#include "mpi/elf.h"

#include <fcntl.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* a file in memory */
struct elf {
	const char *bytes;
	size_t count;
};

/* Returns the table at `at`; NULL if it is not aligned, or does not end within the file. */
static const void *elf_at(const struct elf *elf, size_t at, size_t count)
{
	return at % sizeof(void *) == 0 && at <= elf->count && count <= elf->count - at ? elf->bytes + at
	                                                                                : NULL;
}

static const char *elf_text(const struct elf *elf, size_t at)
{
	return at < elf->count && memchr(elf->bytes + at, '\0', elf->count - at) ? elf->bytes + at : "";
}

/* Returns the place in the file of an address; the file's size if it has none. */
static size_t elf_place(const struct elf *elf, const ElfW(Ehdr) * head, size_t address)
{
	const ElfW(Phdr) *part = elf_at(elf, head->e_phoff, head->e_phnum * sizeof *part);
	for (int i = 0; part && i < head->e_phnum; i++)
		if (part[i].p_type == PT_LOAD && address - part[i].p_vaddr < part[i].p_filesz)
			return part[i].p_offset + (address - part[i].p_vaddr);
	return elf->count;
}

static const char *elf_find(const struct elf *elf, const char *symbol)
{
	const ElfW(Ehdr) *head = elf_at(elf, 0, sizeof *head);
	if (!head || memcmp(head->e_ident, ELFMAG, SELFMAG) != 0 ||
	        head->e_ident[EI_CLASS] != (sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32))
		return "";
	const ElfW(Shdr) *section = elf_at(elf, head->e_shoff, head->e_shnum * sizeof *section);
	for (int i = 0; section && i < head->e_shnum; i++) {
		const ElfW(Sym) *row = elf_at(elf, section[i].sh_offset, section[i].sh_size);
		if (section[i].sh_type != SHT_DYNSYM || section[i].sh_link >= head->e_shnum || !row)
			continue;
		size_t names = section[section[i].sh_link].sh_offset;
		for (size_t k = 0; k < section[i].sh_size / sizeof *row; k++)
			if (row[k].st_value && strcmp(elf_text(elf, names + row[k].st_name), symbol) == 0)
				return elf_text(elf, elf_place(elf, head, row[k].st_value));
	}
	return "";
}

bool elf_constant(const char *path, const char *symbol, char *into, size_t room)
{
	struct stat about;
	struct elf elf = {MAP_FAILED, 0};
	int file = open(path, O_RDONLY | O_CLOEXEC);
	if (file >= 0 && fstat(file, &about) == 0 && S_ISREG(about.st_mode)) {
		elf.count = (size_t)about.st_size;
		elf.bytes = mmap(NULL, elf.count, PROT_READ, MAP_PRIVATE, file, 0);
	}
	if (file >= 0)
		close(file);
	if (elf.bytes == MAP_FAILED)
		return false;
	size_t length = strnlen(elf_find(&elf, symbol), room - 1);
	memcpy(into, elf_find(&elf, symbol), length);
	into[length] = '\0';
	munmap((void *)elf.bytes, elf.count);
	return length > 0;
}
