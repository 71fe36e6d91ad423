/* plot.c -- curves over virtual time, as characters and as SVG
 *
 *     loss
 *      2 |o
 *        | oo                     rows of cells: a curve's sign is at its value of that time
 *      1 |   ooooo
 *        +----------
 *        0    5   10 ms           ticks at multiples of 1, 2 or 5 times a power of ten */
#include "trace/export.h"
#include "trace/plot.h"
#include "trace/trace.h"

#include <math.h>
#include <stdio.h>

enum { ROWS = 16, LABEL = 9, SIGNS = 8 };
static const char *const signs[SIGNS] = {"o", "+", "x", "*", "#", "%", "@", "="};
static const enum colour colours[SIGNS] = {COLOUR_KERNEL, COLOUR_COMM, COLOUR_GOOD, COLOUR_COPY,
        COLOUR_OPTIMIZER, COLOUR_BAD, COLOUR_WEIGHT, COLOUR_HOSTWORK};
static const char *const paints[SIGNS] = {
        "#3a7bd5", "#c0479b", "#3c8d40", "#b8860b", "#d2691e", "#c0392b", "#6b8e23", "#555555"};

struct scale {
	double least, most, value_step;
	double time, unit, time_step; /* at the right edge, in `unit`s of ns */
	const char *unit_name;
};

double nice_step(double range, int steps)
{
	static const double parts[] = {1, 2, 5, 10};
	double step = pow(10, floor(log10(range / steps))), size = step;
	for (int i = 0; i < 4 && range / size > steps; i++)
		size = step * parts[i];
	return size;
}

static struct scale scale_of(const struct curve *curves, size_t count, int time_steps)
{
	static const struct {
		double ns;
		const char *name;
	} units[] = {{1e9, "s"}, {1e6, "ms"}, {1e3, "us"}, {1, "ns"}};
	struct scale s = {.least = INFINITY, .most = -INFINITY};
	int64_t last = 1;
	for (size_t c = 0; c < count; c++)
		for (size_t i = 0; i < curves[c].count; i++) {
			const struct curve_point *point = &curves[c].point[i];
			if (!isfinite(point->value))
				continue;
			s.least = fmin(s.least, point->value);
			s.most = fmax(s.most, point->value);
			last = point->time > last ? point->time : last;
		}
	if (!isfinite(s.least))
		s.least = s.most = 0;
	if (s.most - s.least < 1e-12 * fabs(s.most) || s.most == s.least) {
		double around = s.most == 0 ? 1 : fabs(s.most) / 10;
		s.least -= around;
		s.most += around;
	}
	s.value_step = nice_step(s.most - s.least, 4);
	int k = 0;
	while (k < 3 && last < 2 * units[k].ns)
		k++;
	s.unit = units[k].ns;
	s.unit_name = units[k].name;
	s.time = last / s.unit;
	s.time_step = nice_step(s.time, time_steps);
	return s;
}

static double value_tick(const struct scale *s, int k)
{
	double value = (ceil(s->least / s->value_step - 1e-9) + k) * s->value_step;
	return fabs(value) < s->value_step / 2 ? 0 : value;
}

static int row_of(const struct scale *s, double value)
{
	return 1 + (int)lround((s->most - value) / (s->most - s->least) * (ROWS - 1));
}

static void draw_axes(const struct scale *s, const char *what, int cells, struct picture *picture)
{
	char text[32];
	picture_write(picture, 0, 0, LABEL, COLOUR_NOTE, what);
	for (int row = 1; row <= ROWS; row++)
		picture_write(picture, row, LABEL, 1, COLOUR_NOTE, "|");
	for (int k = 0; value_tick(s, k) <= s->most + 1e-9 * s->value_step; k++) {
		snprintf(text, sizeof text, "%*.4g", LABEL - 1, value_tick(s, k));
		picture_write(picture, row_of(s, value_tick(s, k)), 0, LABEL, COLOUR_NOTE, text);
	}
	for (int i = 0; i <= cells; i++)
		picture_write(picture, ROWS + 1, LABEL + i, 1, COLOUR_NOTE, i ? "-" : "+");
	for (double tick = 0; tick <= s->time * (1 + 1e-9); tick += s->time_step) {
		bool last = tick + s->time_step > s->time * (1 + 1e-9);
		int column = LABEL + (int)lround(tick / s->time * cells);
		snprintf(text, sizeof text, last ? "%g %s" : "%g", tick, s->unit_name);
		picture_write(picture, ROWS + 1, column, 1, COLOUR_NOTE, "+");
		picture_write(picture, ROWS + 2, column, 12, COLOUR_NOTE, text);
	}
}

static void draw_curve(
        const struct scale *s, const struct curve *curve, int number, int cells, struct picture *picture)
{
	size_t next = 0;
	for (int i = 1; i <= cells; i++) {
		double until = s->time * s->unit * i / cells;
		bool begun = next > 0, ended = next == curve->count;
		while (next < curve->count && curve->point[next].time <= until)
			next++;
		if ((begun && ended) || !next || !isfinite(curve->point[next - 1].value))
			continue;
		picture_write(picture, row_of(s, curve->point[next - 1].value), LABEL + i, 1,
		        colours[number % SIGNS], signs[number % SIGNS]);
	}
}

void plot_picture(
        const struct curve *curves, size_t count, const char *what, int width, struct picture *picture)
{
	int most = width < 40 ? 40 : width > 110 ? 110 : width, cells = most - LABEL - 8;
	struct scale s = scale_of(curves, count, cells / 12);
	char text[80];
	picture_make(picture, most, ROWS + 3 + (int)count);
	draw_axes(&s, what, cells, picture);
	for (size_t c = 0; c < count; c++)
		draw_curve(&s, &curves[c], (int)c, cells, picture);
	for (size_t c = 0; c < count; c++) {
		const struct curve_point *last = &curves[c].point[curves[c].count - 1];
		int row = ROWS + 3 + (int)c;
		int figures = snprintf(text, sizeof text, ": %.4g at %.4g %s", last->value,
		        last->time / s.unit, s.unit_name);
		int room = most - LABEL - 2 - figures, name = (int)text_columns(curves[c].name);
		name = name < room ? name : room; /* a long name is cut, not its last value */
		picture_write(picture, row, LABEL, 1, colours[c % SIGNS], signs[c % SIGNS]);
		picture_write(picture, row, LABEL + 2, name, COLOUR_PLAIN, curves[c].name);
		picture_write(picture, row, LABEL + 2 + name, figures, COLOUR_PLAIN, text);
	}
}

enum { LEFT = 70, TOP = 30, RIGHT = 620, BOTTOM = 340, LINE = 18 };

static double x_of(const struct scale *s, double ns)
{
	return LEFT + ns / s->unit / s->time * (RIGHT - LEFT);
}

static double y_of(const struct scale *s, double value)
{
	return TOP + (s->most - value) / (s->most - s->least) * (BOTTOM - TOP);
}

static void svg_axes(const struct scale *s, const char *what, struct text *out)
{
	text_add(out, "<path d=\"M%d %dV%dH%d\" fill=\"none\" stroke=\"#333\"/>\n", LEFT, TOP, BOTTOM, RIGHT);
	text_add(out, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%s</text>\n", LEFT, TOP - 12, what);
	for (int k = 0; value_tick(s, k) <= s->most + 1e-9 * s->value_step; k++) {
		double value = value_tick(s, k);
		text_add(out,
		        "<path d=\"M%d %.1fH%d\" stroke=\"#ddd\"/><text x=\"%d\" y=\"%.1f\" "
		        "text-anchor=\"end\">%.4g</text>\n",
		        LEFT, y_of(s, value), RIGHT, LEFT - 6, y_of(s, value) + 4, value);
	}
	for (double tick = 0; tick <= s->time * (1 + 1e-9); tick += s->time_step)
		text_add(out, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%g</text>\n",
		        x_of(s, tick * s->unit), BOTTOM + LINE, tick);
	text_add(out, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">time, %s</text>\n", RIGHT,
	        BOTTOM + 2 * LINE, s->unit_name);
}

void plot_svg(const struct curve *curves, size_t count, const char *what, struct text *out)
{
	struct scale s = scale_of(curves, count, 8);
	int height = BOTTOM + (3 + (int)count) * LINE;
	text_add(out,
	        PLOT_SVG_BEGINS
	        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 640 %d\" font-family=\"sans-serif\" "
	        "font-size=\"12\">\n<rect width=\"640\" height=\"%d\" fill=\"white\"/>\n",
	        height, height);
	svg_axes(&s, what, out);
	for (size_t c = 0; c < count; c++) {
		const char *sign = "M";
		text_add(out, "<path fill=\"none\" stroke-width=\"1.5\" stroke=\"%s\" d=\"",
		        paints[c % SIGNS]);
		for (size_t i = 0; i < curves[c].count; i++) {
			const struct curve_point *point = &curves[c].point[i];
			if (!isfinite(point->value))
				continue;
			text_add(out, "%s%.1f %.1f", sign, x_of(&s, point->time), y_of(&s, point->value));
			sign = "L";
		}
		text_add(out, "\"/>\n<text x=\"%d\" y=\"%d\" fill=\"%s\">", LEFT,
		        BOTTOM + (3 + (int)c) * LINE, paints[c % SIGNS]);
		export_xml(out, curves[c].name);
		text_add(out, "</text>\n");
	}
	text_add(out, "</svg>\n");
}
