/* memory.c -- device memory as a picture: segments as bars with their blocks, owners and gaps
 *
 *      ranks 0-3: 1.2 MB allocated, 2 MB reserved, at most 1.5 MB so far, of 256 MB
 *         default  2 MB    |█ x ███|█ w ███|········|█|······|  768 kB free
 *         graph g  2 MB    |█ y ███|··························|  1.5 MB kept */
#include "trace/lanes.h"
#include "trace/table.h"

enum { BAR_MOST = 48, BAR_LEAST = 8, SEGMENTS_MOST = 12, OWNERS_MOST = 5, RANKS_SHOWN = 16 };

static void put_block(
        const struct trace *trace, const struct memory_block *block, int cells, struct text *bar)
{
	const char *name = names_text(trace->world->names, block->owner);
	int room = cells - 1, columns = text_columns(name);

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

/* Appends a segment's blocks to scale; a block smaller than a cell is not shown. Returns its free
 * bytes. */
static int64_t put_bar(const struct trace *trace, const struct heap *heap, const struct segment *segment,
        int cells, struct text *bar)
{
	int64_t free_bytes = 0;
	for (size_t i = 0; i < heap->count; i++) {
		const struct memory_block *block = &heap->blocks[i];
		int64_t from = block->address - segment->address, to = from + block->bytes;
		if (from < 0 || from >= segment->bytes)
			continue;
		int first = from / (double)segment->bytes * cells, last = to / (double)segment->bytes * cells;
		put_block(trace, block, last - first, bar);
		free_bytes += block->free ? block->bytes : 0;
	}
	text_add(bar, "|");
	return free_bytes;
}

static void put_segments(
        const struct trace *trace, const struct heap *heap, int rank, int cells, struct table *table)
{
	for (size_t i = 0; i < heap->segment_count && i < SEGMENTS_MOST; i++) {
		const struct segment *segment = &heap->segments[i];
		uint32_t graph = pool_graph(segment->pool);
		if (graph)
			table_cell(table, "graph %s",
			        names_text(trace->world->names, world_graph_name(trace->world, graph)));
		else
			table_cells(table, trace_lane_name(trace, rank, pool_stream(segment->pool)));
		table_bytes(table, segment->bytes);
		int64_t free_bytes = put_bar(trace, heap, segment, cells, &table->cells);
		table_end(table);
		if (free_bytes)
			text_add(&table->cells, "%s %s", bytes_words(free_bytes).text,
			        graph ? "kept" : "free");
		table_end(table);
		table_row(table);
	}
}

/* Fragmentation is the part of the free memory outside the largest free block. */
static void put_counts(const struct trace *trace, int rank, const struct heap *heap, struct text *out)
{
	int64_t host = world_heap(trace->world, rank, SPACE_HOST)->allocated,
	        pinned = world_heap(trace->world, rank, SPACE_PINNED)->allocated,
	        disk = world_heap(trace->world, rank, SPACE_DISK)->allocated,
	        largest = heap_largest_free(heap), total_free = 0;

	for (size_t i = 0; i < heap->count; i++)
		total_free +=
		        heap->blocks[i].free && !pool_graph(heap->blocks[i].pool) ? heap->blocks[i].bytes : 0;
	text_add(out, "%s allocated (at most %s), %s reserved", bytes_words(heap->allocated).text,
	        bytes_words(heap->peak_allocated).text, bytes_words(heap->reserved).text);
	if (heap_of_graphs(heap))
		text_add(out, " (%s by graphs)", bytes_words(heap_of_graphs(heap)).text);
	text_add(out, " of %s", bytes_words((int64_t)trace->world->machine->memory).text);
	if (total_free)
		text_add(out, "\n   free in segments %s, largest block %s, fragmentation %.0f%%",
		        bytes_words(total_free).text, bytes_words(largest).text,
		        100 - 100 * (double)largest / total_free);
	if (host || pinned || disk)
		text_add(out, "\n   host %s, pinned %s", bytes_words(host).text, bytes_words(pinned).text);
	if (disk)
		text_add(out, ", disk %s", bytes_words(disk).text);
	text_add(out, "\n");
}

static void put_owners(const struct trace *trace, const struct heap *heap, struct text *out)
{
	const struct memory_block *block[OWNERS_MOST];
	int count = heap_largest(heap, block, OWNERS_MOST);

	for (int i = 0; i < count; i++) {
		const char *name = names_text(trace->world->names, block[i]->owner);
		text_add(out, "%s%s %s", i ? ", " : "   largest: ", *name ? name : "(unnamed)",
		        bytes_words(block[i]->bytes).text);
	}
	text_add(out, "%s", count ? "\n" : "");
}

static void put_rank(const struct trace *trace, int rank, int width, struct text *picture)
{
	struct table table = {.align = "lrl"};
	int cells = width - 40 > BAR_MOST ? BAR_MOST : width - 40 < BAR_LEAST ? BAR_LEAST : width - 40;
	const struct heap *heap = world_heap(trace->world, rank, SPACE_DEVICE);

	put_counts(trace, rank, heap, picture);
	put_segments(trace, heap, rank, cells, &table);
	table_print(&table, width, picture);
	if (heap->segment_count > SEGMENTS_MOST)
		text_add(picture, "   ... and %zu more\n", heap->segment_count - SEGMENTS_MOST);
	put_owners(trace, heap, picture);
}

void trace_memory(const struct trace *trace, int width, struct text *out)
{
	struct blocks blocks = {0};
	struct text picture = {0};

	for (int rank = 0; rank < trace->world->n; rank++) {
		if (!trace_tells(trace, rank))
			continue;
		text_clear(&picture);
		put_rank(trace, rank, width, &picture);
		blocks_add(&blocks, rank, &picture);
	}
	blocks_print(&blocks, RANKS_SHOWN, out);
	text_release(&picture);
}
