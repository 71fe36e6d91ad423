/* meet.c -- unique ids: rank 0 makes all of them, because it sends to every process anyway */
#include "base/memory.h"
#include "cuda/exchange/nccl/party.h"
#include "mpi/transport.h"

#include <string.h>

enum status meet_ids(
        struct cuda_library *cuda, const struct nccl_party *parties, int count, ncclUniqueId *ids)
{
	enum status status = ST_OK;
	for (int i = 0; i < count && status == ST_OK; i++)
		if (parties[i].n > 1)
			status = NCCL_CALL(cuda, ncclGetUniqueId, &ids[i]);
	return status;
}

void meet_told(
        struct nccl_exchange *nccl, const struct nccl_party *parties, int count, const ncclUniqueId *ids)
{
	for (int i = 0; i < count; i++)
		for (int place = 0; place < parties[i].n; place++)
			if (parties[i].ranks[place] == nccl->rank) {
				party_start(nccl, &parties[i], place, ids ? &ids[i] : NULL);
				break;
			}
}

/* Rank 0's message: a status, then the ids or the words of the failure */
static void *write_message(
        struct cuda_library *cuda, const struct nccl_party *parties, int count, size_t *size)
{
	size_t bytes = (size_t)count * sizeof(ncclUniqueId);
	char *message = mem_alloc(sizeof(enum status) + bytes);
	ncclUniqueId *ids = mem_alloc(bytes);
	enum status status = meet_ids(cuda, parties, count, ids);
	if (status != ST_OK)
		bytes = strlen(fail_text()) + 1;
	if (status != ST_OK)
		message = mem_resize(message, sizeof status + bytes);
	memcpy(message, &status, sizeof status);
	memcpy(message + sizeof status, status == ST_OK ? (const char *)ids : fail_text(), bytes);
	mem_free(ids);
	*size = sizeof status + bytes;
	return message;
}

enum status nccl_meet(
        struct exchange *exchange, struct transport *transport, const struct nccl_party *parties, int count)
{
	struct nccl_exchange *nccl = NCCL_OF(exchange);
	void *message = NULL;
	size_t size = 0;
	if (count == 0)
		return ST_OK;
	if (transport_rank(transport) == 0)
		message = write_message(nccl->cuda, parties, count, &size);
	enum status told, status = transport_broadcast(transport, 0, &message, &size);
	if (status == ST_OK) {
		const char *behind = (const char *)message + sizeof told;
		memcpy(&told, message, sizeof told);
		if (told == ST_OK) {
			ncclUniqueId *ids = mem_alloc(size - sizeof told);
			memcpy(ids, behind, size - sizeof told);
			meet_told(nccl, parties, count, ids);
			mem_free(ids);
		} else {
			fail(told, "%s", behind);
			meet_told(nccl, parties, count, NULL);
		}
	}
	mem_free(message);
	return status;
}
