/* words.c -- words of the segment that streams write and wait for. Each belongs to one sequence
 * number, so that writing it twice changes nothing. */
#include "base/memory.h"
#include "cuda/exchange/shared_gpu/state.h"

enum { BATCH = 255 }; /* CUDA's limit per call */

void words_write(struct shared_gpu *gpu, CUdeviceptr at, uint32_t value)
{
	*MEM_ADD(&gpu->words.word, &gpu->words.count) =
	        (CUstreamBatchMemOpParams){.writeValue = {CU_STREAM_MEM_OP_WRITE_VALUE_32, at, {value},
	                                           CU_STREAM_WRITE_VALUE_DEFAULT, 0}};
}

void words_wait(struct shared_gpu *gpu, CUdeviceptr at, uint32_t value)
{
	*MEM_ADD(&gpu->words.word, &gpu->words.count) = (CUstreamBatchMemOpParams){
	        .waitValue = {CU_STREAM_MEM_OP_WAIT_VALUE_32, at, {value}, CU_STREAM_WAIT_VALUE_GEQ, 0}};
}

enum status words_queue(struct shared_gpu *gpu, CUstream stream)
{
	const struct shared_gpu_words *words = &gpu->words;
	enum status status = ST_OK;
	for (size_t at = 0; at < words->count && status == ST_OK; at += BATCH) {
		unsigned count = words->count - at < BATCH ? (unsigned)(words->count - at) : BATCH;
		status = CUDA_CALL(gpu->cuda, cuStreamBatchMemOp, stream, count, words->word + at, 0);
	}
	gpu->words.count = 0;
	return status;
}
