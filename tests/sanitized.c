/* sanitized.c -- linked into what is built with a sanitizer, and into nothing else. A leak must name the
 * library that it is of (tests/lsan.supp), and its stack is read by frame pointers, which the libraries of
 * the system do not keep: only who called for the memory is known. */
#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

int __vasprintf_chk(char **text, int flag, const char *format, va_list list);
int __asprintf_chk(char **text, int flag, const char *format, ...);

/* A plugin stays where it is: MPI_Finalize closes Open MPI's before the leaks are looked for. */
int dlclose(void *handle)
{
	(void)handle;
	return 0;
}

/* Not by the C library's own, behind which the caller would not be seen. */
int __vasprintf_chk(char **text, int flag, const char *format, va_list list)
{
	va_list again;
	(void)flag;
	va_copy(again, list);
	int length = vsnprintf(NULL, 0, format, again);
	va_end(again);
	*text = length < 0 ? NULL : malloc((size_t)length + 1);
	return *text ? vsnprintf(*text, (size_t)length + 1, format, list) : -1;
}

int __asprintf_chk(char **text, int flag, const char *format, ...)
{
	va_list list;
	va_start(list, format);
	int length = __vasprintf_chk(text, flag, format, list);
	va_end(list);
	return length;
}
