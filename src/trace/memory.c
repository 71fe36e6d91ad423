/* memory.c -- device memory as a picture: segments as bars, blocks with their owners, and the gaps between
 *
 *      ranks 0-3: 1.2 MB allocated, 2 MB reserved, at most 1.5 MB so far, of 256 MB
 *         default  2 MB    |█ x ███|█ w ███|········|█|······|   free 768 kB, largest 512 kB
 */
#include "trace/lanes.h"
#include "trace/table.h"
#include "base/memory.h"

#include <string.h>

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

/* A segment's blocks side by side, to scale; a block smaller than a cell has none. Also its free bytes, and
 * those of the largest gap. */
static void put_bar(const struct trace *trace, const struct map *map, const struct segment_view *segment,
        int cells, struct text *bar, int64_t *free_bytes, int64_t *largest)
{
	*free_bytes = *largest = 0;
	for (int i = 0; i < map->blocks; i++) {
		const struct block_view *block = &map->block[i];
		int64_t from = block->address - segment->address, to = from + block->bytes;
		if (from < 0 || from >= segment->bytes)
			continue;
		int first = (int)((double)from / (double)segment->bytes * cells),
		    last = (int)((double)to / (double)segment->bytes * cells);
		put_block(trace, block, last - first, bar);
		if (block->free) {
			*free_bytes += block->bytes;
			*largest = block->bytes > *largest ? block->bytes : *largest;
		}
	}
	text_add(bar, "|");
}

static void put_segments(
        const struct trace *trace, const struct map *map, int rank, int cells, struct text *rows)
{
	struct text bar = {0}, word = {0};

	for (int i = 0; i < map->segments && i < SEGMENTS_MOST; i++) {
		const struct segment_view *segment = &map->segment[i];
		int64_t free_bytes, largest;
		text_clear(&bar);
		put_bar(trace, map, segment, cells, &bar, &free_bytes, &largest);
		text_clear(&word);
		bytes_text(segment->bytes, &word);
		text_add(rows, "%s" CELL_END "%s" CELL_END "%s" CELL_END,
		        trace_lane_name(trace, rank, segment->pool), text_string(&word), text_string(&bar));
		text_clear(&word);
		if (free_bytes) {
			bytes_text(free_bytes, &word);
			text_add(&word, " free");
		}
		text_add(rows, "%s" CELL_END "\n", text_string(&word));
	}
	text_release(&bar);
	text_release(&word);
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

/* The largest block not taken yet, with its owner; false: there is none. */
static bool put_largest_owner(
        const struct trace *trace, const struct map *map, bool *taken, struct text *out, bool first)
{
	int most = -1;

	for (int i = 0; i < map->blocks; i++)
		if (!map->block[i].free && !taken[i] &&
		        (most < 0 || map->block[i].bytes > map->block[most].bytes))
			most = i;
	if (most < 0)
		return false;
	taken[most] = true;
	const char *name = names_text(trace->world->names, map->block[most].owner);
	text_add(out, "%s%s ", first ? "" : ", ", *name ? name : "(unnamed)");
	bytes_text(map->block[most].bytes, out);
	return true;
}

static void put_owners(const struct trace *trace, const struct map *map, struct text *out)
{
	bool *taken = mem_alloc((size_t)map->blocks * sizeof *taken);
	struct text list = {0};

	for (int i = 0; i < OWNERS_MOST; i++)
		if (!put_largest_owner(trace, map, taken, &list, i == 0))
			break;
	if (list.count)
		text_add(out, "   largest: %s\n", text_string(&list));
	text_release(&list);
	mem_free(taken);
}

/* One rank's picture; the caller merges ranks whose pictures are the same. */
static void put_rank(const struct trace *trace, int rank, struct map *map, int width, struct text *picture)
{
	struct table table = {.align = "lrl"};
	int cells = width - 40 > BAR_MOST ? BAR_MOST : width - 40 < BAR_LEAST ? BAR_LEAST : width - 40;

	map_read(map, trace->world, rank);
	put_counts(trace, rank, map, picture);
	put_segments(trace, map, rank, cells, &table.cells);
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
