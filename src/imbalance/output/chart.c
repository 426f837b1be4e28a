/* SPDX-License-Identifier: BSD-3-Clause */
#include "imbalance/output/chart.h"

#include "base/memory.h"
#include "base/text.h"

#include <math.h>
#include <string.h>

enum { WIDTH = 720, HEIGHT = 340, LEFT = 76, RIGHT = 16, TOP = 58, BOTTOM = 46 };

/* The colours of web/src/styles/base.css. */
static const char style[] =
    "<style>.c{font:12px Inter,system-ui,'Segoe UI',Roboto,sans-serif;fill:#646a73}"
    ".t{font-size:14px;font-weight:600;fill:#1c1f24}.p{fill:#fff}"
    ".h{fill:#1c1f24;stroke:#fff;stroke-width:4px;paint-order:stroke}.g{stroke:#e2e2dc}"
    ".a{stroke:#646a73}.m{stroke-dasharray:5 4;stroke:#646a73}"
    ".f0{fill:#1c1f24}.f1{fill:#3f7fbf}.f2{fill:#d1491b}.f3{fill:#128a72}.f4{fill:#7a3fa0}"
    ".f5{fill:#a9b8c6}"
    ".l{fill:none;stroke-width:2}.s0{stroke:#1c1f24}.s1{stroke:#3f7fbf}.s2{stroke:#d1491b}"
    ".s3{stroke:#128a72}.s4{stroke:#7a3fa0}.s5{stroke:#a9b8c6}"
    "@media(prefers-color-scheme:dark){.c{fill:#9aa1aa}.t{fill:#e6e7e9}.p{fill:#1c1f23}"
    ".h{fill:#e6e7e9;stroke:#1c1f23}"
    ".g{stroke:#31363c}.a,.m{stroke:#9aa1aa}.f0{fill:#e6e7e9}.s0{stroke:#e6e7e9}"
    ".f1{fill:#4f93d6}.s1{stroke:#4f93d6}.f2{fill:#f0703c}.s2{stroke:#f0703c}"
    ".f3{fill:#35c3a3}.s3{stroke:#35c3a3}.f4{fill:#bd8be0}.s4{stroke:#bd8be0}"
    ".f5{fill:#56636f}.s5{stroke:#56636f}}</style>";

/* An axis: its values, its ends on the picture, the distance of its ticks. */
struct axis {
    double low, high, begin, end, step;
};

static double place(const struct axis *axis, double value)
{
    return axis->begin + (value - axis->low) / (axis->high - axis->low) * (axis->end - axis->begin);
}

/* A distance of 1, 2 or 5 times a power of ten that makes about `wanted` ticks. */
static double nice_step(double span, double wanted)
{
    const double raw = span / wanted, power = pow(10, floor(log10(raw)));
    const double factor = raw / power;
    return power * (factor <= 1 ? 1 : factor <= 2 ? 2 : factor <= 5 ? 5 : 10);
}

static struct axis make_axis(double low, double high, double begin, double end, double wanted)
{
    if (!(high > low)) {
        high = low + (low == 0 ? 1 : fabs(low));
    }
    struct axis axis = {.begin = begin, .end = end, .step = nice_step(high - low, wanted)};
    axis.low = floor(low / axis.step + 1e-9) * axis.step;
    axis.high = ceil(high / axis.step - 1e-9) * axis.step;
    return axis;
}

static void grow(double value, double *low, double *high)
{
    if (isfinite(value)) {
        *low = fmin(*low, value);
        *high = fmax(*high, value);
    }
}

static struct axis y_axis(const struct fm_chart *chart)
{
    double low = chart->has_low ? chart->low : 0, high = low;
    for (size_t s = 0; s < chart->series_count; s++) {
        for (size_t i = 0; i < chart->count; i++) {
            grow(chart->series[s].values[i], &low, &high);
        }
    }
    for (size_t m = 0; m < chart->mark_count; m++) {
        grow(chart->marks[m].value, &low, &high);
    }
    return make_axis(low, high, HEIGHT - BOTTOM, TOP, 5);
}

static double x_of(const struct fm_chart *chart, size_t i)
{
    return chart->x != NULL ? chart->x[i] : (double)i;
}

static struct axis x_axis(const struct fm_chart *chart)
{
    if (!chart->is_line) { /* each group has a place of width 1 */
        return (struct axis){0, (double)chart->count, LEFT, WIDTH - RIGHT, 1};
    }
    double low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < chart->count; i++) {
        grow(x_of(chart, i), &low, &high);
    }
    return isfinite(low) ? make_axis(low, high, LEFT, WIDTH - RIGHT, 8)
                         : (struct axis){0, 1, LEFT, WIDTH - RIGHT, 1};
}

static void put_text(FILE *stream, double x, double y, const char *anchor, const char *class,
                     const char *text)
{
    fprintf(stream, "<text class=\"c%s\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">", class, x, y,
            anchor);
    fm_text_write_xml(stream, text);
    fputs("</text>", stream);
}

static void put_line(FILE *stream, const char *class, double x1, double y1, double x2, double y2)
{
    fprintf(stream, "<line class=\"%s\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>", class,
            x1, y1, x2, y2);
}

static void put_number(FILE *stream, double x, double y, const char *anchor, double number)
{
    char text[32];
    snprintf(text, sizeof text, "%.12g", fabs(number) < 1e-12 ? 0 : number);
    put_text(stream, x, y, anchor, "", text);
}

static void put_axes(const struct fm_chart *chart, const struct axis *x, const struct axis *y,
                     FILE *stream)
{
    for (int i = 0; y->low + i * y->step <= y->high + y->step / 2; i++) {
        const double value = y->low + i * y->step, at = place(y, value);
        put_line(stream, fabs(value) < y->step * 1e-9 ? "a" : "g", LEFT, at, WIDTH - RIGHT, at);
        put_number(stream, LEFT - 8, at + 4, "end", value);
    }
    const double below = HEIGHT - BOTTOM + 16;
    if (chart->is_line) {
        for (int i = 0; x->low + i * x->step <= x->high + x->step / 2; i++) {
            put_number(stream, place(x, x->low + i * x->step), below, "middle",
                       x->low + i * x->step);
        }
    } else {
        size_t every = chart->labels != NULL ? 1 : (size_t)nice_step((double)chart->count, 12);
        every = every == 0 ? 1 : every;
        for (size_t i = 0; i < chart->count; i += every) {
            const double at = place(x, (double)i + 0.5);
            if (chart->labels != NULL) {
                put_text(stream, at, below, "middle", "", chart->labels[i]);
            } else {
                put_number(stream, at, below, "middle", (double)i);
            }
        }
    }
    put_text(stream, (LEFT + WIDTH - RIGHT) / 2.0, HEIGHT - 8, "middle", "", chart->x_label);
    fprintf(stream, "<g transform=\"translate(14 %.1f) rotate(-90)\">",
            (TOP + HEIGHT - BOTTOM) / 2.0);
    put_text(stream, 0, 0, "middle", "", chart->y_label);
    fputs("</g>", stream);
}

static void put_bars(const struct fm_chart *chart, const struct axis *x, const struct axis *y,
                     FILE *stream)
{
    const double width = (place(x, 1) - place(x, 0)) * 0.84 / (double)chart->series_count;
    const double base = place(y, y->low > 0 ? y->low : 0);
    for (size_t s = 0; s < chart->series_count; s++) {
        for (size_t i = 0; i < chart->count; i++) {
            const double value = chart->series[s].values[i];
            if (!isfinite(value)) {
                continue;
            }
            const double top = place(y, value < y->low ? y->low : value);
            fprintf(stream,
                    "<rect class=\"f%d\" x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\"/>",
                    (int)chart->series[s].colour, place(x, (double)i + 0.08) + (double)s * width,
                    fmin(top, base), width, fabs(top - base));
        }
    }
}

static void put_lines(const struct fm_chart *chart, const struct axis *x, const struct axis *y,
                      FILE *stream)
{
    for (size_t s = 0; s < chart->series_count; s++) {
        const int colour = (int)chart->series[s].colour;
        fprintf(stream, "<polyline class=\"l s%d\" points=\"", colour);
        for (size_t i = 0; i < chart->count; i++) {
            if (isfinite(chart->series[s].values[i]) && isfinite(x_of(chart, i))) {
                fprintf(stream, "%.1f,%.1f ", place(x, x_of(chart, i)),
                        place(y, chart->series[s].values[i]));
            }
        }
        fputs("\"/>", stream);
        for (size_t i = 0; i < chart->count && chart->count <= 64; i++) {
            if (isfinite(chart->series[s].values[i]) && isfinite(x_of(chart, i))) {
                fprintf(stream, "<circle class=\"f%d\" cx=\"%.1f\" cy=\"%.1f\" r=\"3\"/>", colour,
                        place(x, x_of(chart, i)), place(y, chart->series[s].values[i]));
            }
        }
    }
}

static void put_legend(const struct fm_chart *chart, const struct axis *y, FILE *stream)
{
    double at = LEFT;
    for (size_t s = 0; s < chart->series_count; s++) {
        fprintf(stream, "<rect class=\"f%d\" x=\"%.1f\" y=\"32\" width=\"10\" height=\"10\"/>",
                (int)chart->series[s].colour, at);
        put_text(stream, at + 15, 41, "start", "", chart->series[s].name);
        at += 34 + 6.4 * (double)strlen(chart->series[s].name);
    }
    for (size_t m = 0; m < chart->mark_count; m++) {
        if (isfinite(chart->marks[m].value)) {
            const double height = place(y, chart->marks[m].value);
            put_line(stream, "m", LEFT, height, WIDTH - RIGHT, height);
            put_text(stream, WIDTH - RIGHT, height - 4, "end", " h", chart->marks[m].name);
        }
    }
}

void fm_chart_write(const struct fm_chart *chart, FILE *stream)
{
    const struct axis x = x_axis(chart), y = y_axis(chart);
    fprintf(stream,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d "
            "%d\" role=\"img\"><title>",
            WIDTH, HEIGHT, WIDTH, HEIGHT);
    fm_text_write_xml(stream, chart->title);
    fprintf(stream, "</title>%s<rect class=\"p\" width=\"%d\" height=\"%d\"/>", style, WIDTH,
            HEIGHT);
    put_text(stream, LEFT, 20, "start", " t", chart->title);
    put_axes(chart, &x, &y, stream);
    if (chart->is_line) {
        put_lines(chart, &x, &y, stream);
    } else {
        put_bars(chart, &x, &y, stream);
    }
    put_legend(chart, &y, stream);
    fputs("</svg>\n", stream);
}
