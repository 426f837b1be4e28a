/* SPDX-License-Identifier: BSD-3-Clause */
/* Matrices of pairs of ranks: messages, one-sided operations, delays. */
#include "base/memory.h"
#include "diagnosis/number_format.h"
#include "diagnosis/place.h"
#include "diagnosis/uncertainty.h"
#include "report/report.h"

#include <stdlib.h>
#include <string.h>

#define LABEL_COLUMNS  12
#define NUMBER_COLUMNS 11
#define LARGEST_MAP    64

/** A matrix of groups of ranks. */
struct rank_matrix {
    const struct fm_report *report;
    enum fm_cube_matrix_kind kind;
    uint32_t ranks;    /**< number of ranks of the run */
    uint32_t per_cell; /**< number of ranks in a row or column */
    uint32_t cells;    /**< number of rows and of columns */
    uint64_t *amounts; /**< [row][column] */
    uint64_t largest;  /**< largest amount */
    uint64_t count, total, pairs;
    int64_t error; /**< of `total`; 0: not known, or no time */
};

static bool is_selected(const struct fm_report *report, const struct fm_cube_link *link)
{
    fm_metric_t metric = report->options->selection.metric;
    return metric == FM_METRIC_NONE || fm_metric_is_within((fm_metric_t)link->metric, metric);
}

static char *format_amount(char buffer[FM_FORMAT_SIZE], const struct rank_matrix *matrix,
                           uint64_t amount)
{
    fm_unit_t unit = fm_cube_matrix_is_time(matrix->kind) ? FM_UNIT_TICKS : FM_UNIT_BYTES;
    return fm_format_value(buffer, matrix->report->diagnosis.cube, unit, (int64_t)amount);
}

/** Adds up the links; each row and column stands for `per_cell` ranks. */
static void fill(struct rank_matrix *matrix)
{
    const struct fm_cube *cube = matrix->report->diagnosis.cube;
    const struct fm_cube_matrix *links = &cube->matrices[matrix->kind];
    const struct fm_cube_link *last = NULL;
    for (size_t i = 0; i < links->link_count; i++) {
        const struct fm_cube_link *link = &links->links[i];
        if (!is_selected(matrix->report, link))
            continue;
        uint32_t row = cube->locations[link->from].rank / matrix->per_cell;
        uint32_t column = cube->locations[link->to].rank / matrix->per_cell;
        uint64_t *amount = &matrix->amounts[(size_t)row * matrix->cells + column];
        *amount += link->amount;
        if (*amount > matrix->largest)
            matrix->largest = *amount;
        matrix->count += link->count;
        matrix->total += link->amount;
        matrix->error += fm_error_of_link(cube, matrix->kind, link);
        matrix->pairs += last == NULL || last->from != link->from || last->to != link->to;
        last = link;
    }
}

/** Writes the label of a row: its rank, or its first and last rank. */
static void print_label(const struct rank_matrix *matrix, uint32_t row)
{
    uint32_t first = row * matrix->per_cell;
    uint32_t last = first + matrix->per_cell - 1;
    last = last < matrix->ranks ? last : matrix->ranks - 1;
    char label[32];
    first += matrix->report->diagnosis.process.first;
    last += matrix->report->diagnosis.process.first;
    if (first == last)
        snprintf(label, sizeof label, "%u", first);
    else
        snprintf(label, sizeof label, "%u-%u", first, last);
    fprintf(matrix->report->terminal->stream, "%*s ", LABEL_COLUMNS - 1, label);
}

static void print_numbers(const struct rank_matrix *matrix)
{
    FILE *stream = matrix->report->terminal->stream;
    fprintf(stream, "%*s", LABEL_COLUMNS, "");
    for (uint32_t column = 0; column < matrix->cells; column++)
        fprintf(stream, "%*u", NUMBER_COLUMNS, column + matrix->report->diagnosis.process.first);
    putc('\n', stream);
    for (uint32_t row = 0; row < matrix->cells; row++) {
        print_label(matrix, row);
        for (uint32_t column = 0; column < matrix->cells; column++) {
            char number[FM_FORMAT_SIZE];
            uint64_t amount = matrix->amounts[(size_t)row * matrix->cells + column];
            fprintf(stream, "%*s", NUMBER_COLUMNS,
                    amount == 0 ? "-" : format_amount(number, matrix, amount));
        }
        putc('\n', stream);
    }
}

static void print_map(const struct rank_matrix *matrix)
{
    static const char *const shades[2][5] = {
        {" ", ".", ":", "*", "#"},
        {" ", "\xe2\x96\x91", "\xe2\x96\x92", "\xe2\x96\x93", "\xe2\x96\x88"},
    };
    const struct fm_terminal *terminal = matrix->report->terminal;
    unsigned width = LABEL_COLUMNS + 2 * matrix->cells + 2 <= terminal->width ? 2 : 1;
    char numbers[FM_FORMAT_SIZE];
    fm_terminal_print(terminal, "", 2, "Columns are %s%s, as rows are; the darkest cell is %s:",
                      matrix->per_cell == 1 ? "" : "groups of ",
                      matrix->report->diagnosis.process.many,
                      format_amount(numbers, matrix, matrix->largest));
    for (uint32_t row = 0; row < matrix->cells; row++) {
        print_label(matrix, row);
        putc('|', terminal->stream);
        for (uint32_t column = 0; column < matrix->cells; column++) {
            uint64_t amount = matrix->amounts[(size_t)row * matrix->cells + column];
            /* A value other than 0 must not look like 0. */
            unsigned level =
                amount == 0 ? 0
                            : 1 + (unsigned)((double)amount / (double)matrix->largest * 3 + 0.5);
            for (unsigned i = 0; i < width; i++)
                fputs(shades[terminal->utf8][level], terminal->stream);
        }
        fputs("|\n", terminal->stream);
    }
}

static void print_totals(const struct rank_matrix *matrix)
{
    static const char *const titles[] = {
        [FM_MATRIX_MESSAGES] = "Messages, bytes from sender (row) to receiver (column)",
        [FM_MATRIX_OPERATIONS] =
            "One-sided operations, bytes between origin (row) and target (column)",
        [FM_MATRIX_DELAYS] = "Waiting: caused by (row), suffered by (column)",
        [FM_MATRIX_BLAME] = "Blame: waiting by who was working (row) while others (column) waited",
    };
    static const char *const nouns[] = {"messages", "operations", "wait states", "wait states"};
    const struct fm_cube_matrix *links = &matrix->report->diagnosis.cube->matrices[matrix->kind];
    const struct fm_terminal *terminal = matrix->report->terminal;
    char numbers[3][FM_FORMAT_SIZE], total[FM_UNCERTAIN_SIZE];
    fm_terminal_style(terminal, FM_STYLE_BOLD);
    fm_terminal_paragraph(terminal, "", 0, titles[matrix->kind]);
    fm_terminal_style(terminal, FM_STYLE_PLAIN);
    if (fm_cube_matrix_is_time(matrix->kind) &&
        matrix->report->options->selection.metric != FM_METRIC_NONE)
        fm_terminal_print(terminal, "", 2, "Only %s",
                          fm_metric_info(matrix->report->options->selection.metric)->name);
    if (matrix->count == 0 && fm_cube_matrix_is_time(matrix->kind) &&
        matrix->report->diagnosis.cube->is_profile) {
        fm_terminal_print(terminal, "", 2,
                          "Not known: the report has totals only, without a trace.");
        return;
    }
    if (matrix->count == 0) {
        fm_terminal_print(terminal, "", 2, "There are no %s.", nouns[matrix->kind]);
        return;
    }
    if (fm_cube_matrix_is_time(matrix->kind))
        fm_format_uncertain_time(total, &matrix->report->diagnosis, (int64_t)matrix->total,
                                 matrix->error, matrix->report->diagnosis.time);
    else
        snprintf(total, sizeof total, "%s", format_amount(numbers[1], matrix, matrix->total));
    fm_terminal_print(terminal, "", 2, "%s %s of %s between %s %s of threads",
                      fm_format_count(numbers[0], (int64_t)matrix->count), nouns[matrix->kind],
                      total, fm_format_count(numbers[2], (int64_t)matrix->pairs),
                      matrix->pairs == 1 ? "pair" : "pairs");
    if (links->omitted_links > 0)
        fm_terminal_print(terminal, "", 2,
                          "The report leaves out the %s pairs with the smallest amounts: %s %s "
                          "of %s in all",
                          fm_format_count(numbers[0], (int64_t)links->omitted_links),
                          fm_format_count(numbers[1], (int64_t)links->omitted_count),
                          nouns[matrix->kind],
                          format_amount(numbers[2], matrix, links->omitted_amount));
}

static int compare_amounts(const void *left, const void *right)
{
    const struct fm_cube_link *a = *(const struct fm_cube_link *const *)left;
    const struct fm_cube_link *b = *(const struct fm_cube_link *const *)right;
    if (a->amount != b->amount)
        return a->amount > b->amount ? -1 : 1;
    return (a > b) - (a < b); /* order of the report */
}

static void print_link(const struct rank_matrix *matrix, const struct fm_cube_link *link)
{
    char numbers[3][FM_FORMAT_SIZE], error[FM_UNCERTAIN_SIZE];
    char label[64];
    char *from = fm_place_location(&matrix->report->diagnosis, link->from);
    char *to = fm_place_location(&matrix->report->diagnosis, link->to);
    snprintf(label, sizeof label, "%11s%7s  ", format_amount(numbers[0], matrix, link->amount),
             fm_format_percent(numbers[1], (int64_t)link->amount, (int64_t)matrix->total));
    fm_format_count(numbers[2], (int64_t)link->count);
    if (link->metric == FM_METRIC_COMMS_SEND)
        fm_terminal_print(matrix->report->terminal, label, 20, "%s to %s: %s %s", from, to,
                          numbers[2], link->count == 1 ? "message" : "messages");
    else
        fm_terminal_print(
            matrix->report->terminal, label, 20, "%s to %s: %s (%s)%s", from, to,
            fm_metric_info((fm_metric_t)link->metric)->name, numbers[2],
            fm_format_error(error, &matrix->report->diagnosis, ", ",
                            fm_error_of_link(matrix->report->diagnosis.cube, matrix->kind, link),
                            (int64_t)matrix->total));
    free(to);
    free(from);
}

static void print_largest(const struct rank_matrix *matrix)
{
    const struct fm_cube_matrix *links = &matrix->report->diagnosis.cube->matrices[matrix->kind];
    const struct fm_cube_link **sorted = fm_allocate(links->link_count, sizeof *sorted);
    size_t count = 0;
    for (size_t i = 0; i < links->link_count; i++) {
        if (is_selected(matrix->report, &links->links[i]))
            sorted[count++] = &links->links[i];
    }
    if (count > 1)
        qsort(sorted, count, sizeof *sorted, compare_amounts);
    size_t shown = count < matrix->report->options->top ? count : matrix->report->options->top;
    fm_terminal_heading(matrix->report->terminal, "Most");
    for (size_t i = 0; i < shown; i++)
        print_link(matrix, sorted[i]);
    if (shown < count)
        fm_terminal_print(matrix->report->terminal, "", 2, "%zu more (--top N shows more)",
                          count - shown);
    fm_free(sorted);
}

void fm_report_matrix(const struct fm_report *report)
{
    const struct fm_cube *cube = report->diagnosis.cube;
    struct rank_matrix matrix = {.report = report, .kind = report->options->matrix};
    matrix.ranks =
        cube->location_count == 0 ? 0 : cube->locations[cube->location_count - 1].rank + 1;
    unsigned room = report->terminal->width - LABEL_COLUMNS;
    bool as_numbers = matrix.ranks <= room / NUMBER_COLUMNS;
    unsigned columns = room - 2 < LARGEST_MAP ? room - 2 : LARGEST_MAP;
    matrix.per_cell =
        as_numbers || matrix.ranks <= columns ? 1 : (matrix.ranks + columns - 1) / columns;
    matrix.cells = (matrix.ranks + matrix.per_cell - 1) / matrix.per_cell;
    matrix.amounts = fm_allocate((size_t)matrix.cells * matrix.cells, sizeof *matrix.amounts);
    fill(&matrix);
    print_totals(&matrix);
    if (matrix.count > 0 && as_numbers)
        print_numbers(&matrix);
    else if (matrix.count > 0 && matrix.largest > 0)
        print_map(&matrix);
    if (matrix.count > 0)
        print_largest(&matrix);
    fm_free(matrix.amounts);
}
