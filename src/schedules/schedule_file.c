/* schedule_file.c -- reads and writes an order in the format of PyTorch's pipelining
 * (schedules.py, _Action)
 *
 *     0F0,0F1,,,,0I0,0W0,0I1,0W1          stage 0: piece 0        a stage of the text is a piece;
 *     ,1F0,2F0,1F1,2F1,2I0, ...           stage 1: pieces 1, 2    a rank is a stage, with pieces
 *
 * The cells tell which rank has which piece; schedule_check.c checks whether the order can run. */
#include "schedules/schedule.h"

#include "base/memory.h"

#include <ctype.h>
#include <string.h>

enum { PIECES_MOST = 4096, MICROS_MOST = 100000, SLOTS_MOST = 1000000 };

/* ---- cells ---- */

static const char letters[] = {[WORK_F] = 'F', [WORK_B] = 'I', [WORK_W] = 'W', [WORK_BW] = 'B', '\0'};

void schedule_cell(const struct schedule *schedule, int stage, const struct task *task, struct text *out)
{
	if (task->work != WORK_IDLE)
		text_add(out, "%d%c%d", schedule->piece[stage * schedule->chunks + task->chunk],
		        letters[task->work], task->micro);
}

void schedule_write(const struct schedule *schedule, struct text *out)
{
	for (int s = 0; s < schedule->stages; s++)
		for (size_t k = 0; k < schedule->count; k++) {
			schedule_cell(schedule, s, schedule_task(schedule, s, k), out);
			text_add(out, k + 1 < schedule->count ? "," : "\n");
		}
}

/* Reads digits up to `most`; -1: none, or too many. */
static int number_at(const char **at, const char *end, int most)
{
	const char *from = *at;
	int64_t number = 0;
	for (; *at < end && isdigit((unsigned char)**at); ++*at)
		number = number > most ? number : number * 10 + (**at - '0');
	return *at == from || number > most ? -1 : (int)number;
}

/* Reads "3F0"; idle if empty. Leaves the piece in task->chunk. */
static enum status read_cell(
        const char *name, int row, size_t slot, const char *at, const char *end, struct task *task)
{
	while (at < end && isspace((unsigned char)*at))
		at++;
	while (end > at && isspace((unsigned char)end[-1]))
		end--;
	const char *from = at, *letter;
	*task = (struct task){.work = WORK_IDLE};
	if (at == end)
		return ST_OK;
	int piece = number_at(&at, end, PIECES_MOST - 1);
	letter = at < end && *at ? strchr(letters, *at) : NULL;
	at += letter != NULL;
	int micro = letter ? number_at(&at, end, MICROS_MOST - 1) : -1;
	if (piece < 0 || micro < 0 || at < end)
		return fail(ST_RANGE,
		        "%s: row %d, cell %zu: '%.*s' is not a cell: STAGE, then F B I or W, then "
		        "MICROBATCH, such as 0F0",
		        name, row + 1, slot + 1, (int)(end - from < 40 ? end - from : 40), from);
	*task = (struct task){.work = (int)(letter - letters), .chunk = piece, .micro = micro};
	return ST_OK;
}

static enum status read_rows(const char *name, struct schedule *schedule, const char *text, const char *end)
{
	const char *row;
	size_t length;
	enum status status = ST_OK;
	for (int s = 0; s < schedule->stages && (row = text_line(&text, end, &length)) != NULL; s++)
		for (size_t k = 0; k < schedule->count && status == ST_OK; k++) {
			const char *after = row + length, *comma = memchr(row, ',', length);
			status = read_cell(
			        name, s, k, row, comma ? comma : after, schedule_task(schedule, s, k));
			row = comma ? comma + 1 : after;
			length = (size_t)(after - row);
		}
	return status;
}

static enum status file_measure(
        const char *name, struct schedule *schedule, const char *text, const char *end)
{
	const char *row;
	int rows = 0;
	size_t slots = 0, length;
	while (end > text && isspace((unsigned char)end[-1]) && end[-1] != ',')
		end--;
	for (; (row = text_line(&text, end, &length)) != NULL; rows++) {
		size_t cells = 1;
		for (const char *c = row; c < row + length; c++)
			cells += *c == ',';
		slots = cells > slots ? cells : slots;
	}
	if (rows != schedule->stages)
		return fail(ST_RANGE,
		        "%s has %d row%s, but the pipeline has %d rank%s: each rank needs one "
		        "row",
		        name, rows, rows == 1 ? "" : "s", schedule->stages, schedule->stages == 1 ? "" : "s");
	if (slots > SLOTS_MOST)
		return fail(ST_LIMIT, "%s: more than %d cells in a row", name, SLOTS_MOST);
	schedule->count = slots;
	return ST_OK;
}

/* ---- the cut ---- */

static void count_pieces(struct schedule *schedule)
{
	/* by piece: the latest stage with it, from 1 */
	int *last = mem_alloc(PIECES_MOST * sizeof *last);
	for (int s = 0; s < schedule->stages; s++) {
		int chunks = 0;
		for (size_t k = 0; k < schedule->count; k++) {
			const struct task *task = schedule_task(schedule, s, k);
			if (task->work == WORK_IDLE)
				continue;
			chunks += last[task->chunk] != s + 1;
			last[task->chunk] = s + 1;
			schedule->pieces =
			        task->chunk >= schedule->pieces ? task->chunk + 1 : schedule->pieces;
			schedule->micros =
			        task->micro >= schedule->micros ? task->micro + 1 : schedule->micros;
		}
		schedule->chunks = chunks > schedule->chunks ? chunks : schedule->chunks;
	}
	mem_free(last);
}

/* Fails unless each piece is on one stage and all stages have equally many. */
static enum status place_pieces(const char *name, struct schedule *schedule)
{
	for (int n = 0; n < schedule->pieces; n++)
		schedule->holder[n] = -1;
	for (int s = 0; s < schedule->stages; s++) {
		bool any = false;
		for (size_t k = 0; k < schedule->count; k++) {
			const struct task *task = schedule_task(schedule, s, k);
			if (task->work == WORK_IDLE)
				continue;
			int *holder = &schedule->holder[task->chunk];
			if (*holder >= 0 && *holder != s)
				return fail(ST_RANGE, "%s: stage %d is in row %d and in row %d", name,
				        task->chunk, *holder + 1, s + 1);
			*holder = s;
			any = true;
		}
		if (!any)
			return fail(ST_RANGE, "%s: row %d is empty: its rank has no stage", name, s + 1);
	}
	for (int i = 0; i < schedule->stages * schedule->chunks; i++)
		schedule->piece[i] = -1;
	for (int n = 0; n < schedule->pieces; n++) {
		int s = schedule->holder[n], c = 0;
		if (s < 0)
			return fail(ST_RANGE, "%s: stage %d is in no row, but there are stages up to %d",
			        name, n, schedule->pieces - 1);
		while (schedule->piece[s * schedule->chunks + c] >= 0)
			c++;
		schedule->piece[s * schedule->chunks + c] = n;
		schedule->chunk[n] = c;
	}
	for (int s = 0; s < schedule->stages; s++) {
		if (schedule->piece[(s + 1) * schedule->chunks - 1] < 0)
			return fail(ST_RANGE,
			        "%s: row %d has fewer stages than the %d of another: each rank needs the "
			        "same number",
			        name, s + 1, schedule->chunks);
		for (size_t k = 0; k < schedule->count; k++) {
			struct task *task = schedule_task(schedule, s, k);
			task->chunk = task->work == WORK_IDLE ? 0 : schedule->chunk[task->chunk];
		}
	}
	return ST_OK;
}

/* ---- all of it ---- */

enum status schedule_read(const struct schedule_ask *ask, const char *name, const char *text, size_t count,
        struct schedule *schedule)
{
	*schedule = (struct schedule){.stages = ask->stages};
	const char *saved = text_lines_saved_as(text, count);
	if (saved)
		return fail(ST_SYNTAX, "%s: %s", name, saved);
	/* UTF-8's byte order mark, as spreadsheets write it */
	static const char mark[] = "\xef\xbb\xbf";
	size_t marked = count >= 3 && memcmp(text, mark, 3) == 0 ? 3 : 0;
	text += marked;
	count -= marked;
	enum status status = file_measure(name, schedule, text, text + count);
	if (status != ST_OK)
		return status;
	size_t cells = (size_t)schedule->stages * schedule->count;
	struct task *task = schedule->task = mem_alloc(cells * sizeof *task);
	status = read_rows(name, schedule, text, text + count);
	if (status == ST_OK) {
		count_pieces(schedule);
		schedule_room(schedule);
		memcpy(schedule->task, task, cells * sizeof *task);
		mem_free(task);
		status = place_pieces(name, schedule);
	}
	if (status == ST_OK)
		status = schedule_check(name, schedule);
	if (status == ST_OK && schedule->micros != ask->micros)
		status = fail(ST_RANGE, "%s has %d micro-batches: micro=%d", name, schedule->micros,
		        schedule->micros);
	if (status == ST_OK && schedule->chunks != ask->chunks)
		status = fail(ST_RANGE, "%s has %d stages a rank: chunks=%d", name, schedule->chunks,
		        schedule->chunks);
	if (status == ST_OK)
		schedule_memories(schedule);
	else
		schedule_release(schedule);
	return status;
}
