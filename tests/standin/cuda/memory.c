/* memory.c -- memory of the GPU and of the host. A GPU's memory is a file of its size, mapped where nothing may be touched but what is
 * allocated; behind the memory lies the log of its words. Another process that opens a handle maps a part of the same file. */
#include "inside.h"
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PAGE = 4096 };

static size_t total(const struct CUctx_st *context)
{
	return (size_t)standin_options()->memory_bytes[context->device];
}

/* Its whole pages: behind them lies the log */
static size_t pages(const struct CUctx_st *context)
{
	return (total(context) + PAGE - 1) / PAGE * PAGE;
}

static size_t used(const struct CUctx_st *context)
{
	return context->taken + (size_t)job_others(context->device) +
	        (size_t)standin_options()->used_bytes[context->device];
}

bool memory_is_device(const struct memory *memory)
{
	return memory->kind == MEMORY_DEVICE || memory->kind == MEMORY_OPENED;
}

struct memory *memory_at(struct CUctx_st *context, const void *at, size_t bytes)
{
	for (struct memory *one = context->memory; one; one = one->next)
		if ((const char *)at >= one->at && (uintptr_t)at + bytes <= (uintptr_t)one->at + one->bytes &&
		        (uintptr_t)at + bytes >= (uintptr_t)at)
			return one;
	return NULL;
}

struct memory *memory_anywhere(const void *at, size_t bytes)
{
	for (int i = 0; i < STANDIN_GPUS; i++) {
		struct memory *found = memory_at(&standin_contexts[i], at, bytes);
		if (found)
			return found;
	}
	return NULL;
}

/* The device's memory, when it is first wanted; 0, or -1 */
static int reserve(struct CUctx_st *context)
{
	size_t bytes = pages(context) + log_bytes();
	if (context->base)
		return 0;
	int fd = memfd_create("standin", MFD_CLOEXEC);
	char *base = MAP_FAILED;
	if (fd >= 0 && !ftruncate(fd, (off_t)bytes))
		base = mmap(NULL, bytes, PROT_NONE, MAP_SHARED | MAP_NORESERVE, fd, 0);
	if (base == MAP_FAILED) {
		if (fd >= 0)
			close(fd);
		return -1;
	}
	mprotect(base + pages(context), log_bytes(), PROT_READ | PROT_WRITE);
	context->base = base;
	context->fd = fd;
	context->log = (struct log *)(void *)(base + pages(context));
	return 0;
}

/* Adds it where it belongs by address */
static void insert(struct CUctx_st *context, struct memory *memory)
{
	struct memory **at = &context->memory;
	while (*at && (*at)->at < memory->at)
		at = &(*at)->next;
	memory->next = *at;
	*at = memory;
}

static void discard(struct CUctx_st *context, struct memory *memory)
{
	struct memory **at = &context->memory;
	while (*at != memory)
		at = &(*at)->next;
	*at = memory->next;
	free(memory);
}

/* The first gap of that size with a page in front of it that nobody may touch; an offset, or 0: none */
static size_t gap(const struct CUctx_st *context, size_t bytes)
{
	size_t at = PAGE;
	for (const struct memory *one = context->memory; one; one = one->next)
		if (one->kind == MEMORY_DEVICE) {
			if (one->offset >= at + bytes + PAGE)
				return at;
			at = one->offset + one->bytes + PAGE;
			at = (at + PAGE - 1) / PAGE * PAGE;
		}
	return at + bytes <= total(context) ? at : 0;
}

static bool take(struct CUctx_st *context, size_t bytes)
{
	job_begin();
	bool fits = bytes <= total(context) && used(context) <= total(context) - bytes;
	context->taken += fits ? bytes : 0;
	job_end(context->device, context->taken);
	return fits;
}

static void give(struct CUctx_st *context, size_t bytes)
{
	job_begin();
	context->taken -= bytes;
	job_end(context->device, context->taken);
}

CUresult cuMemAlloc_v2(CUdeviceptr *at, size_t bytes)
{
	struct CUctx_st *context;
	CUresult result = enter("cuMemAlloc", &context);
	if (result)
		return result;
	if (!at || !bytes)
		return leave(CUDA_ERROR_INVALID_VALUE);
	struct memory *memory = calloc(1, sizeof *memory);
	size_t offset = 0;
	bool fits = take(context, bytes);
	if (!memory || !fits || reserve(context) || !(offset = gap(context, bytes)) ||
	        mprotect(context->base + offset, bytes, PROT_READ | PROT_WRITE)) {
		free(memory);
		if (fits)
			give(context, bytes);
		return leave(CUDA_ERROR_OUT_OF_MEMORY);
	}
	*memory = (struct memory){.at = context->base + offset,
	        .bytes = bytes,
	        .offset = offset,
	        .kind = MEMORY_DEVICE,
	        .log = context->log,
	        .log_offset = offset};
	insert(context, memory);
	*at = (CUdeviceptr)(uintptr_t)memory->at;
	return leave(CUDA_SUCCESS);
}

/* The memory that begins there, of these kinds; NULL: none */
static struct memory *begins(struct CUctx_st *context, uintptr_t at, int kind)
{
	for (struct memory *one = context->memory; one; one = one->next)
		if ((uintptr_t)one->at == at && (int)one->kind == kind)
			return one;
	return NULL;
}

/* As CUDA does, waits for all that is queued. */
CUresult cuMemFree_v2(CUdeviceptr at)
{
	struct CUctx_st *context;
	CUresult result = enter("cuMemFree", &context);
	if (result)
		return result;
	if (!at)
		return leave(CUDA_SUCCESS);
	if (!begins(context, at, MEMORY_DEVICE))
		return leave(CUDA_ERROR_INVALID_VALUE);
	result = streams_wait(context);
	struct memory *memory = result ? NULL : begins(context, at, MEMORY_DEVICE);
	if (memory) {
		madvise(memory->at, memory->bytes, MADV_REMOVE);
		mprotect(memory->at, memory->bytes, PROT_NONE);
		give(context, memory->bytes);
		discard(context, memory);
	}
	return leave(result);
}

CUresult cuMemGetInfo_v2(size_t *unused, size_t *all)
{
	struct CUctx_st *context;
	CUresult result = enter("cuMemGetInfo", &context);
	if (result)
		return result;
	*all = total(context);
	*unused = used(context) < *all ? *all - used(context) : 0;
	return leave(CUDA_SUCCESS);
}

/* Host memory that copies can come from at once: allocated or registered */
static CUresult add_host(
        struct CUctx_st *context, char *at, size_t bytes, int kind, struct log *log, size_t log_offset)
{
	struct memory *memory = calloc(1, sizeof *memory);
	if (!memory)
		return CUDA_ERROR_OUT_OF_MEMORY;
	*memory =
	        (struct memory){.at = at, .bytes = bytes, .kind = kind, .log = log, .log_offset = log_offset};
	insert(context, memory);
	return CUDA_SUCCESS;
}

CUresult cuMemHostAlloc(void **at, size_t bytes, unsigned int flags)
{
	struct CUctx_st *context;
	CUresult result = enter("cuMemHostAlloc", &context);
	if (result)
		return result;
	if (!at || !bytes || flags > 7)
		return leave(CUDA_ERROR_INVALID_VALUE);
	void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct log *log = log_new();
	if (memory == MAP_FAILED || !log)
		result = CUDA_ERROR_OUT_OF_MEMORY;
	else
		result = add_host(context, memory, bytes, MEMORY_PINNED, log, 0);
	if (result && memory != MAP_FAILED)
		munmap(memory, bytes);
	if (result)
		log_free(log);
	else
		*at = memory;
	return leave(result);
}

/* Takes memory of the host back from CUDA, once nothing is queued that may touch it */
static CUresult drop_host(const char *call, void *at, int kind, CUresult unknown)
{
	struct CUctx_st *context;
	CUresult result = enter(call, &context);
	if (result)
		return result;
	if (!at || !begins(context, (uintptr_t)at, kind))
		return leave(at || kind == MEMORY_REGISTERED ? unknown : CUDA_SUCCESS);
	result = streams_wait(context);
	struct memory *memory = result ? NULL : begins(context, (uintptr_t)at, kind);
	if (memory) {
		if (kind == MEMORY_PINNED)
			munmap(memory->at, memory->bytes);
		log_free(memory->log);
		discard(context, memory);
	}
	return leave(result);
}

CUresult cuMemFreeHost(void *at)
{
	return drop_host("cuMemFreeHost", at, MEMORY_PINNED, CUDA_ERROR_INVALID_VALUE);
}

CUresult cuMemHostUnregister(void *at)
{
	return drop_host("cuMemHostUnregister", at, MEMORY_REGISTERED, CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED);
}

CUresult cuMemHostRegister_v2(void *at, size_t bytes, unsigned int flags)
{
	struct CUctx_st *context;
	CUresult result = enter("cuMemHostRegister", &context);
	if (result)
		return result;
	if (!at || !bytes || flags > 3)
		return leave(CUDA_ERROR_INVALID_VALUE);
	for (struct memory *one = context->memory; one; one = one->next)
		if ((char *)at < one->at + one->bytes && one->at < (char *)at + bytes)
			return leave(CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED);
	size_t offset = 0;
	struct log *log = log_of_mapping(at, &offset);
	if (!log && !(log = log_new()))
		return leave(CUDA_ERROR_OUT_OF_MEMORY);
	return leave(add_host(context, at, bytes, MEMORY_REGISTERED, log, offset));
}

CUresult cuMemHostGetDevicePointer_v2(CUdeviceptr *device, void *host, unsigned int flags)
{
	struct CUctx_st *context;
	CUresult result = enter("cuMemHostGetDevicePointer", &context);
	if (result)
		return result;
	struct memory *memory = memory_at(context, host, 1);
	if (!memory || memory_is_device(memory) || flags)
		return leave(CUDA_ERROR_INVALID_VALUE);
	*device = (CUdeviceptr)(uintptr_t)host;
	return leave(CUDA_SUCCESS);
}

/* ---- between processes */

struct memory_handle {
	int pid, fd;
	size_t offset, bytes, pages;
};

CUresult cuIpcGetMemHandle(CUipcMemHandle *handle, CUdeviceptr at)
{
	struct CUctx_st *context;
	CUresult result = enter("cuIpcGetMemHandle", &context);
	if (result)
		return result;
	struct memory *memory = memory_at(context, (void *)(uintptr_t)at, 1);
	if (!memory || memory->kind != MEMORY_DEVICE)
		return leave(CUDA_ERROR_INVALID_VALUE);
	struct memory_handle told = {getpid(), context->fd, memory->offset, memory->bytes, pages(context)};
	memset(handle, 0, sizeof *handle);
	memcpy(handle->reserved, &told, sizeof told);
	return leave(CUDA_SUCCESS);
}

/* The whole file is mapped, so that the log comes along, and only the allocation may be touched. */
CUresult cuIpcOpenMemHandle_v2(CUdeviceptr *at, CUipcMemHandle handle, unsigned int flags)
{
	struct CUctx_st *context;
	struct memory_handle told;
	void *base;
	CUresult result = enter("cuIpcOpenMemHandle", &context);
	if (result)
		return result;
	memcpy(&told, handle.reserved, sizeof told);
	if (flags > CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS)
		return leave(CUDA_ERROR_INVALID_VALUE);
	if (told.pid == getpid())
		return leave(CUDA_ERROR_INVALID_CONTEXT);
	if (standin_attach(told.pid, told.fd, (int64_t)(told.pages + log_bytes()), &base))
		return leave(CUDA_ERROR_INVALID_HANDLE);
	struct memory *memory = calloc(1, sizeof *memory);
	if (!memory) {
		munmap(base, told.pages + log_bytes());
		return leave(CUDA_ERROR_OUT_OF_MEMORY);
	}
	mprotect(base, told.pages, PROT_NONE);
	mprotect((char *)base + told.offset, told.bytes, PROT_READ | PROT_WRITE);
	*memory = (struct memory){.at = (char *)base + told.offset,
	        .bytes = told.bytes,
	        .offset = told.offset,
	        .kind = MEMORY_OPENED,
	        .log = (struct log *)(void *)((char *)base + told.pages),
	        .log_offset = told.offset};
	insert(context, memory);
	*at = (CUdeviceptr)(uintptr_t)memory->at;
	return leave(CUDA_SUCCESS);
}

static void close_memory(struct CUctx_st *context, struct memory *memory)
{
	char *base = memory->at - memory->offset;
	munmap(base, (size_t)((char *)memory->log - base) + log_bytes());
	discard(context, memory);
}

CUresult cuIpcCloseMemHandle(CUdeviceptr at)
{
	struct CUctx_st *context;
	CUresult result = enter("cuIpcCloseMemHandle", &context);
	if (result)
		return result;
	if (!begins(context, at, MEMORY_OPENED))
		return leave(CUDA_ERROR_INVALID_VALUE);
	result = streams_wait(context);
	struct memory *memory = result ? NULL : begins(context, at, MEMORY_OPENED);
	if (memory)
		close_memory(context, memory);
	return leave(result);
}

void memory_end(struct CUctx_st *context)
{
	while (context->memory) {
		struct memory *one = context->memory;
		if (one->kind == MEMORY_OPENED) {
			close_memory(context, one);
			continue;
		}
		if (one->kind == MEMORY_PINNED)
			munmap(one->at, one->bytes);
		if (one->kind != MEMORY_DEVICE)
			log_free(one->log);
		discard(context, one);
	}
	if (context->base) {
		give(context, context->taken);
		munmap(context->base, pages(context) + log_bytes());
		close(context->fd);
	}
}
