/* sharded_parts.c -- where the parameters of a model cut over the ranks are */
#include "strategies/flat.h"
#include "strategies/shared.h"

#include <stdio.h>

/* The piece of parameter i that lies in the part of a rank. before, behind: of the name: "shard" "", "host"
 * "_f32" */
static enum status shard_part(
        const struct flats *f, const char *before, const char *behind, int i, int rank, struct parts *parts)
{
	const struct flat *flat = &f->flat[flats_of_parameter(f, i)];
	int64_t part = flat->padded / f->ranks, first = part * rank, end = first + part, at = f->at[i];
	int64_t lo = first > at ? first : at,
	        hi = at + parameter_count(&f->list[i]) < end ? at + parameter_count(&f->list[i]) : end;
	if (hi <= lo)
		return ST_OK;
	struct portion piece = {.parameter = i, .rank = rank, .from = lo - at, .count = hi - lo};
	snprintf(piece.name, sizeof piece.name, "%s%s%s[%lld:%lld]", before, flat->tag, behind,
	        (long long)(lo - first), (long long)(hi - first));
	return parts_add(parts, &piece);
}

/* Every rank has them whole, in the type that the optimizer steps */
static bool whole(const struct strategy_call *call, const struct sharding *sharding)
{
	return !sharding->parameters && call->model.dtype == DT_F32;
}

enum status sharded_parts(
        const struct strategy_call *call, const struct sharding *sharding, struct parts *parts)
{
	bool half = call->model.dtype != DT_F32;
	struct flats flats;
	enum status status = ST_OK;
	for (int rank = 0; rank < call->ranks && status == ST_OK && whole(call, sharding); rank++)
		status = parts_whole(call, rank, parts);
	if (whole(call, sharding) || status != ST_OK)
		return status;
	status = flats_make(&call->model, sharding->wrap, call->ranks, &flats);
	for (int rank = 0; rank < call->ranks; rank++)
		for (int i = 0; i < flats.parameters && status == ST_OK; i++)
			status = shard_part(&flats, half && sharding->offload ? "host" : "shard",
			        master_suffix(&call->model), i, rank, parts);
	flats_release(&flats);
	return status;
}
