/* words.c -- words of the board that streams write and wait for. Each is a turn's own, so that writing it twice changes nothing. */
#include "base/memory.h"
#include "cuda/exchange/board/inside.h"

static void add(struct board_words *words, CUdeviceptr at, uint32_t value, bool waits)
{
	*MEM_ADD(&words->word, &words->count) = (struct board_word){at, value, waits};
}

void words_write(struct board_words *words, CUdeviceptr at, uint32_t value)
{
	add(words, at, value, false);
}

void words_wait(struct board_words *words, CUdeviceptr at, uint32_t value)
{
	add(words, at, value, true);
}

enum status words_queue(struct board *board, struct board_words *words, CUstream stream)
{
	enum status status = ST_OK;
	for (size_t i = 0; i < words->count && status == ST_OK; i++) {
		const struct board_word *word = &words->word[i];
		if (word->waits)
			status = BOARD_CALL(board, cuStreamWaitValue32, stream, word->at, word->value,
			        CU_STREAM_WAIT_VALUE_GEQ);
		else
			status = BOARD_CALL(board, cuStreamWriteValue32, stream, word->at, word->value,
			        CU_STREAM_WRITE_VALUE_DEFAULT);
	}
	mem_free(words->word);
	*words = (struct board_words){0};
	return status;
}

void word_store(struct board *board, uint32_t *word, uint32_t value)
{
	(void)board;
	__atomic_store_n(word, value, __ATOMIC_SEQ_CST);
}
