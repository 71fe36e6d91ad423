/* plot.h -- curves over virtual time, as characters or as a picture for a page (SVG)
 *
 * A curve keeps each value until its next point. Values that are not finite are left out. */
#ifndef RANKSH_TRACE_PLOT_H
#define RANKSH_TRACE_PLOT_H

#include "base/text.h"
#include <stddef.h>
#include <stdint.h>

struct picture;
/* Returns the least of 1, 2 and 5 times a power of ten that divides the range into at most
 * `steps`. */
double nice_step(double range, int steps);
struct curve_point {
	int64_t time;
	double value;
};
struct curve {
	char *name;
	struct curve_point *point; /* by time */
	size_t count;
};

/* Requires at least one point in each curve. what: the axis label. width: columns. The caller
 * releases the picture (picture_release). */
void plot_picture(
        const struct curve *curves, size_t count, const char *what, int width, struct picture *picture);
/* Appends a picture that begins with PLOT_SVG_BEGINS. */
#define PLOT_SVG_BEGINS "<!-- written by ranksh: plot -->\n"
void plot_svg(const struct curve *curves, size_t count, const char *what, struct text *out);

#endif
