/* test_shared_gpu.c -- the memory in which ranks that share a GPU meet: mpirun -n {1,2,3,4,5,8}
 * test_shared_gpu */
#include "mpi/inside.h"
#include "cuda/exchange/shared_gpu/state.h"
#include "tests/mpi/check.h"

struct test {
	struct transport *transport;
	struct checks checks;
	int me, n;
};

static void wait_for_all(struct test *t)
{
	int mine = 1, all[EXCHANGE_RANKS];
	CHECK(&t->checks, transport_share(t->transport, &mine, all, sizeof mine) == ST_OK);
}

/* One memory, and nobody is taken for gone before the end. Twice, as after `reset` */
static void all_meet(struct test *t)
{
	struct shared_gpu *board;
	CHECK(&t->checks, shared_gpu_meet(t->transport, true, &board) == ST_OK);
	if (!board)
		return;
	__atomic_add_fetch(&board->shared->used, UINT64_C(1) << t->me, __ATOMIC_SEQ_CST);
	wait_for_all(t);
	CHECK(&t->checks, board->shared->used == (UINT64_C(1) << t->n) - 1);
	for (int rank = 0; rank < t->n; rank++)
		CHECK(&t->checks, !shared_gpu_gone(board, rank));
	wait_for_all(t);
	shared_gpu_leave(board);
}

/* A message fails on one rank: no rank hangs, and that one has no board. */
static void a_message_fails(struct test *t)
{
	for (long call = 0; call < 5; call++) {
		struct shared_gpu *board;
		if (t->me == t->n - 1)
			t->transport->fail_at = call;
		enum status status = shared_gpu_meet(t->transport, true, &board);
		bool failed = t->me == t->n - 1 && t->transport->fail_at < 0;
		t->transport->fail_at = -1;
		CHECK(&t->checks, (status == ST_OK) == !!board);
		CHECK(&t->checks, !failed || status == ST_MPI);
		shared_gpu_leave(board);
		wait_for_all(t);
	}
}

int main(int argc, char **argv)
{
	struct test t = {0};
	if (transport_start(&t.transport, true, &argc, &argv) != ST_OK)
		return 1;
	t.me = t.checks.rank = transport_rank(t.transport);
	t.n = transport_size(t.transport);
	all_meet(&t);
	all_meet(&t);
	a_message_fails(&t);
	return checks_end(&t.checks, t.transport, "test_shared_gpu");
}
