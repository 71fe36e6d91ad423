/* launch.c -- modules and launches. Every module has every kernel of src/cuda/kernels/, compiled for the CPU, and those that a test adds. A kernel
 * that touches memory which is not there is left, and spoils the context as on a GPU. */
#include "inside.h"
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

enum { ADDED_MAX = 16, BLOCK_SHARED = 49152 };

struct CUfunc_st {
	struct CUfunc_st *next;
	const char *name;
	standin_kernel_code *code;
	size_t bytes;     /* of its argument, one struct */
	bool elements;    /* which is a struct elements */
	unsigned threads; /* of a block, at most */
};
struct CUmod_st {
	struct CUmod_st *next; /* in its context's list */
	struct CUfunc_st *functions;
};

static struct CUfunc_st added[ADDED_MAX];
static int added_count;
static _Thread_local int64_t next_cost_ns = -1;

void standin_next_cost(int64_t ns)
{
	next_cost_ns = ns;
}

void standin_add_kernel(const char *name, standin_kernel_code *code, size_t bytes)
{
	pthread_mutex_lock(&standin_lock);
	if (added_count < ADDED_MAX)
		added[added_count++] =
		        (struct CUfunc_st){.name = name, .code = code, .bytes = bytes, .threads = 1024};
	pthread_mutex_unlock(&standin_lock);
}

/* ---- faults */

static _Thread_local sigjmp_buf *way_out; /* of the kernel that this thread runs */
static struct sigaction before_segv, before_bus;

static void on_fault(int number, siginfo_t *information, void *context)
{
	if (way_out)
		siglongjmp(*way_out, 1);
	(void)information;
	(void)context;
	sigaction(
	        number, number == SIGSEGV ? &before_segv : &before_bus, NULL); /* and the fault comes again */
}

static void catch_faults(void)
{
	struct sigaction action = {
	        .sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK};
	sigemptyset(&action.sa_mask);
	sigaction(SIGSEGV, &action, &before_segv);
	sigaction(SIGBUS, &action, &before_bus);
}

/* ---- modules */

CUresult cuModuleLoadDataEx(
        CUmodule *module, const void *image, unsigned int count, CUjit_option *options, void **values)
{
	static bool caught;
	struct CUctx_st *context;
	CUresult result = enter("cuModuleLoadDataEx", &context);
	if (result)
		return result;
	(void)count, (void)options, (void)values;
	if (!image || !*(const char *)image)
		return leave(CUDA_ERROR_INVALID_IMAGE);
	if (!caught)
		catch_faults();
	caught = true;
	if (!(*module = calloc(1, sizeof **module)))
		return leave(CUDA_ERROR_OUT_OF_MEMORY);
	(*module)->next = context->modules;
	context->modules = *module;
	return leave(CUDA_SUCCESS);
}

static void unload(struct CUctx_st *context, CUmodule module)
{
	CUmodule *at = &context->modules;
	while (*at != module)
		at = &(*at)->next;
	*at = module->next;
	while (module->functions) {
		CUfunction one = module->functions;
		module->functions = one->next;
		free(one);
	}
	free(module);
}

void modules_end(struct CUctx_st *context)
{
	while (context->modules)
		unload(context, context->modules);
}

CUresult cuModuleUnload(CUmodule module)
{
	struct CUctx_st *context;
	CUresult result = enter("cuModuleUnload", &context);
	if (result)
		return result;
	result = streams_wait(context);
	if (!result)
		unload(context, module);
	return leave(result);
}

/* What the function of that name is; .code NULL: there is none */
static struct CUfunc_st find(const char *name)
{
	for (int i = 0; i < added_count; i++)
		if (!strcmp(added[i].name, name))
			return added[i];
	struct CUfunc_st none = {.code = NULL};
	if (!standin_kernel(name))
		return none;
	return (struct CUfunc_st){.code = standin_kernel(name),
	        .bytes = standin_kernel_bytes(name),
	        .elements = standin_kernel_elements(name),
	        .threads = (unsigned)standin_kernel_threads(name)};
}

static CUresult add_function(CUfunction *function, CUmodule module, const char *name)
{
	struct CUfunc_st found = find(name);
	if (!found.code)
		return CUDA_ERROR_NOT_FOUND;
	if (!(*function = malloc(sizeof **function)))
		return CUDA_ERROR_OUT_OF_MEMORY;
	**function = found;
	(*function)->next = module->functions;
	module->functions = *function;
	return CUDA_SUCCESS;
}

CUresult cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name)
{
	struct CUctx_st *context;
	CUresult result = enter("cuModuleGetFunction", &context);
	if (result)
		return result;
	return leave(add_function(function, module, name));
}

static unsigned kernel_count(void)
{
	unsigned count = 0;
	while (standin_kernel_name((int)count))
		count++;
	return count;
}

/* Whatever was loaded, every module has all kernels. */
CUresult cuModuleGetFunctionCount(unsigned int *count, CUmodule module)
{
	struct CUctx_st *context;
	CUresult result = enter("cuModuleGetFunctionCount", &context);
	(void)module;
	if (result)
		return result;
	*count = kernel_count();
	return leave(CUDA_SUCCESS);
}

CUresult cuModuleEnumerateFunctions(CUfunction *functions, unsigned int count, CUmodule module)
{
	struct CUctx_st *context;
	CUresult result = enter("cuModuleEnumerateFunctions", &context);
	if (result)
		return result;
	for (unsigned i = 0; i < count && i < kernel_count() && !result; i++)
		result = add_function(&functions[i], module, standin_kernel_name((int)i));
	return leave(result);
}

CUresult cuFuncLoad(CUfunction function)
{
	struct CUctx_st *context;
	CUresult result = enter("cuFuncLoad", &context);
	return result ? result : leave(function ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE);
}

/* ---- launches: what is queued is this, and the argument behind it */

struct launch {
	standin_kernel_code *code;
	unsigned grid[3], block[3], shared;
	_Alignas(16) char argument[];
};

static CUresult run(void *argument, struct standin_turn *turn)
{
	struct launch *launch = argument;
	void *arguments[] = {launch->argument, NULL};
	sigjmp_buf here;
	(void)turn;
	if (sigsetjmp(here, 1)) {
		way_out = NULL;
		return CUDA_ERROR_ILLEGAL_ADDRESS;
	}
	way_out = &here;
	launch->code(launch->grid, launch->block, launch->shared, arguments);
	way_out = NULL;
	return CUDA_SUCCESS;
}

static CUresult check(CUfunction function, const struct launch *launch)
{
	uint64_t threads = (uint64_t)launch->block[0] * launch->block[1] * launch->block[2];
	uint64_t blocks = (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2];
	if (!threads || !blocks || threads > function->threads || launch->grid[0] > 2147483647 ||
	        launch->grid[1] > 65535 || launch->grid[2] > 65535)
		return CUDA_ERROR_INVALID_VALUE;
	return launch->shared > BLOCK_SHARED ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

static int64_t cost_of(const struct CUfunc_st *function, const struct launch *launch)
{
	int64_t told_ns = next_cost_ns;
	double threads = (double)launch->block[0] * launch->block[1] * launch->block[2] * launch->grid[0] *
	        launch->grid[1] * launch->grid[2];
	next_cost_ns = -1;
	if (told_ns >= 0)
		return told_ns;
	return function->elements && standin_has_rate(COST_ELEMENTS)
	        ? standin_cost(COST_ELEMENTS, elements_bytes(launch->argument))
	        : standin_cost(COST_KERNEL, threads);
}

CUresult cuLaunchKernel(CUfunction function, unsigned int grid_x, unsigned int grid_y, unsigned int grid_z,
        unsigned int block_x, unsigned int block_y, unsigned int block_z, unsigned int shared,
        CUstream stream, void **arguments, void **extra)
{
	struct CUctx_st *context;
	CUresult result = enter("cuLaunchKernel", &context);
	if (result)
		return result;
	CUstream own = stream_of(context, stream);
	if (!function || !own)
		return leave(CUDA_ERROR_INVALID_HANDLE);
	if (extra || (function->bytes && (!arguments || !arguments[0])))
		return leave(CUDA_ERROR_INVALID_VALUE);
	size_t bytes = sizeof(struct launch) + function->bytes;
	struct launch *launch = calloc(1, bytes);
	if (!launch)
		return leave(CUDA_ERROR_OUT_OF_MEMORY);
	*launch = (struct launch){
	        function->code, {grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared};
	if (function->bytes)
		memcpy(launch->argument, arguments[0], function->bytes);
	int64_t cost_ns = cost_of(function, launch);
	result = check(function, launch);
	if (!result)
		result = stream_push(context, own,
		        &(struct standin_call){.work = run,
		                .argument = launch,
		                .argument_bytes = bytes,
		                .cost_ns = cost_ns});
	free(launch);
	return leave(result);
}
