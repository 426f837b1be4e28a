/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/problems/sampled/sampled_parts.h"

#include "analysis/causes/charge.h"

/* What is less than this part of a wait state is a rounding error. */
#define NEGLIGIBLE 1e-12

/* Excess of a row in the interval of a wait state. */
struct row_excess {
    int64_t own;     /* that counts by itself */
    int64_t callees; /* of what it stands for */
    bool is_listed;
    bool acts; /* of a cause: it, or what it calls, takes longer in the interval */
};

struct writing {
    struct fm_caused_waits *caused;
    const struct fm_cause_tree *tree;
    const struct fm_descent *descent;
    uint32_t chance, variation;
    uint32_t *row_of_visit; /* [node]: of the function of the program that it is, or is called by */
    uint32_t *standing;     /* [row]: that stands for it; FM_NONE: none */
    struct row_excess *of;  /* [row] */
    FM_VECTOR(uint32_t) listed;
    FM_VECTOR(double) parts;
    FM_VECTOR(uint32_t) visits;
};

static void add_part(struct writing *writing, uint32_t visit, double part)
{
    if (part > NEGLIGIBLE) {
        fm_vector_push(&writing->visits, visit);
        fm_vector_push(&writing->parts, part);
    }
}

static struct row_excess *list_row(struct writing *writing, uint32_t row)
{
    struct row_excess *of = &writing->of[row];
    if (!of->is_listed) {
        of->is_listed = true;
        fm_vector_push(&writing->listed, row);
    }
    return of;
}

/* Notes that a row takes longer in the interval: so does the cause that it belongs to, but not a
 * cause that it only calls, and that stands for it. */
static void note_acting(struct writing *writing, uint32_t row)
{
    const uint32_t cause = writing->descent[row].cause;
    if (row >= cause) { /* callers are before what they call */
        list_row(writing, cause)->acts = true;
    }
}

/* @return the node that a row's part of a wait state is charged to: the cause that the descent has
 * led to. A caller keeps its own time where that cause does not take longer: the cause may not even
 * have been called before, as in MPI_Init. */
static uint32_t charged_visit(const struct writing *writing, uint32_t row)
{
    const uint32_t cause = writing->descent[row].cause;
    return writing->tree->rows.items[writing->of[cause].acts ? cause : row].visit;
}

/* @return ticks of the excess of a row in the interval; at least 0 */
static double excess_of(const struct row_excess *of)
{
    const int64_t ticks = (of->own > 0 ? of->own : 0) + of->callees;
    return ticks > 0 ? (double)ticks : 0;
}

/* Collects the excesses in the interval of a wait state.
 * @return whether there is a stretch in it that samples tell of */
static bool collect(struct writing *writing, const struct fm_wait_difference *difference)
{
    bool is_sampled = false;
    for (uint32_t i = difference->first; i < difference->end; ++i) {
        const struct fm_path_difference *item = &writing->caused->differences->items.items[i];
        const uint32_t r = fm_map_get(&writing->tree->row_of, item->callpath);
        const struct fm_cause_row *row = &writing->tree->rows.items[r];
        is_sampled = is_sampled || !row->is_exact;
        if (row->is_exact || row->is_significant) {
            list_row(writing, r)->own += item->ticks;
        } else if (writing->standing[r] != FM_NONE) {
            list_row(writing, writing->standing[r])->callees += item->ticks;
        }
    }
    return is_sampled;
}

static double sum_up(const struct writing *writing)
{
    double sum = 0;
    for (size_t i = 0; i < writing->listed.count; ++i) {
        sum += excess_of(&writing->of[writing->listed.items[i]]);
    }
    return sum;
}

static void forget(struct writing *writing)
{
    for (size_t i = 0; i < writing->listed.count; ++i) {
        writing->of[writing->listed.items[i]] = (struct row_excess){0};
    }
    writing->listed.count = 0;
}

/* @return the row of a part of a wait state; FM_NONE: it has none */
static uint32_t row_of_part(const struct writing *writing, uint32_t part)
{
    const uint32_t visit = writing->caused->visits.items[part];
    return visit == FM_NONE ? FM_NONE : writing->row_of_visit[visit];
}

/* Copies the parts of a wait state, for the causes that the descent has led to. */
static void copy_parts(struct writing *writing, const struct fm_caused_wait *wait)
{
    for (uint32_t p = wait->first; p < wait->end; ++p) {
        const uint32_t row = row_of_part(writing, p);
        if (row != FM_NONE) {
            note_acting(writing, row);
        }
    }
    for (uint32_t p = wait->first; p < wait->end; ++p) {
        const uint32_t row = row_of_part(writing, p);
        fm_vector_push(&writing->visits, row == FM_NONE ? writing->caused->visits.items[p]
                                                        : charged_visit(writing, row));
        fm_vector_push(&writing->parts, writing->caused->parts.items[p]);
    }
}

/* Writes the parts of a wait state in whose interval there are sampled stretches. */
static void write_parts(struct writing *writing, struct fm_caused_wait *wait)
{
    double shares = 0; /* of the causes; the rest is what the location's own wait states did */
    for (uint32_t p = wait->first; p < wait->end; ++p) {
        if (writing->caused->visits.items[p] == FM_NONE) {
            fm_vector_push(&writing->visits, FM_NONE);
            fm_vector_push(&writing->parts, writing->caused->parts.items[p]);
        } else {
            shares += writing->caused->parts.items[p];
        }
    }
    const bool is_unattributed = (wait->traits & FM_CAUSED_UNATTRIBUTED) != 0;
    const double rest = is_unattributed || shares > 1 - NEGLIGIBLE ? 0 : 1 - shares;
    const double passed_on = rest * wait->whole;
    const double known = sum_up(writing) + passed_on;
    const double whole = known > (double)wait->wait ? known : (double)wait->wait;
    double left = whole - passed_on;
    for (size_t i = 0; i < writing->listed.count; ++i) {
        if (excess_of(&writing->of[writing->listed.items[i]]) > 0) {
            note_acting(writing, writing->listed.items[i]);
        }
    }
    for (size_t i = 0; i < writing->listed.count; ++i) {
        const uint32_t row = writing->listed.items[i];
        const double ticks = excess_of(&writing->of[row]);
        add_part(writing, row == writing->chance ? writing->variation : charged_visit(writing, row),
                 ticks / whole);
        left -= ticks;
    }
    add_part(writing, writing->variation, left / whole);
    wait->whole = whole;
    wait->traits &= (uint8_t)~FM_CAUSED_UNATTRIBUTED;
}

static void write_wait(struct writing *writing, size_t number)
{
    struct fm_caused_wait *wait = &writing->caused->waits.items[number];
    const struct fm_side_differences *differences = writing->caused->differences;
    const uint32_t first = (uint32_t)writing->parts.count;
    const bool is_delay = fm_charge_of((fm_delay_kind_t)wait->delay_kind) == FM_CHARGE_DELAY;
    if (is_delay && number < differences->waits.count &&
        collect(writing, &differences->waits.items[number])) {
        write_parts(writing, wait);
    } else if (is_delay) {
        copy_parts(writing, wait);
    } else {
        for (uint32_t p = wait->first; p < wait->end; ++p) {
            fm_vector_push(&writing->visits, writing->caused->visits.items[p]);
            fm_vector_push(&writing->parts, writing->caused->parts.items[p]);
        }
    }
    wait->first = first;
    wait->end = (uint32_t)writing->parts.count;
    forget(writing);
}

/* Finds the caller that stands for each row. */
static void find_standing(struct writing *writing)
{
    for (uint32_t r = 0; r < writing->tree->rows.count; ++r) {
        const struct fm_cause_row *row = &writing->tree->rows.items[r];
        writing->standing[r] = row->stands_for_callees  ? r
                               : row->parent == FM_NONE ? FM_NONE
                                                        : writing->standing[row->parent];
    }
}

static void find_rows(struct writing *writing, const struct fm_trace *trace,
                      const struct fm_location *location)
{
    for (uint32_t v = 0; v < location->profile.count; ++v) {
        const uint32_t function = fm_trace_function_of(trace, location->profile.items[v].callpath);
        const uint32_t row = fm_map_get(&writing->tree->row_of, function);
        writing->row_of_visit[v] = row == FM_MAP_ABSENT ? FM_NONE : row;
    }
}

void fm_sampled_parts_write(struct fm_caused_waits *caused, const struct fm_trace *trace,
                            const struct fm_location *location, const struct fm_cause_tree *tree,
                            const struct fm_descent *descent, uint32_t chance)
{
    const uint32_t variation = (uint32_t)location->profile.count;
    struct writing writing = {
        .caused = caused,
        .tree = tree,
        .descent = descent,
        .chance = chance,
        .variation = variation,
        .row_of_visit = fm_allocate(location->profile.count, sizeof *writing.row_of_visit),
        .standing = fm_allocate(tree->rows.count, sizeof *writing.standing),
        .of = fm_allocate(tree->rows.count, sizeof *writing.of),
    };
    find_standing(&writing);
    find_rows(&writing, trace, location);
    for (size_t i = 0; i < caused->waits.count; ++i) {
        write_wait(&writing, i);
    }
    fm_vector_free(&caused->parts);
    fm_vector_free(&caused->visits);
    caused->parts.items = writing.parts.items;
    caused->parts.count = writing.parts.count;
    caused->parts.capacity = writing.parts.capacity;
    caused->visits.items = writing.visits.items;
    caused->visits.count = writing.visits.count;
    caused->visits.capacity = writing.visits.capacity;
    fm_vector_free(&writing.listed);
    fm_free(writing.row_of_visit);
    fm_free(writing.standing);
    fm_free(writing.of);
}
