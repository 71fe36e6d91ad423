/* viewer.c -- keys, and the window they move
 *
 *     arrows h j k l   earlier, later, up, down        tab    the next operation        g    earliest
 *     + -              zoom                            enter  its facts, or none        G    latest
 *     0                everything                      q      back to the prompt
 *
 *     whole_from            from |======= window =======| to            whole_to
 *     |-------------------- everything that there is -------------------------|
 *
 * A key changes the window, the first row or the selection; then a frame is asked for. */
#include "shell/terminal/viewer.h"
#include "shell/terminal/screen.h"

enum { CONTROL_D = 4 };

void viewer_request(const struct viewer *viewer, struct request *request)
{
	*request = (struct request){.kind = REQUEST_VIEW,
	        .width = viewer->width,
	        .height = page_picture_rows(viewer),
	        .from = viewer->whole ? 1 : viewer->from,
	        .to = viewer->whole ? 0 : viewer->to,
	        .first_row = viewer->first_row,
	        .selected = viewer->selected,
	        .stamp = -1};
}

void viewer_take(struct viewer *viewer, const struct reply *frame)
{
	viewer->from = frame->from;
	viewer->to = frame->to;
	viewer->first_row = frame->first_row;
}

/* The window stays within half a window of what there is. */
static void move_to(struct viewer *viewer, const struct reply *frame, int64_t from, int64_t width)
{
	int64_t least = frame->whole_from - width / 2, most = frame->whole_to - width / 2;
	viewer->from = from < least ? least : from > most ? most : from;
	viewer->to = viewer->from + width;
	viewer->whole = false;
}

/* Half or twice the window about its middle. */
static void zoom(struct viewer *viewer, const struct reply *frame, int step)
{
	int64_t width = viewer->to - viewer->from, whole = frame->whole_to - frame->whole_from;
	int64_t middle = viewer->from + width / 2, fresh = step > 0 ? width / 2 : width * 2;
	if (fresh < viewer->width)
		fresh = viewer->width; /* a cell is a nanosecond at least */
	if (fresh >= whole && step < 0)
		viewer->whole = true;
	else
		move_to(viewer, frame, middle - fresh / 2, fresh);
}

/* Earlier or later, in quarters of the window: what was seen at one edge is still there. */
static void slide(struct viewer *viewer, const struct reply *frame, int quarters)
{
	int64_t width = viewer->to - viewer->from;
	move_to(viewer, frame, viewer->from + quarters * (width / 4), width);
}

/* The window at the beginning (end < 0) or at the end of everything, as wide as it is. */
static void go_to_end(struct viewer *viewer, const struct reply *frame, int end)
{
	int64_t width = viewer->to - viewer->from;
	move_to(viewer, frame, end < 0 ? frame->whole_from : frame->whole_to - width, width);
}

/* The operations in the picture, in order of rows and then of time: the one behind the selected (step > 0), or
 * the one before it; at either end, from the other end on. An operation is as many cells beside each other as it is
 * wide, and comes once:
 *
 *     cells   7 7 7 . 9 9 . 12 12 12        selected 9:  behind it 12, before it 7
 *
 * One that is cut by the window's edge counts; one that is not in the picture is not found, and the first is. */
static void select_next(struct viewer *viewer, const struct reply *frame, int step)
{
	const struct picture *picture = &frame->picture;
	op_id before = 0, first = 0, last = 0, found = 0;
	for (int i = 0; i < picture->width * picture->height; i++) {
		op_id op = picture->ops[i];
		if (op == 0 || op == last)
			continue;
		first = first ? first : op;
		if (step > 0 && last == viewer->selected && last && !found)
			found = op;
		if (op == viewer->selected)
			before = last;
		last = op;
	}
	if (step < 0)
		found = before ? before : last;
	viewer->selected = found ? found : first;
	viewer->facts = viewer->selected != 0;
}

/* rank 0 says how many rows there are; the last may stand alone at the top. */
static void scroll_rows(struct viewer *viewer, const struct reply *frame, int rows)
{
	int most = frame->rows - 1;
	viewer->first_row += rows;
	viewer->first_row = viewer->first_row > most ? most : viewer->first_row;
	viewer->first_row = viewer->first_row < 0 ? 0 : viewer->first_row;
}

static void scroll_page(struct viewer *viewer, const struct reply *frame, int step)
{
	scroll_rows(viewer, frame, step * page_picture_rows(viewer) / 2);
}

static void show_all(struct viewer *viewer, const struct reply *frame, int unused)
{
	(void)frame;
	(void)unused;
	viewer->whole = true;
	viewer->first_row = 0;
}

static void toggle_facts(struct viewer *viewer, const struct reply *frame, int unused)
{
	(void)unused;
	if (viewer->selected)
		viewer->facts = !viewer->facts;
	else
		select_next(viewer, frame, 1);
}

static void leave(struct viewer *viewer, const struct reply *frame, int unused)
{
	(void)frame;
	(void)unused;
	viewer->leaving = true;
}

static const struct {
	int key;
	void (*act)(struct viewer *viewer, const struct reply *frame, int step);
	int step;
} keys[] = {{'q', leave, 0}, {'Q', leave, 0}, {SCREEN_ESCAPE, leave, 0}, {CONTROL_D, leave, 0},
        {SCREEN_LEFT, slide, -1}, {'h', slide, -1}, {SCREEN_RIGHT, slide, 1}, {'l', slide, 1},
        {SCREEN_UP, scroll_rows, -1}, {'k', scroll_rows, -1}, {SCREEN_DOWN, scroll_rows, 1},
        {'j', scroll_rows, 1}, {SCREEN_PAGE_UP, scroll_page, -1}, {SCREEN_PAGE_DOWN, scroll_page, 1},
        {'+', zoom, 1}, {'=', zoom, 1}, {'-', zoom, -1}, {'_', zoom, -1}, {'0', show_all, 0},
        {'g', go_to_end, -1}, {SCREEN_HOME, go_to_end, -1}, {'G', go_to_end, 1}, {SCREEN_END, go_to_end, 1},
        {'\t', select_next, 1}, {SCREEN_BACK_TAB, select_next, -1}, {SCREEN_ENTER, toggle_facts, 0}};

void viewer_key(struct viewer *viewer, const struct reply *frame, int key)
{
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		if (keys[i].key == key)
			keys[i].act(viewer, frame, keys[i].step);
}
