/* calibration.c -- measured figures of a machine, as tables and as the machine's file */
#include "machine/machine.h"
#include "trace/calibrate.h"
#include "trace/table.h"
#include <string.h>

static void put_number(struct table *table, const struct machine *machine, int key)
{
	enum unit unit;
	machine_key(key, NULL, &unit);
	number_text((struct number){machine_value(machine, key), unit}, &table->cells);
	table_end(table);
}

void calibration_text(
        const struct calibration *calibration, const struct machine *before, int width, struct text *out)
{
	static const char *const names[] = {
#define X(symbol, name) name,
		CALIBRATED(X)
#undef X
	};
	struct table parts = {.align = "lr"}, figures = {.align = "lr"};
	table_line(&parts, "measured", "operations", "error before", "error now");
	for (int i = 0; i < CALIBRATED_COUNT; i++) {
		if (!calibration->part[i].operations)
			continue;
		table_cell(&parts, "%s", names[i]);
		table_cell(&parts, "%d", calibration->part[i].operations);
		table_cell(&parts, "%.1f%%", 100 * calibration->part[i].before);
		table_cell(&parts, "%.1f%%", 100 * calibration->part[i].now);
		table_row(&parts);
	}
	table_print(&parts, width, out);
	table_line(&figures, "figure", "was", "is");
	for (int i = 0; i < MACHINE_KEY_COUNT; i++) {
		if (!calibration->measured[i])
			continue;
		table_cell(&figures, "%s", machine_key(i, NULL, NULL));
		put_number(&figures, before, i);
		put_number(&figures, &calibration->machine, i);
		table_row(&figures);
	}
	table_print(&figures, width, out);
}

/* Appends the value with 9 significant digits (bytes: whole), unlike number_text. */
static void file_number(double value, enum unit unit, struct text *out)
{
	static const struct {
		const char *digits;
		double size;
	} shown[] = {[UNIT_PLAIN] = {"%.9g", 1},
	        [UNIT_TIME] = {"%.9g us", 1e3},
	        [UNIT_BYTES] = {"%.0f B", 1},
	        [UNIT_BYTE_RATE] = {"%.9g MB/s", 1e6},
	        [UNIT_FLOP_RATE] = {"%.9g MFLOP/s", 1e6}};
	text_add(out, shown[unit].digits, value / shown[unit].size);
}

/* Figures that were not measured keep their source as the comment. */
void calibration_file(const struct calibration *calibration, struct text *out)
{
	const struct machine *machine = &calibration->machine;
	text_add(out, CALIBRATION_BEGINS);
	if (machine->here) /* without machine_here's note about another machine's figures */
		text_add(out, "title = %.*s\nhere = yes\n\n", (int)strcspn(machine->title, ";"),
		        machine->title);
	else
		text_add(out, "title = %s\n\n", machine->title);
	for (int i = 0; i < MACHINE_KEY_COUNT; i++) {
		enum unit unit;
		text_add(out, "%s = ", machine_key(i, NULL, &unit));
		file_number(machine_value(machine, i), unit, out);
		if (calibration->measured[i])
			text_add(out, "   # measured: %d operations\n", calibration->measured[i]);
		else
			text_add(out, "   # %s\n", machine->source[i]);
	}
}
