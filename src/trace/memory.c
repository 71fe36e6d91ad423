/* memory.c -- device memory as a picture: segments as bars, blocks with their owners, and the gaps between
 *
 *      ranks 0-3: 1.2 MB allocated, 2 MB reserved, at most 1.5 MB so far, of 256 MB
 *         default  2 MB    |█ x ███|█ w ███|········|█|······|  768 kB free
 */
#include "trace/lanes.h"
#include "trace/table.h"
#include "base/memory.h"

#include <stdlib.h>

enum { BAR_MOST = 48, BAR_LEAST = 8, SEGMENTS_MOST = 12, OWNERS_MOST = 5, RANKS_SHOWN = 16 };

/* The segments of one rank's device, and their blocks, free ones too; both by address, of all pools */
struct map {
	struct segment_view *segment;
	struct block_view *block;
	int segments, blocks;
};

static void map_read(struct map *map, const struct world *world, int rank)
{
	map->segments = world_segments(world, rank, NULL, 0);
	map->blocks = world_blocks(world, rank, NULL, 0);
	map->segment = mem_resize(map->segment, ((size_t)map->segments + 1) * sizeof *map->segment);
	map->block = mem_resize(map->block, ((size_t)map->blocks + 1) * sizeof *map->block);
	world_segments(world, rank, map->segment, map->segments);
	world_blocks(world, rank, map->block, map->blocks);
}

/* The block from cell `from` to `to`: its first cell is a border, its owner's name inside if there is
 * room. */
static void put_block(const struct trace *trace, const struct block_view *block, int cells, struct text *bar)
{
	const char *name = names_text(trace->world->names, block->owner);
	int room = cells - 1, columns = (int)text_columns(name);

	if (cells <= 0)
		return;
	text_add(bar, "|");
	if (block->free) {
		text_repeat(bar, "\xc2\xb7", room);
	} else if (columns && columns + 2 <= room) {
		int left = (room - columns - 2) / 2;
		text_repeat(bar, "\xe2\x96\x88", left);
		text_add(bar, " %s ", name);
		text_repeat(bar, "\xe2\x96\x88", room - left - columns - 2);
	} else if (columns && columns <= room && room <= columns + 1) {
		text_add(bar, "%s", name);
		text_repeat(bar, "\xe2\x96\x88", room - columns);
	} else {
		text_repeat(bar, "\xe2\x96\x88", room);
	}
}

/* A segment's blocks side by side, to scale; a block smaller than a cell has none. Returns its free bytes. */
static int64_t put_bar(const struct trace *trace, const struct map *map, const struct segment_view *segment,
        int cells, struct text *bar)
{
	int64_t free_bytes = 0;
	for (int i = 0; i < map->blocks; i++) {
		const struct block_view *block = &map->block[i];
		int64_t from = block->address - segment->address, to = from + block->bytes;
		if (from < 0 || from >= segment->bytes)
			continue;
		int first = (int)((double)from / (double)segment->bytes * cells),
		    last = (int)((double)to / (double)segment->bytes * cells);
		put_block(trace, block, last - first, bar);
		free_bytes += block->free ? block->bytes : 0;
	}
	text_add(bar, "|");
	return free_bytes;
}

static void put_segments(
        const struct trace *trace, const struct map *map, int rank, int cells, struct table *table)
{
	for (int i = 0; i < map->segments && i < SEGMENTS_MOST; i++) {
		const struct segment_view *segment = &map->segment[i];
		table_cell(table, "%s", trace_lane_name(trace, rank, segment->pool));
		bytes_text(segment->bytes, &table->cells);
		table_end(table);
		int64_t free_bytes = put_bar(trace, map, segment, cells, &table->cells);
		table_end(table);
		if (free_bytes)
			bytes_text(free_bytes, &table->cells);
		table_cell(table, "%s", free_bytes ? " free" : "");
		table_row(table);
	}
}

static void put_bytes(struct text *out, const char *before, int64_t bytes, const char *behind)
{
	text_add(out, "%s", before);
	bytes_text(bytes, out);
	text_add(out, "%s", behind);
}

/* Fragmentation: the part of the free memory that is not in the largest free block. */
static void put_counts(const struct trace *trace, int rank, const struct map *map, struct text *out)
{
	struct memory_counts counts = {0};
	int64_t total_free = 0;

	world_memory_counts(trace->world, rank, &counts);
	for (int i = 0; i < map->blocks; i++)
		total_free += map->block[i].free ? map->block[i].bytes : 0;
	put_bytes(out, "", counts.allocated, " allocated");
	put_bytes(out, " (at most ", counts.peak_allocated, ")");
	put_bytes(out, ", ", counts.reserved, " reserved");
	put_bytes(out, " of ", (int64_t)trace->world->machine->memory, "");
	if (total_free) {
		put_bytes(out, "\n   free in segments ", total_free, "");
		put_bytes(out, ", largest block ", counts.largest_free, "");
		text_add(out, ", fragmentation %.0f%%",
		        100 - 100 * (double)counts.largest_free / (double)total_free);
	}
	if (counts.host || counts.pinned) {
		put_bytes(out, "\n   host ", counts.host, "");
		put_bytes(out, ", pinned ", counts.pinned, "");
	}
	text_add(out, "\n");
}

/* Blocks in use before free ones, the largest first */
static int by_use(const void *a, const void *b)
{
	const struct block_view *x = a, *y = b;
	if (x->free != y->free)
		return x->free ? 1 : -1;
	if (x->bytes != y->bytes)
		return x->bytes > y->bytes ? -1 : 1;
	return x->address < y->address ? -1 : x->address > y->address;
}

/* The blocks are sorted for it: they are drawn before */
static void put_owners(const struct trace *trace, struct map *map, struct text *out)
{
	qsort(map->block, (size_t)map->blocks, sizeof *map->block, by_use);
	for (int i = 0; i < OWNERS_MOST && i < map->blocks && !map->block[i].free; i++) {
		const char *name = names_text(trace->world->names, map->block[i].owner);
		text_add(out, "%s%s ", i ? ", " : "   largest: ", *name ? name : "(unnamed)");
		bytes_text(map->block[i].bytes, out);
	}
	text_add(out, "%s", map->blocks && !map->block->free ? "\n" : "");
}

/* One rank's picture; the caller merges ranks whose pictures are the same. */
static void put_rank(const struct trace *trace, int rank, struct map *map, int width, struct text *picture)
{
	struct table table = {.align = "lrl"};
	int cells = width - 40 > BAR_MOST ? BAR_MOST : width - 40 < BAR_LEAST ? BAR_LEAST : width - 40;

	map_read(map, trace->world, rank);
	put_counts(trace, rank, map, picture);
	put_segments(trace, map, rank, cells, &table);
	table_print(&table, width, picture);
	table_release(&table);
	if (map->segments > SEGMENTS_MOST)
		text_add(picture, "   ... and %d more\n", map->segments - SEGMENTS_MOST);
	put_owners(trace, map, picture);
}

void trace_memory(const struct trace *trace, int width, struct text *out)
{
	struct blocks blocks = {0};
	struct map map = {0};
	struct text picture = {0};

	for (int rank = 0; rank < trace->world->n; rank++) {
		text_clear(&picture);
		put_rank(trace, rank, &map, width, &picture);
		blocks_add(&blocks, rank, &picture);
	}
	for (size_t i = 0; i < blocks.count && i < RANKS_SHOWN; i++) {
		const struct ranks *ranks = &blocks.block[i].ranks;
		text_add(out, "rank%s ", ranks_count(ranks) == 1 ? "" : "s");
		ranks_text(ranks, out);
		text_add(out, ": %s", blocks.block[i].rows);
	}
	if (blocks.count > RANKS_SHOWN)
		text_add(out, "... and %zu more sets of ranks\n", blocks.count - RANKS_SHOWN);
	blocks_release(&blocks);
	mem_free(map.segment);
	mem_free(map.block);
	text_release(&picture);
}
