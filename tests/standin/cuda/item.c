/* item.c -- a piece of work in a queue. Whoever may still look at its end holds it: its stream, an event, work that comes after it. */
#include "inside.h"
#include <stdlib.h>
#include <string.h>

struct item *item_new(const struct standin_call *call)
{
	struct item *item = calloc(1, sizeof *item);
	void *argument = call->argument_bytes ? malloc(call->argument_bytes) : NULL;
	if (!item || (call->argument_bytes && !argument)) {
		free(item);
		free(argument);
		return NULL;
	}
	if (argument)
		memcpy(argument, call->argument, call->argument_bytes);
	*item = (struct item){.work = call->work,
	        .argument = argument,
	        .forget = call->forget,
	        .cost_ns = call->cost_ns,
	        .waits = call->waits};
	return item;
}

static void let_go(struct item *item);
static void forget_earlier(struct item *item)
{
	for (int i = 0; i < item->after_count; i++)
		let_go(item->after[i]);
	free(item->after);
	item->after = NULL;
	item->after_count = 0;
}

static void let_go(struct item *item)
{
	if (--item->holders > 0)
		return;
	forget_earlier(item);
	if (item->forget)
		item->forget(item->argument);
	free(item->argument);
	free(item);
}

void item_hold(struct item **slot, struct item *item)
{
	if (item)
		item->holders++;
	if (*slot)
		let_go(*slot);
	*slot = item;
}

int item_after(struct item *item, struct item *earlier)
{
	if (!earlier)
		return 0;
	struct item **after = realloc(item->after, (size_t)(item->after_count + 1) * sizeof(struct item *));
	if (!after)
		return -1;
	item->after = after;
	after[item->after_count] = NULL;
	item_hold(&after[item->after_count++], earlier);
	item->waits |= earlier->waits;
	return 0;
}

void item_finish(struct item *item, int64_t end_ns)
{
	item->done = true;
	item->end_ns = end_ns;
	forget_earlier(item);
	pthread_cond_broadcast(&standin_changed);
}

CUresult item_wait(struct CUctx_st *context, struct item *item)
{
	struct item *held = NULL;
	if (!item)
		return context->error;
	item_hold(&held, item);
	while (!item->done && !context->error)
		pthread_cond_wait(&standin_changed, &standin_lock);
	CUresult result = context->error;
	int64_t end_ns = item->done ? item->end_ns : 0;
	item_hold(&held, NULL);
	if (!standin_options()->wall)
		standin_sleep_until(end_ns);
	return result;
}

CUresult work_run(standin_work *work, void *argument, struct standin_turn *turn)
{
	CUresult result = work ? work(argument, turn) : CUDA_SUCCESS;
	if (standin_options()->wall)
		turn->end_ns = standin_now();
	return result;
}

bool standin_stopped(const struct standin_turn *turn)
{
	return __atomic_load_n(turn->stop, __ATOMIC_SEQ_CST) != 0;
}
