/* routine.c -- coroutines on mapped stacks, switched by ucontext
 *
 * Only touched pages take memory. A guard page below the stack ends the process if it overflows in
 * spite of the interpreter's limits. */
#include "system/routine.h"
#include "base/memory.h"

#include <stddef.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

/* AddressSanitizer must know the bounds of the running stack. It has a "fake stack" for each, to
 * find uses of a frame after its function has returned. */
#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/common_interface_defs.h>
#else
#define __sanitizer_start_switch_fiber(save, bottom, size) ((void)(save), (void)(bottom), (void)(size))
#define __sanitizer_finish_switch_fiber(fake, bottom, size) ((void)(fake), (void)(bottom), (void)(size))
#endif

/* The usual size of a main stack, for which the interpreter's limits are chosen */
enum { STACK_BYTES = 8 << 20 };

struct routine {
	void (*body)(void *self);
	void *self;
	char *memory;
	size_t guard; /* bytes of the page */
	ucontext_t inside, outside;
	bool ended;
	const void *outer_bottom;
	size_t outer_size;
	void *fake; /* the sanitizer's stack of the suspended routine */
};

/* Not swapcontext, for which the sanitizer prints a warning. getcontext returns a second time when
 * `from` continues. */
static void routine_switch(ucontext_t *from, const ucontext_t *to)
{
	volatile bool back = false;
	getcontext(from);
	if (!back) {
		back = true;
		setcontext(to);
	}
}

/* makecontext passes only ints, so the pointer is in two halves. */
static void routine_begin(unsigned high, unsigned low)
{
	struct routine *routine = (struct routine *)(((size_t)high << 16 << 16) | low);
	__sanitizer_finish_switch_fiber(NULL, &routine->outer_bottom, &routine->outer_size);
	routine->body(routine->self);
	routine->ended = true;
	/* NULL: this stack ends, and its fake stack is freed */
	__sanitizer_start_switch_fiber(NULL, routine->outer_bottom, routine->outer_size);
}

struct routine *routine_make(void (*body)(void *self), void *self)
{
	struct routine *routine = mem_alloc(sizeof *routine);
	*routine = (struct routine){.body = body, .self = self, .guard = sysconf(_SC_PAGESIZE)};
	routine->memory = mem_map(routine->guard + STACK_BYTES);
	mprotect(routine->memory, routine->guard, PROT_NONE);
	size_t address = (size_t)routine;
	getcontext(&routine->inside);
	routine->inside.uc_stack.ss_sp = routine->memory + routine->guard;
	routine->inside.uc_stack.ss_size = STACK_BYTES;
	routine->inside.uc_link = &routine->outside;
	makecontext(&routine->inside, (void (*)(void))routine_begin, 2, (unsigned)(address >> 16 >> 16),
	        (unsigned)address);
	return routine;
}

bool routine_resume(struct routine *routine)
{
	char *stack = routine->memory + routine->guard;
	void *fake = NULL;
	__sanitizer_start_switch_fiber(&fake, stack, STACK_BYTES);
	routine_switch(&routine->outside, &routine->inside);
	__sanitizer_finish_switch_fiber(fake, NULL, NULL);
	return !routine->ended;
}

void routine_suspend(struct routine *routine)
{
	__sanitizer_start_switch_fiber(&routine->fake, routine->outer_bottom, routine->outer_size);
	routine_switch(&routine->inside, &routine->outside);
	__sanitizer_finish_switch_fiber(routine->fake, &routine->outer_bottom, &routine->outer_size);
}

void routine_free(struct routine *routine)
{
	if (!routine)
		return;
	mem_unmap(routine->memory, routine->guard + STACK_BYTES);
	mem_free(routine);
}
