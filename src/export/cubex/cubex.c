/* SPDX-License-Identifier: BSD-3-Clause */
/* The report as a Cube 4 file (.cubex): a tar archive with anchor.xml and, for each metric, an
 * index of the call paths with values and one row for each of these, with one value for each
 * location. The format is read by CubeGUI, Scalasca's tools, TAU's ParaProf, Hatchet, pyCubexR. */
#include "export/cubex/cubex_anchor.h"
#include "export/cubex/tar.h"
#include "export/export.h"

#include <stdlib.h>
#include <string.h>

#define TAR_BLOCK 512

/* The reader of Cube expects an empty block after a member that fills its last block; POSIX tar has
 * none. One more byte, which all readers ignore, avoids such members. */
static size_t padded(size_t size)
{
    return size % TAR_BLOCK == 0 ? size + 1 : size;
}

struct output {
    struct fm_tar tar;
    struct fm_error *error;
};

static fm_status_t done(const struct output *output, bool written)
{
    return written ? FM_OK
                   : fm_fail(output->error, FM_ERR_SYSTEM, "cannot write the Cube file: %m");
}

static fm_status_t begin_member(struct output *output, const char *name, size_t size)
{
    return done(output, fm_tar_begin(&output->tar, name, padded(size)));
}

static fm_status_t put(struct output *output, const void *bytes, size_t size)
{
    return done(output, fm_tar_put(&output->tar, bytes, size));
}

static fm_status_t end_member(struct output *output, size_t size, char filler)
{
    fm_status_t status = padded(size) == size ? FM_OK : put(output, &filler, 1);
    return status == FM_OK ? done(output, fm_tar_end_member(&output->tar)) : status;
}

static fm_status_t put_member(struct output *output, const char *name, const char *bytes,
                              size_t size, char filler)
{
    fm_status_t status = begin_member(output, name, size);
    status = status == FM_OK ? put(output, bytes, size) : status;
    return status == FM_OK ? end_member(output, size, filler) : status;
}

/* The cells of a metric and of all metrics below it: one sequence for each, by call path. */
struct metric_cells {
    fm_metric_t metric;
    unsigned run_count;
    const struct fm_cube_cell *runs[FM_METRIC_COUNT];
    size_t counts[FM_METRIC_COUNT];
};

static void collect_cells(struct metric_cells *cells, const struct fm_cube *cube,
                          fm_metric_t metric)
{
    cells->metric = metric;
    cells->run_count = 0;
    for (unsigned i = metric; i < fm_metric_end(); i++) {
        size_t count = 0;
        const struct fm_cube_cell *run = fm_cube_metric_cells(cube, (fm_metric_t)i, &count);
        if (count != 0 && fm_metric_is_within((fm_metric_t)i, metric)) {
            cells->runs[cells->run_count] = run;
            cells->counts[cells->run_count++] = count;
        }
    }
}

/* @return the first cell of the sequence whose call path is not below `callpath` */
static size_t lower_bound(const struct fm_cube_cell *run, size_t count, uint32_t callpath)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (run[middle].callpath < callpath) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* Adds up the row of a call path. @return whether the row has any cell; `row` may be NULL */
static bool make_row(const struct metric_cells *cells, uint32_t callpath, int64_t *row)
{
    bool found = false;
    for (unsigned r = 0; r < cells->run_count; r++) {
        const struct fm_cube_cell *run = cells->runs[r];
        for (size_t i = lower_bound(run, cells->counts[r], callpath);
             i < cells->counts[r] && run[i].callpath == callpath; i++) {
            found = true;
            if (row == NULL) {
                return true;
            }
            row[run[i].location] += run[i].value;
        }
    }
    return found;
}

static void put_bytes(char **end, const void *bytes, size_t size)
{
    memcpy(*end, bytes, size);
    *end += size;
}

static fm_status_t put_index(struct output *output, fm_metric_t metric, const uint32_t *rows,
                             uint32_t count)
{
    static const char magic[] = "CUBEX.INDEX";
    const uint32_t endianness = 1;
    const uint16_t version = 0;
    const uint8_t sparse = 1;
    size_t size = sizeof magic - 1 + sizeof endianness + sizeof version + sizeof sparse +
                  sizeof count + count * sizeof *rows;
    char *index = malloc(size), *end = index, name[32];
    if (index == NULL) {
        return fm_fail(output->error, FM_ERR_SYSTEM, "out of memory for the Cube file");
    }
    put_bytes(&end, magic, sizeof magic - 1);
    put_bytes(&end, &endianness, sizeof endianness);
    put_bytes(&end, &version, sizeof version);
    put_bytes(&end, &sparse, sizeof sparse);
    put_bytes(&end, &count, sizeof count);
    put_bytes(&end, rows, count * sizeof *rows);
    snprintf(name, sizeof name, "%u.index", (unsigned)metric);
    fm_status_t status = put_member(output, name, index, size, '\0');
    free(index);
    return status;
}

static fm_status_t put_data(struct output *output, const struct fm_cube *cube,
                            const struct fm_call_tree *tree, const struct metric_cells *cells,
                            const uint32_t *rows, uint32_t count)
{
    static const char magic[] = "CUBEX.DATA";
    size_t width = cube->location_count, size = sizeof magic - 1 + count * width * sizeof(double);
    bool integer = fm_cubex_is_integer(cube, cells->metric);
    int64_t *sums = calloc(width + 1, sizeof *sums);
    double *values = calloc(width + 1, sizeof *values);
    char name[32];
    snprintf(name, sizeof name, "%u.data", (unsigned)cells->metric);
    fm_status_t status = sums == NULL || values == NULL
                             ? fm_fail(output->error, FM_ERR_SYSTEM, "out of memory")
                             : begin_member(output, name, size);
    if (status == FM_OK) {
        status = put(output, magic, sizeof magic - 1);
    }
    for (uint32_t i = 0; i < count && status == FM_OK; i++) {
        memset(sums, 0, width * sizeof *sums);
        make_row(cells, tree->order[rows[i]], sums);
        for (size_t l = 0; l < width && !integer; l++) {
            values[l] = fm_cube_scaled(cube, cells->metric, sums[l]);
        }
        status = put(output, integer ? (void *)sums : values, width * sizeof(double));
    }
    if (status == FM_OK) {
        status = end_member(output, size, '\0');
    }
    free(sums);
    free(values);
    return status;
}

/* Writes the members of a metric; a metric without values has none. */
static fm_status_t put_metric(struct output *output, const struct fm_cube *cube,
                              const struct fm_call_tree *tree, fm_metric_t metric)
{
    struct metric_cells cells;
    collect_cells(&cells, cube, metric);
    if (cells.run_count == 0) {
        return FM_OK;
    }
    uint32_t *rows = calloc(tree->count + (size_t)1, sizeof *rows), count = 0;
    if (rows == NULL) {
        return fm_fail(output->error, FM_ERR_SYSTEM, "out of memory for the Cube file");
    }
    for (uint32_t i = 0; i < tree->count; i++) {
        if (make_row(&cells, tree->order[i], NULL)) {
            rows[count++] = i;
        }
    }
    fm_status_t status = put_data(output, cube, tree, &cells, rows, count);
    if (status == FM_OK) {
        status = put_index(output, metric, rows, count);
    }
    free(rows);
    return status;
}

static fm_status_t put_anchor(struct output *output, const struct fm_cube *cube,
                              const struct fm_call_tree *tree)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    if (stream == NULL) {
        return fm_fail(output->error, FM_ERR_SYSTEM, "out of memory for the Cube file");
    }
    fm_status_t status = fm_cubex_write_anchor(cube, tree, stream, output->error);
    if (fclose(stream) != 0 && status == FM_OK) {
        status = fm_fail(output->error, FM_ERR_SYSTEM, "out of memory for the Cube file");
    }
    if (status == FM_OK) {
        status = put_member(output, "anchor.xml", text, size, '\n');
    }
    free(text);
    return status;
}

static fm_status_t put_members(struct output *output, const struct fm_cube *cube)
{
    struct fm_call_tree tree;
    fm_status_t status = fm_call_tree_make(&tree, cube, output->error);
    if (status != FM_OK) {
        return status;
    }
    for (unsigned m = 0; m < fm_metric_end() && status == FM_OK; m++) {
        status = put_metric(output, cube, &tree, (fm_metric_t)m);
    }
    if (status == FM_OK) {
        status = put_anchor(output, cube, &tree);
    }
    fm_call_tree_release(&tree);
    return status;
}

static fm_status_t write_cubex(const struct fm_export_request *request, FILE *stream,
                               struct fm_error *error)
{
    if (request->cube->callpath_count == 0 || request->cube->location_count == 0) {
        return fm_fail(error, FM_ERR_DATA,
                       "a Cube file needs at least one call path and one location: the report has "
                       "none");
    }
    struct output output = {{.stream = stream}, error};
    fm_status_t status = put_members(&output, request->cube);
    return status == FM_OK ? done(&output, fm_tar_end(&output.tar)) : status;
}

const struct fm_export_format fm_export_cubex = {
    .name = "cubex",
    .file = "report.cubex",
    .summary = "Cube 4: CubeGUI, Scalasca, ParaProf, Hatchet",
    .write = write_cubex,
};
