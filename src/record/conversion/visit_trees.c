/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/conversion/visit_trees.h"

#include "base/merged_visit_names.h"
#include "record/brief/merged_visits.h"
#include "record/conversion/call_facts.h"
#include "record/conversion/visits.h"

/* A tree as lists of children. Of a damaged journal, a tree may lack the record that another one
 * refers to: that one is a root, too. */
enum { NONE = UINT16_MAX };

struct tree {
    struct fm_thread *thread;
    const uint64_t *records;
    size_t size;
    uint16_t first_root;
    uint16_t child[FM_VISIT_NODES], next[FM_VISIT_NODES];
    uint64_t ticks[FM_VISIT_NODES];  /* with the regions in it */
    uint64_t visits[FM_VISIT_NODES]; /* likewise */
};

size_t fm_visit_tree_size(const uint64_t *records, const uint64_t *end)
{
    size_t size = 1;
    for (const uint64_t *r = records + FM_WORDS_VISITS;
         size < FM_VISIT_NODES && end - r >= FM_WORDS_VISITS &&
         fm_record_kind(r[0]) == FM_RECORD_VISITS && fm_record_aux(r[0]) != 0;
         r += FM_WORDS_VISITS) {
        size++;
    }
    return size;
}

static const uint64_t *record_of(const struct tree *tree, size_t node)
{
    return tree->records + node * FM_WORDS_VISITS;
}

/* Links the nodes from the last one on, so that lists have the order of the records, and sums up
 * their times. */
static void link_nodes(struct tree *tree)
{
    tree->first_root = NONE;
    for (size_t i = 0; i < tree->size; i++) {
        tree->child[i] = NONE;
        tree->ticks[i] = record_of(tree, i)[3];
        tree->visits[i] = record_of(tree, i)[2];
    }
    for (size_t i = tree->size; i-- > 0;) {
        const uint32_t back = fm_record_aux(record_of(tree, i)[0]);
        const bool is_root = back == 0 || back > i;
        uint16_t *list = is_root ? &tree->first_root : &tree->child[i - back];
        tree->next[i] = *list;
        *list = (uint16_t)i;
        if (!is_root) {
            tree->ticks[i - back] += tree->ticks[i];
            tree->visits[i - back] += tree->visits[i];
        }
    }
}

/* Whether there is anything to write of a region: not if all that was in it was told. */
static bool has_content(const struct tree *tree, size_t node)
{
    return tree->ticks[node] != 0 || tree->visits[node] != 0;
}

/* The number that a region has in events. */
static uint32_t region_of(const struct tree *tree, size_t node)
{
    const uint64_t header = record_of(tree, node)[0];
    const uint32_t ref = fm_record_ref(header);
    switch (fm_record_visits_type(header)) {
    case FM_VISITED_CALL:
        fm_functions_used[ref] = true;
        return fm_event_region(fm_convert_state.regions, ref, FM_DEFINE_NONE);
    case FM_VISITED_FUNCTION:
        return fm_visits_region_number(fm_callsite_function(fm_convert_state.callsites, ref));
    default:
        return fm_visits_region_number(ref);
    }
}

static void write_facts(struct fm_thread *thread, const uint64_t *record)
{
    if (record[2] == 1) {
        return;
    }
    fm_convert_fact(thread, thread->last_time, FM_MERGED_VISITS, record[2]);
    if (record[2] > 1) {
        fm_convert_fact(thread, thread->last_time, FM_MERGED_SHORTEST, (uint32_t)record[4]);
        fm_convert_fact(thread, thread->last_time, FM_MERGED_LONGEST, record[4] >> 32);
    }
}

static uint64_t write_node(const struct tree *tree, size_t node, uint64_t begin);

/* Writes the regions in a region, from a time on. @return when the last one ends */
static uint64_t write_children(const struct tree *tree, size_t node, uint64_t time)
{
    for (uint16_t child = tree->child[node]; child != NONE; child = tree->next[child]) {
        if (has_content(tree, child)) {
            time = write_node(tree, child, time);
        }
    }
    return time;
}

/* Writes a region with those in it. Regions nest as deep as the program's do. @return when it ends
 */
static uint64_t write_node(const struct tree *tree, size_t node, uint64_t begin)
{
    struct fm_thread *thread = tree->thread;
    const uint64_t *record = record_of(tree, node);
    const uint32_t region = region_of(tree, node);
    begin = fm_convert_not_before(thread, fm_convert_after_last(thread, begin));
    fm_convert_count_region(thread, region,
                            OTF2_EvtWriter_Enter(thread->writer, NULL, begin, region));
    write_facts(thread, record);
    uint64_t time = write_children(tree, node, begin + record[3]);
    time = fm_convert_not_before(thread, fm_convert_after_last(thread, time));
    fm_convert_count_region(thread, region,
                            OTF2_EvtWriter_Leave(thread->writer, NULL, time, region));
    return time;
}

/* Writes a tree whose root is an instrumented function, as which the call stack shows it, too. */
static uint64_t write_function(const struct tree *tree, size_t root, uint64_t begin)
{
    struct fm_thread *thread = tree->thread;
    const uint64_t *record = record_of(tree, root);
    const uint32_t around = thread->path.instrumented;
    fm_visits_begin_region(
        thread, fm_record_header(FM_RECORD_FUNCTION_ENTER, 0, fm_record_ref(record[0])), begin);
    write_facts(thread, record);
    const uint64_t end = write_children(tree, root, thread->last_time + record[3]);
    fm_visits_end_region(thread, fm_record_header(FM_RECORD_FUNCTION_LEAVE, 0, around), end);
    return thread->last_time;
}

void fm_visit_tree_events(struct fm_thread *thread, const uint64_t *records, size_t size)
{
    struct tree tree = {.thread = thread, .records = records, .size = size};
    link_nodes(&tree);
    const uint64_t first = records[1];
    uint64_t time = first;
    fm_convert_pending(thread, first);
    if (has_content(&tree, 0) && fm_record_visits_type(records[0]) == FM_VISITED_FUNCTION) {
        write_function(&tree, 0, first);
        return;
    }
    fm_convert_begin_event(thread, fm_convert_after_last(thread, first));
    for (uint16_t root = tree.first_root; root != NONE; root = tree.next[root]) {
        if (has_content(&tree, root)) {
            time = write_node(&tree, root, time);
        }
    }
}
