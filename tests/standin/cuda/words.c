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

enum { RINGS = 512, WRITES = 32, BATCH_MOST = 255 };
/* A word's writes go to one of many rings, where few others' do. `number` is written last: the write's place among all of the ring, from 1 */
struct ring {
	uint64_t count;
	struct {
		uint64_t number, offset;
		uint32_t value, free;
		int64_t ns;
	} writes[WRITES];
};
struct log {
	struct ring rings[RINGS];
};

static struct ring *ring_of(struct log *log, size_t offset)
{
	return &log->rings[(uint64_t)offset / 4 * UINT64_C(0x9e3779b97f4a7c15) >> 55];
}

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
	struct ring *ring = ring_of(log, offset);
	uint64_t number = __atomic_add_fetch(&ring->count, 1, __ATOMIC_SEQ_CST), i = number % WRITES;
	__atomic_store_n(&ring->writes[i].number, 0, __ATOMIC_SEQ_CST);
	__atomic_store_n(&ring->writes[i].offset, offset, __ATOMIC_SEQ_CST);
	__atomic_store_n(&ring->writes[i].value, value, __ATOMIC_SEQ_CST);
	__atomic_store_n(&ring->writes[i].ns, ns, __ATOMIC_SEQ_CST);
	__atomic_store_n(&ring->writes[i].number, number, __ATOMIC_SEQ_CST);
}

bool word_reached(uint32_t now, uint32_t value, unsigned flags)
{
	return flags == CU_STREAM_WAIT_VALUE_EQ ? now == value : (int32_t)(now - value) >= 0;
}

int64_t log_time(struct log *log, size_t offset, uint32_t value, unsigned flags)
{
	struct ring *ring = ring_of(log, offset);
	uint64_t count = __atomic_load_n(&ring->count, __ATOMIC_SEQ_CST);
	int64_t ns = 0;
	for (uint64_t number = count; number > 0 && number + WRITES > count; number--) {
		uint64_t i = number % WRITES;
		if (__atomic_load_n(&ring->writes[i].number, __ATOMIC_SEQ_CST) == number &&
		        __atomic_load_n(&ring->writes[i].offset, __ATOMIC_SEQ_CST) == offset &&
		        word_reached(__atomic_load_n(&ring->writes[i].value, __ATOMIC_SEQ_CST), value, flags))
			ns = __atomic_load_n(&ring->writes[i].ns, __ATOMIC_SEQ_CST);
	}
	return ns;
}

struct word {
	uint32_t *at;
	struct log *log;
	size_t offset;
	uint32_t value;
	unsigned flags;
	bool waits;
};

static void store(const struct word *word, int64_t ns)
{
	if (word->log)
		log_write(word->log, word->offset, word->value, ns);
	__atomic_store_n(word->at, word->value, __ATOMIC_SEQ_CST);
	syscall(SYS_futex, word->at, FUTEX_WAKE, 1 << 30, NULL, NULL, 0);
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

/* Stores that are told to nobody are looked for every 5 ms. */
static CUresult wait_word(const struct word *word, struct standin_turn *turn)
{
	for (uint32_t now;
	        !word_reached(now = __atomic_load_n(word->at, __ATOMIC_SEQ_CST), word->value, word->flags);) {
		if (standin_stopped(turn))
			return CUDA_ERROR_DEINITIALIZED;
		syscall(SYS_futex, word->at, FUTEX_WAIT, now, &(struct timespec){.tv_nsec = 5000000}, NULL,
		        0);
	}
	int64_t ns = log_time(word->log, word->offset, word->value, word->flags);
	turn->end_ns = ns > turn->end_ns ? ns : turn->end_ns;
	return CUDA_SUCCESS;
}

/* In order: the argument is a list of words that ends with one without a place */
static CUresult run_words(void *argument, struct standin_turn *turn)
{
	CUresult result = CUDA_SUCCESS;
	for (const struct word *word = argument; word->at && !result; word++)
		if (word->waits)
			result = wait_word(word, turn);
		else
			store(word, turn->end_ns);
	return result;
}

/* With the lock. words: `count`, and room for one more */
static CUresult queue_words(struct CUctx_st *context, CUstream stream, struct word *words, unsigned count)
{
	CUstream own = stream_of(context, stream);
	bool waits = false;
	if (!own)
		return CUDA_ERROR_INVALID_HANDLE;
	for (unsigned i = 0; i < count; i++) {
		struct memory *memory = memory_at(context, words[i].at, sizeof *words[i].at);
		if (!memory || (uintptr_t)words[i].at % 4)
			return CUDA_ERROR_INVALID_VALUE;
		find_log(&words[i], memory);
		waits |= words[i].waits;
	}
	words[count] = (struct word){0};
	return stream_push(context, own,
	        &(struct standin_call){.work = run_words,
	                .argument = words,
	                .argument_bytes = (count + 1) * sizeof *words,
	                .waits = waits});
}

static CUresult queue(const char *name, CUstream stream, struct word word)
{
	struct CUctx_st *context;
	CUresult result = enter(name, &context);
	return result ? result : leave(queue_words(context, stream, (struct word[2]){word}, 1));
}

CUresult cuStreamWaitValue32_v2(CUstream stream, CUdeviceptr at, uint32_t value, unsigned int flags)
{
	struct word word = {.at = (uint32_t *)(uintptr_t)at, .value = value, .flags = flags, .waits = true};
	return flags > CU_STREAM_WAIT_VALUE_EQ ? CUDA_ERROR_NOT_SUPPORTED
	                                       : queue("cuStreamWaitValue32", stream, word);
}

CUresult cuStreamWriteValue32_v2(CUstream stream, CUdeviceptr at, uint32_t value, unsigned int flags)
{
	struct word word = {.at = (uint32_t *)(uintptr_t)at, .value = value};
	return flags ? CUDA_ERROR_NOT_SUPPORTED : queue("cuStreamWriteValue32", stream, word);
}

CUresult cuStreamBatchMemOp_v2(
        CUstream stream, unsigned int count, CUstreamBatchMemOpParams *operations, unsigned int flags)
{
	struct CUctx_st *context;
	struct word words[BATCH_MOST + 1];
	CUresult result = enter("cuStreamBatchMemOp", &context);
	if (result)
		return result;
	if (!count || count > BATCH_MOST || flags)
		return leave(CUDA_ERROR_INVALID_VALUE);
	for (unsigned i = 0; i < count; i++) {
		const CUstreamBatchMemOpParams *one = &operations[i];
		bool waits = one->operation == CU_STREAM_MEM_OP_WAIT_VALUE_32;
		if (waits ? one->waitValue.flags > CU_STREAM_WAIT_VALUE_EQ
		          : one->operation != CU_STREAM_MEM_OP_WRITE_VALUE_32 || one->writeValue.flags)
			return leave(CUDA_ERROR_NOT_SUPPORTED);
		words[i] = (struct word){.at = (uint32_t *)(uintptr_t)one->waitValue.address,
		        .value = one->waitValue.value,
		        .flags = one->waitValue.flags,
		        .waits = waits};
	}
	return leave(queue_words(context, stream, words, count));
}
