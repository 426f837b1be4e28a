/* SPDX-License-Identifier: BSD-3-Clause */
#include "whatif/changes/network_model.h"

#include "analysis/dependencies/dependencies.h"
#include "base/memory.h"
#include "whatif/changes/call_changes.h"
#include "whatif/changes/phase_walk.h"

#include <math.h>

/* Sums over the calls of a function, and its line. */
struct line {
    bool is_wanted;
    double calls, bytes, time, bytes_squared, product;
    double constant, per_byte; /* ticks */
    double difference;         /* sum of |time - line| */
};

/* A call with a remaining time of its own. */
struct sample {
    uint32_t activity;
    uint32_t region;
    uint64_t bytes;
    uint64_t remaining; /* ticks */
};

typedef FM_VECTOR(struct sample) sample_vector;

/* ---- samples ---- */

static bool completes_operations(fm_call_t call)
{
    return call == FM_CALL_FENCE || call == FM_CALL_COMPLETE || call == FM_CALL_UNLOCK ||
           (call >= FM_CALL_FLUSH && call <= FM_CALL_FLUSH_LOCAL_ALL) || call == FM_CALL_COMPLETION;
}

/* Adds the bytes of the one-sided operations of a location to their calls and to those that
 * complete them. */
static void add_operations(const struct fm_trace *trace, const struct fm_location *location,
                           uint64_t *bytes)
{
    size_t operation = 0;
    uint32_t completion = 0; /* next call that may complete operations */
    for (size_t r = 0; r < location->rma.count; r++) {
        const struct fm_rma *rma = &location->rma.items[r];
        if (rma->type > FM_RMA_ATOMIC || operation >= location->operation_bytes.count) {
            continue;
        }
        const uint64_t moved = location->operation_bytes.items[operation++];
        bytes[rma->activity] += moved;
        completion = completion > rma->activity ? completion : rma->activity + 1;
        while (completion < location->enter.count &&
               !completes_operations(trace->regions[fm_trace_region(location, completion)].call)) {
            completion++;
        }
        if (completion < location->enter.count) {
            bytes[completion] += moved;
        }
    }
}

/* @return [location][activity]: bytes that the call moves */
static uint64_t **find_bytes(const struct fm_detail *detail)
{
    const struct fm_trace *trace = detail->trace;
    uint64_t **bytes = fm_allocate(trace->location_count, sizeof *bytes);
    for (uint32_t l = 0; l < trace->location_count; l++) {
        bytes[l] = fm_allocate(trace->locations[l].enter.count, sizeof **bytes);
        add_operations(trace, &trace->locations[l], bytes[l]);
    }
    for (uint32_t p = 0; p < trace->process_count; p++) {
        for (size_t m = 0; m < detail->messages[p].count; m++) {
            const struct fm_detail_message *message = &detail->messages[p].items[m];
            bytes[message->send_location][message->send_activity] += message->bytes;
            bytes[message->receive_location][message->receive_activity] += message->bytes;
        }
    }
    return bytes;
}

/* Lists the calls of the wanted functions. Calls that contain others, and calls of loops that poll
 * without success, have no remaining time of their own. */
static void list_samples(const struct fm_detail *detail, uint32_t l, const uint64_t *bytes,
                         const struct line *lines, sample_vector *samples)
{
    const struct fm_location *location = &detail->trace->locations[l];
    const fm_dependency_vector *dependencies = &detail->dependencies->of_location[l];
    const fm_polling_vector *pollings = &detail->dependencies->pollings[l];
    size_t d = 0, p = 0;
    for (uint32_t a = 0; a < location->enter.count; a++) {
        uint64_t since = location->enter.items[a];
        while (p < pollings->count && pollings->items[p].last < a) {
            p++;
        }
        if (p < pollings->count && pollings->items[p].first <= a) {
            since = location->enter.items[pollings->items[p].first];
        }
        for (; d < dependencies->count && dependencies->items[d].activity <= a; d++) {
            const struct fm_dependency *dependency = &dependencies->items[d];
            if (dependency->activity == a && (FM_DORMANT_RULES >> dependency->rule & 1) == 0) {
                since = dependency->t > since ? dependency->t : since;
            }
        }
        const uint32_t region = fm_trace_region(location, a);
        const uint64_t leave = location->leave.items[a];
        const bool polls_in_vain =
            p < pollings->count && pollings->items[p].first <= a && a < pollings->items[p].last;
        const bool has_inner =
            a + 1 < location->enter.count && location->enter.items[a + 1] < leave;
        if (lines[region].is_wanted && !polls_in_vain && !has_inner && leave >= since) {
            fm_vector_push(samples, (struct sample){a, region, bytes[a], leave - since});
        }
    }
}

/* ---- the model ---- */

static void add_to_line(struct line *line, const struct sample *sample)
{
    const double bytes = (double)sample->bytes, time = (double)sample->remaining;
    line->calls++;
    line->bytes += bytes;
    line->time += time;
    line->bytes_squared += bytes * bytes;
    line->product += bytes * time;
}

static void fit(struct line *line)
{
    const double spread = line->calls * line->bytes_squared - line->bytes * line->bytes;
    line->per_byte =
        spread > 0 ? (line->calls * line->product - line->bytes * line->time) / spread : 0;
    line->per_byte = line->per_byte > 0 ? line->per_byte : 0;
    line->constant =
        line->calls > 0 ? (line->time - line->per_byte * line->bytes) / line->calls : 0;
    if (line->constant < 0) { /* then the line through the origin is the best one allowed */
        line->constant = 0;
        line->per_byte = line->product / line->bytes_squared;
    }
}

/* @return the new remaining time of a call, whose model says `line` */
static uint64_t new_remaining(const struct fm_run_change *change, const struct line *line,
                              const struct sample *sample)
{
    const double factor = (double)change->numerator / (double)change->denominator;
    const double difference = change->kind == FM_CHANGE_LATENCY
                                  ? (factor - 1) * line->constant
                                  : (1 / factor - 1) * line->per_byte * (double)sample->bytes;
    const double time = (double)sample->remaining + difference;
    return time <= 0 ? 0 : time < 9e18 ? (uint64_t)llrint(time) : (uint64_t)INT64_MAX / 2;
}

/* ---- edits ---- */

/* Changes the calls of a location; the changes before have scaled some of them already. */
static void change_calls(const struct fm_run_change *change, const struct fm_trace *trace,
                         uint32_t l, const sample_vector *samples, const struct line *lines,
                         struct fm_edits *edits, struct fm_change_effect *effect)
{
    struct fm_edits merged = {0};
    struct fm_phase_walk phases = {0};
    const uint64_t before = effect->calls;
    uint64_t ordinal = 0;
    size_t kept = 0;
    fm_phase_walk_begin(&phases, trace, l);
    for (size_t s = 0; s < samples->count; s++) {
        const struct sample *sample = &samples->items[s];
        const uint64_t enter = trace->locations[l].enter.items[sample->activity];
        const uint64_t number =
            phases.owner == NULL ? ordinal++ : fm_phase_walk_at(&phases, enter).number;
        if (!fm_ranges_have(&change->iterations, number) || sample->remaining == 0) {
            continue;
        }
        struct fm_remaining_edit edit = {sample->activity,
                                         new_remaining(change, &lines[sample->region], sample),
                                         sample->remaining};
        while (kept < edits->remaining.count &&
               edits->remaining.items[kept].activity < sample->activity) {
            fm_vector_push(&merged.remaining, edits->remaining.items[kept++]);
        }
        if (kept < edits->remaining.count &&
            edits->remaining.items[kept].activity == sample->activity) {
            const struct fm_remaining_edit *earlier = &edits->remaining.items[kept++];
            edit.numerator = fm_scaled(edit.numerator, earlier->numerator, earlier->denominator);
        }
        fm_vector_push(&merged.remaining, edit);
        effect->calls++;
    }
    while (kept < edits->remaining.count) {
        fm_vector_push(&merged.remaining, edits->remaining.items[kept++]);
    }
    fm_vector_free(&edits->remaining);
    edits->remaining = merged.remaining;
    fm_phase_walk_free(&phases);
    effect->locations += effect->calls != before;
}

/* @return [location]: its calls; fits the lines, and finds their error */
static sample_vector *fit_all(const struct fm_detail *detail, struct line *lines, double *error)
{
    const struct fm_trace *trace = detail->trace;
    sample_vector *samples = fm_allocate(trace->location_count, sizeof *samples);
    uint64_t **bytes = find_bytes(detail);
    double difference = 0, time = 0;
    for (uint32_t l = 0; l < trace->location_count; l++) {
        list_samples(detail, l, bytes[l], lines, &samples[l]);
        for (size_t s = 0; s < samples[l].count; s++) {
            add_to_line(&lines[samples[l].items[s].region], &samples[l].items[s]);
        }
        fm_free(bytes[l]);
    }
    fm_free(bytes);
    for (uint32_t r = 0; r < trace->region_count; r++) {
        fit(&lines[r]);
        time += lines[r].time;
    }
    for (uint32_t l = 0; l < trace->location_count; l++) {
        for (size_t s = 0; s < samples[l].count; s++) {
            const struct sample *sample = &samples[l].items[s];
            const struct line *line = &lines[sample->region];
            difference += fabs((double)sample->remaining - line->constant -
                               line->per_byte * (double)sample->bytes);
        }
    }
    *error = time > 0 ? difference / time : 0;
    return samples;
}

fm_status_t fm_network_change(const struct fm_run_change *change, const struct fm_detail *detail,
                              struct fm_edits *edits, struct fm_change_effect *effect,
                              struct fm_error *error)
{
    const struct fm_trace *trace = detail->trace;
    struct line *lines = fm_allocate(trace->region_count, sizeof *lines);
    bool depends_on_bytes = false;
    for (uint32_t r = 0; r < trace->region_count; r++) {
        lines[r].is_wanted = fm_is_transfer(&trace->regions[r]);
    }
    sample_vector *samples = fit_all(detail, lines, &effect->error);
    for (uint32_t r = 0; r < trace->region_count; r++) {
        depends_on_bytes |= lines[r].per_byte > 0;
    }
    for (uint32_t l = 0; l < trace->location_count; l++) {
        if (fm_change_concerns(change, trace, l)) {
            change_calls(change, trace, l, &samples[l], lines, &edits[l], effect);
        }
        fm_vector_free(&samples[l]);
    }
    fm_free(samples);
    fm_free(lines);
    if (effect->calls == 0) {
        return fm_fail(error, FM_ERR_USAGE, "%.200s: no call communicates", change->text);
    }
    return change->kind == FM_CHANGE_LATENCY || depends_on_bytes
               ? FM_OK
               : fm_fail(error, FM_ERR_USAGE,
                         "%.200s: no call takes longer with more bytes in this run", change->text);
}
