/* words.c -- words in memory that streams wait for and write. A write also tells the log of its memory, so that whoever waits for the word, in
 * this process or in another, takes the writer's time. What the host stores has one by ranksh_host_store alone. Words are counters that grow: of
 * several writes that would do, the first counts. */
#include "inside.h"
#include <linux/futex.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { WRITES = 4096 };
/* A ring; `number` is written last: the write's place among all, from 1 */
struct log {
	uint64_t count;
	struct {
		uint64_t number, offset;
		uint32_t value, free;
		int64_t ns;
	} writes[WRITES];
};

size_t log_bytes(void)
{
	return (sizeof(struct log) + 4095) / 4096 * 4096;
}

struct log *log_new(void)
{
	void *at = mmap(NULL, log_bytes(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return at == MAP_FAILED ? NULL : at;
}

void log_free(struct log *log)
{
	if (log)
		munmap(log, log_bytes());
}

void log_write(struct log *log, size_t offset, uint32_t value, int64_t ns)
{
	uint64_t number = __atomic_add_fetch(&log->count, 1, __ATOMIC_SEQ_CST), i = number % WRITES;
	__atomic_store_n(&log->writes[i].number, 0, __ATOMIC_SEQ_CST);
	__atomic_store_n(&log->writes[i].offset, offset, __ATOMIC_SEQ_CST);
	__atomic_store_n(&log->writes[i].value, value, __ATOMIC_SEQ_CST);
	__atomic_store_n(&log->writes[i].ns, ns, __ATOMIC_SEQ_CST);
	__atomic_store_n(&log->writes[i].number, number, __ATOMIC_SEQ_CST);
}

bool word_reached(uint32_t now, uint32_t value, unsigned flags)
{
	return flags == CU_STREAM_WAIT_VALUE_EQ ? now == value : (int32_t)(now - value) >= 0;
}

int64_t log_time(struct log *log, size_t offset, uint32_t value, unsigned flags)
{
	uint64_t count = __atomic_load_n(&log->count, __ATOMIC_SEQ_CST);
	int64_t ns = 0;
	for (uint64_t number = count; number > 0 && number + WRITES > count; number--) {
		uint64_t i = number % WRITES;
		if (__atomic_load_n(&log->writes[i].number, __ATOMIC_SEQ_CST) == number &&
		        __atomic_load_n(&log->writes[i].offset, __ATOMIC_SEQ_CST) == offset &&
		        word_reached(__atomic_load_n(&log->writes[i].value, __ATOMIC_SEQ_CST), value, flags))
			ns = __atomic_load_n(&log->writes[i].ns, __ATOMIC_SEQ_CST);
	}
	return ns;
}

struct word {
	uint32_t *at;
	struct log *log;
	size_t offset;
	uint32_t value;
	unsigned flags;
};

static void store(const struct word *word, int64_t ns)
{
	if (word->log)
		log_write(word->log, word->offset, word->value, ns);
	__atomic_store_n(word->at, word->value, __ATOMIC_SEQ_CST);
	syscall(SYS_futex, word->at, FUTEX_WAKE, 1 << 30, NULL, NULL, 0);
}

static CUresult write_word(void *argument, struct standin_turn *turn)
{
	struct word word;
	memcpy(&word, argument, sizeof word);
	store(&word, turn->end_ns);
	return CUDA_SUCCESS;
}

/* With the lock: which log has the word's times */
static void find_log(struct word *word, const struct memory *memory)
{
	word->log = memory->log;
	word->offset = memory->log_offset + (size_t)((char *)word->at - memory->at);
}

void ranksh_host_store(uint32_t *at, uint32_t value, int64_t ns)
{
	struct word word = {.at = at, .value = value};
	pthread_mutex_lock(&standin_lock);
	struct memory *memory = memory_anywhere(at, sizeof *at);
	if (memory)
		find_log(&word, memory);
	store(&word, ns); /* with the lock, so that nobody takes the log away meanwhile */
	pthread_mutex_unlock(&standin_lock);
}

/* Stores that are told to nobody are looked for every millisecond. */
static CUresult wait_word(void *argument, struct standin_turn *turn)
{
	struct word word;
	memcpy(&word, argument, sizeof word);
	for (uint32_t now;
	        !word_reached(now = __atomic_load_n(word.at, __ATOMIC_SEQ_CST), word.value, word.flags);) {
		if (standin_stopped(turn))
			return CUDA_ERROR_DEINITIALIZED;
		syscall(SYS_futex, word.at, FUTEX_WAIT, now, &(struct timespec){.tv_nsec = 1000000}, NULL, 0);
	}
	int64_t ns = log_time(word.log, word.offset, word.value, word.flags);
	turn->end_ns = ns > turn->end_ns ? ns : turn->end_ns;
	return CUDA_SUCCESS;
}

static CUresult queue(const char *name, CUstream stream, struct word word, standin_work *work)
{
	struct CUctx_st *context;
	CUresult result = enter(name, &context);
	if (result)
		return result;
	CUstream own = stream_of(context, stream);
	struct memory *memory = memory_at(context, word.at, sizeof *word.at);
	if (!own)
		return leave(CUDA_ERROR_INVALID_HANDLE);
	if (!memory || (uintptr_t)word.at % 4)
		return leave(CUDA_ERROR_INVALID_VALUE);
	find_log(&word, memory);
	return leave(stream_push(context, own,
	        &(struct standin_call){.work = work,
	                .argument = &word,
	                .argument_bytes = sizeof word,
	                .waits = work == wait_word}));
}

CUresult cuStreamWaitValue32_v2(CUstream stream, CUdeviceptr at, uint32_t value, unsigned int flags)
{
	struct word word = {.at = (uint32_t *)(uintptr_t)at, .value = value, .flags = flags};
	return flags > CU_STREAM_WAIT_VALUE_EQ ? CUDA_ERROR_NOT_SUPPORTED
	                                       : queue("cuStreamWaitValue32", stream, word, wait_word);
}

CUresult cuStreamWriteValue32_v2(CUstream stream, CUdeviceptr at, uint32_t value, unsigned int flags)
{
	struct word word = {.at = (uint32_t *)(uintptr_t)at, .value = value};
	return flags ? CUDA_ERROR_NOT_SUPPORTED : queue("cuStreamWriteValue32", stream, word, write_word);
}
