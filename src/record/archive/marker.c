/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/archive/marker.h"

#include "record/archive/archive.h"

#include <stdlib.h>

static struct {
    struct marker {
        uint64_t time;
        uint32_t thread, text;
    } * items;
    size_t count, capacity;
} noted;

bool fm_marker_note(uint32_t thread, uint64_t time, uint32_t text)
{
    if (noted.count == noted.capacity) {
        size_t capacity = noted.capacity != 0 ? 2 * noted.capacity : 64;
        struct marker *larger = realloc(noted.items, capacity * sizeof *larger);
        if (larger == NULL) {
            return false;
        }
        noted.items = larger;
        noted.capacity = capacity;
    }
    noted.items[noted.count++] = (struct marker){time, thread, text};
    return true;
}

bool fm_markers_define(struct fm_definitions *set, uint32_t rank,
                       uint64_t (*to_global)(const void *context, uint64_t time),
                       const void *context)
{
    bool good = true;
    for (size_t i = 0; i < noted.count; i++) {
        const struct marker *marker = &noted.items[i];
        uint64_t time = to_global(context, marker->time);
        const uint32_t words[] = {rank, marker->thread, (uint32_t)time, (uint32_t)(time >> 32),
                                  marker->text};
        if (marker->text < set->tables[FM_DEFINE_STRING].count) {
            good = fm_define(set, FM_DEFINE_MARKER, words, 5) != FM_DEFINE_NONE && good;
        }
    }
    free(noted.items);
    noted.items = NULL;
    noted.count = noted.capacity = 0;
    return good;
}

static uint64_t time_of(const uint32_t *words)
{
    return words[2] | (uint64_t)words[3] << 32;
}

static int compare_markers(const void *a, const void *b)
{
    const uint32_t *left = *(const uint32_t *const *)a, *right = *(const uint32_t *const *)b;
    if (time_of(left) != time_of(right)) {
        return time_of(left) < time_of(right) ? -1 : 1;
    }
    if (left[0] != right[0]) {
        return left[0] < right[0] ? -1 : 1;
    }
    return left[1] < right[1] ? -1 : left[1] > right[1];
}

void fm_markers_write(const struct fm_definitions *set)
{
    size_t count = set->tables[FM_DEFINE_MARKER].count;
    if (count == 0 || fm_archive_failure() != NULL) {
        return;
    }
    const uint32_t **sorted = malloc(count * sizeof *sorted);
    OTF2_MarkerWriter *writer = OTF2_Archive_GetMarkerWriter(fm_archive_handle());
    if (sorted == NULL || writer == NULL) {
        fm_archive_check(sorted == NULL ? OTF2_ERROR_MEM_ALLOC_FAILED
                                        : OTF2_ERROR_FILE_INTERACTION);
        free(sorted);
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        sorted[i] = fm_defined(set, FM_DEFINE_MARKER, i, NULL);
    }
    qsort(sorted, count, sizeof *sorted, compare_markers);
    fm_archive_check(
        OTF2_MarkerWriter_WriteDefMarker(writer, 0, "fermata", "marker", OTF2_SEVERITY_NONE));
    for (size_t i = 0; i < count && fm_archive_failure() == NULL; i++) {
        fm_archive_check(OTF2_MarkerWriter_WriteMarker(
            writer, time_of(sorted[i]), 0, 0, OTF2_MARKER_SCOPE_LOCATION,
            fm_archive_location(sorted[i][0], sorted[i][1]), fm_defined_string(set, sorted[i][4])));
    }
    if (fm_archive_failure() == NULL) {
        fm_archive_check(OTF2_Archive_CloseMarkerWriter(fm_archive_handle(), writer));
    }
    free(sorted);
}

uint64_t fm_markers_bytes(const struct fm_definitions *set)
{
    enum { RECORD_BYTES = 64 };
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < set->tables[FM_DEFINE_MARKER].count; i++) {
        uint32_t text = fm_defined(set, FM_DEFINE_MARKER, i, NULL)[4];
        bytes += RECORD_BYTES + fm_defined(set, FM_DEFINE_STRING, text, NULL)[0];
    }
    return bytes;
}
