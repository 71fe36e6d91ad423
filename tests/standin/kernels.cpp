/* kernels.cpp -- runs a grid on the CPU: blocks one after the other, threads of a block as fibres where they meet.
 *
 *      scheduler     f0 f1 f2 ... fn   f0 f1 f2 ... fn        a round gives each fibre its turn, in order; a fibre that waits
 *                    |- until it waits or ends -|             hands over until all that are alive have come
 *
 * What happens is the same at every run. */
#include "kernels_cuda.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#ifndef __x86_64__
#include <ucontext.h>
#endif

thread_local standin_dim threadIdx, blockIdx, blockDim, gridDim;

/* ---- the list */

static const standin_row *rows;

standin_row::standin_row(
        const char *kernel, standin_kernel_code *its, size_t bytes, bool by_elements, int most)
    : name(kernel), code(its), argument_bytes(bytes), elements(by_elements), threads(most), next(rows)
{
	rows = this;
}

standin_kernel_code *standin_kernel(const char *name)
{
	for (const standin_row *row = rows; row; row = row->next)
		if (strcmp(row->name, name) == 0)
			return row->code;
	return NULL;
}

size_t standin_kernel_bytes(const char *name)
{
	for (const standin_row *row = rows; row; row = row->next)
		if (strcmp(row->name, name) == 0)
			return row->argument_bytes;
	return 0;
}

bool standin_kernel_elements(const char *name)
{
	for (const standin_row *row = rows; row; row = row->next)
		if (strcmp(row->name, name) == 0)
			return row->elements;
	return false;
}

int standin_kernel_threads(const char *name)
{
	for (const standin_row *row = rows; row; row = row->next)
		if (strcmp(row->name, name) == 0)
			return row->threads;
	return 0;
}

const char *standin_kernel_name(int i)
{
	const standin_row *row = rows;
	while (row && i-- > 0)
		row = row->next;
	return row ? row->name : NULL;
}

/* ---- fibres */

/* A little above a power of two: the tops of all stacks would share a few lines of the caches. */
enum { THREADS_MAX = 1024, WARP = 32, STACK_BYTES = (256 << 10) + 11 * 64 };

struct meeting {
	unsigned arrived, generation;
};

struct warp {
	meeting here;
	unsigned alive, votes[2];         /* of one ballot and of the next, as are shuffles */
	unsigned long long slot[2][WARP]; /* of one shuffle and of the next: nobody is further ahead */
};

#ifdef __x86_64__
typedef void *place; /* the stack pointer, beneath it what a call keeps */
extern "C" void standin_switch(place *from, place *to);
/* Floating-point modes are never changed here, and stay. */
asm(".text\n.globl standin_switch\n.hidden standin_switch\n.type standin_switch,@function\nstandin_switch:\n"
    "pushq %rbp\npushq %rbx\npushq %r12\npushq %r13\npushq %r14\npushq %r15\n"
    "movq %rsp, (%rdi)\nmovq (%rsi), %rsp\n"
    "popq %r15\npopq %r14\npopq %r13\npopq %r12\npopq %rbx\npopq %rbp\nret\n"
    ".size standin_switch,.-standin_switch\n");

static void place_make(place *at, char *stack, void (*begin)())
{
	void **top =
	        (void **)(stack + STACK_BYTES) - 2; /* where a call leaves it: 8 beside a multiple of 16 */
	top[1] = NULL;
	top[0] = (void *)begin;
	*at = memset(top - 6, 0, 6 * sizeof *top);
}
#else
typedef ucontext_t place;

static void standin_switch(place *from, place *to)
{
	swapcontext(from, to);
}

static void place_make(place *at, char *stack, void (*begin)())
{
	getcontext(at);
	at->uc_stack.ss_sp = stack;
	at->uc_stack.ss_size = STACK_BYTES;
	at->uc_link = NULL;
	makecontext(at, begin, 0);
}
#endif

/* A thread's fibres and their stacks, which are kept from one block to the next */
struct fibres {
	char *stacks;
	place scheduler, at[THREADS_MAX];
	bool done[THREADS_MAX];
	const meeting *waits[THREADS_MAX];     /* NULL: it may go on */
	unsigned waited[THREADS_MAX];          /* and then while this is the meeting's generation */
	standin_dim index[THREADS_MAX], shape; /* threadIdx of each, in blocks of that shape */
	unsigned count, alive, current;
	bool moved; /* in this round: a fibre ended, or a meeting was complete */
	meeting block;
	int vote[2];
	warp warps[THREADS_MAX / WARP];
	standin_dim *thread_index; /* threadIdx of the thread that runs them */
	const void *argument;
	standin_body *body;
	void *shared;
	size_t shared_size;

	~fibres()
	{
		if (stacks)
			munmap(stacks, (size_t)THREADS_MAX * STACK_BYTES);
		free(shared);
	}
};
static thread_local fibres own;

static void complain(const char *what)
{
	fprintf(stderr, "kernels.cpp: %s\n", what);
	abort();
}

/* All that are alive have come? Then the next generation begins. */
static bool complete(fibres &all, meeting *here, unsigned alive)
{
	if (here->arrived < alive)
		return false;
	here->arrived = 0;
	here->generation++;
	all.moved = true;
	return true;
}

/* The thread's variable is looked up by a call wherever it is named: who works here a lot takes its address once. */
static void become(fibres &all, unsigned number)
{
	all.current = number;
	*all.thread_index = all.index[number];
}

/* The next one that may go on does, in the order of threads, round and round; behind the last one's end the scheduler */
static void hand_over(fibres &all, place *from)
{
	unsigned i = all.current;
	while (all.alive) {
		if (++i >= all.count) {
			if (!all.moved)
				complain("threads of a block wait for ever");
			all.moved = false;
			i = 0;
		}
		const meeting *waits = all.waits[i];
		if (all.done[i] || (waits && waits->generation == all.waited[i]))
			continue;
		all.waits[i] = NULL;
		become(all, i);
		if (from != &all.at[i])
			standin_switch(from, &all.at[i]);
		return;
	}
	standin_switch(from, &all.scheduler);
}

static void meet(fibres &all, meeting *here, unsigned alive)
{
	unsigned generation = here->generation;
	here->arrived++;
	if (complete(all, here, alive))
		return;
	all.waits[all.current] = here;
	all.waited[all.current] = generation;
	hand_over(all, &all.at[all.current]);
}

/* A fibre's whole life. Who ends is waited for no longer. */
static void life()
{
	fibres &all = own;
	warp *mine = &all.warps[all.current / WARP];
	unsigned self = all.current;
	all.body(all.argument);
	all.done[self] = all.moved = true;
	if (--all.alive && all.block.arrived)
		complete(all, &all.block, all.alive);
	if (--mine->alive && mine->here.arrived)
		complete(all, &mine->here, mine->alive);
	hand_over(all, &all.at[self]);
}

static void shape_is(standin_dim shape)
{
	blockDim = shape;
	if (own.shape.x == shape.x && own.shape.y == shape.y && own.shape.z == shape.z)
		return;
	own.shape = shape;
	for (unsigned i = 0; i < own.count; i++)
		own.index[i] = {i % shape.x, i / shape.x % shape.y, i / shape.x / shape.y};
}

static void block_prepare()
{
	if (!own.stacks) {
		void *stacks = mmap(NULL, (size_t)THREADS_MAX * STACK_BYTES, PROT_READ | PROT_WRITE,
		        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		if (stacks == MAP_FAILED)
			complain("no memory for stacks");
		own.stacks = (char *)stacks;
	}
	own.alive = own.count;
	own.block = meeting();
	for (unsigned i = 0; i < own.count; i++) {
		if (i % WARP == 0) {
			own.warps[i / WARP].here = meeting();
			own.warps[i / WARP].alive = 0;
		}
		own.warps[i / WARP].alive++;
		own.done[i] = false;
		own.waits[i] = NULL;
		place_make(&own.at[i], own.stacks + (size_t)i * STACK_BYTES, life);
	}
}

static void block_run_meeting()
{
	block_prepare();
	own.moved = false;
	become(own, 0);
	standin_switch(&own.scheduler, &own.at[0]);
}

static void block_run()
{
	fibres &all = own;
	for (unsigned i = 0; i < all.count; i++) {
		become(all, i);
		all.body(all.argument);
	}
}

void standin_run(const unsigned grid[3], const unsigned block[3], unsigned shared_bytes, const void *argument,
        standin_body *body, bool meets)
{
	gridDim = {grid[0], grid[1], grid[2]};
	own.count = block[0] * block[1] * block[2];
	if (own.count > THREADS_MAX)
		complain("a block of more than 1024 threads");
	shape_is({block[0], block[1], block[2]});
	own.thread_index = &threadIdx;
	own.argument = argument;
	own.body = body;
	if (shared_bytes > own.shared_size) {
		free(own.shared);
		own.shared = aligned_alloc(16, ((size_t)shared_bytes + 15) / 16 * 16);
		own.shared_size = shared_bytes;
		if (!own.shared)
			complain("no memory for a block's shared bytes");
	}
	for (unsigned i = 0; i < grid[0] * grid[1] * grid[2]; i++) {
		blockIdx = {i % grid[0], i / grid[0] % grid[1], i / grid[0] / grid[1]};
		meets ? block_run_meeting() : block_run();
	}
}

/* ---- what kernels call */

void *standin_shared()
{
	return own.shared;
}

void __syncthreads()
{
	fibres &all = own;
	meet(all, &all.block, all.alive);
}

/* Two sums in turn: who is quick clears the other one only when all have read it. */
int __syncthreads_count(int mine)
{
	int *vote = &own.vote[own.block.generation / 2 & 1];
	if (own.block.arrived == 0)
		*vote = 0;
	*vote += mine != 0;
	__syncthreads();
	int sum = *vote;
	__syncthreads();
	return sum;
}

int __syncthreads_or(int mine)
{
	return __syncthreads_count(mine) != 0;
}

unsigned standin_lane()
{
	return own.current % WARP;
}

unsigned long long standin_shuffle(unsigned long long mine, unsigned from)
{
	fibres &all = own;
	warp *here = &all.warps[all.current / WARP];
	unsigned long long *slot = here->slot[here->here.generation & 1];
	slot[all.current % WARP] = mine;
	meet(all, &here->here, here->alive);
	return slot[from % WARP];
}

void __syncwarp(unsigned)
{
	fibres &all = own;
	warp *here = &all.warps[all.current / WARP];
	meet(all, &here->here, here->alive);
}

unsigned __ballot_sync(unsigned, int mine)
{
	fibres &all = own;
	warp *here = &all.warps[all.current / WARP];
	unsigned *votes = &here->votes[here->here.generation & 1];
	if (here->here.arrived == 0) /* lanes that have ended say no */
		*votes = 0;
	*votes |= (unsigned)(mine != 0) << all.current % WARP;
	meet(all, &here->here, here->alive);
	return *votes;
}
