/* words.c -- words of the segment that streams write and wait for. Each belongs to one sequence
 * number, so that writing it twice changes nothing. */
#include "base/memory.h"
#include "cuda/exchange/shared_gpu/inside.h"

enum { BATCH = 255 }; /* CUDA's limit per call */

void words_write(struct board *board, CUdeviceptr at, uint32_t value)
{
	*MEM_ADD(&board->words.word, &board->words.count) =
	        (CUstreamBatchMemOpParams){.writeValue = {CU_STREAM_MEM_OP_WRITE_VALUE_32, at, {value},
	                                           CU_STREAM_WRITE_VALUE_DEFAULT, 0}};
}

void words_wait(struct board *board, CUdeviceptr at, uint32_t value)
{
	*MEM_ADD(&board->words.word, &board->words.count) = (CUstreamBatchMemOpParams){
	        .waitValue = {CU_STREAM_MEM_OP_WAIT_VALUE_32, at, {value}, CU_STREAM_WAIT_VALUE_GEQ, 0}};
}

enum status words_queue(struct board *board, CUstream stream)
{
	const struct board_words *words = &board->words;
	enum status status = ST_OK;
	for (size_t at = 0; at < words->count && status == ST_OK; at += BATCH) {
		unsigned count = words->count - at < BATCH ? (unsigned)(words->count - at) : BATCH;
		status = CUDA_CALL(board->cuda, cuStreamBatchMemOp, stream, count, words->word + at, 0);
	}
	board->words.count = 0;
	return status;
}

void word_store(struct board *board, uint32_t *word, uint32_t value)
{
	board->cuda->host_store(word, value, board->cuda->host_now());
}
