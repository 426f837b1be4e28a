/* SPDX-License-Identifier: BSD-3-Clause */
/* The definitions of all worlds as one set.
 *
 * Each world has numbered its processes from 0, and names processes of other worlds by a link and a
 * rank in its remote group. In the joined set the processes of the worlds follow each other. A link
 * whose other side is known turns into the processes of that side; what both sides have made of
 * them (inter-communicators, merged ones, groups) then has the same key on both sides, and becomes
 * one definition like everything else that is equal. */
#include "record/rebuild/define_check.h"
#include "record/worlds/join_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- reading ---- */

static bool is_description(const uint32_t *words, size_t count)
{
    struct fm_paradigm_description description;
    if (count != FM_PARADIGM_WORDS) {
        return false;
    }
    memcpy(&description, words, sizeof description);
    const char *const texts[] = {description.name, description.process, description.communicator,
                                 description.window, description.last_call};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        if (memchr(texts[i], '\0', FM_PARADIGM_TEXT) == NULL) {
            return false;
        }
    }
    return true;
}

/* Whether a definition is valid, including its ranks, which must be those of processes. */
static bool is_sound(const struct fm_definitions *set, enum fm_define_kind kind,
                     const uint32_t *words, size_t count)
{
    const size_t processes = set->tables[FM_DEFINE_PROCESS].count;
    switch (kind) {
    case FM_DEFINE_PARADIGM:
        return is_description(words, count);
    case FM_DEFINE_OBJECT:
    case FM_DEFINE_STREAM:
        return count == 3 && words[0] < processes && words[2] < set->tables[FM_DEFINE_STRING].count;
    case FM_DEFINE_WORLD:
        return false;
    case FM_DEFINE_LIFE:
        return count == FM_LIFE_WORDS && words[FM_LIFE_RANK] < processes;
    case FM_DEFINE_PROCESS:
    case FM_DEFINE_MARKER:
        return fm_define_is_sound(set, kind, words, count) && words[0] < processes;
    case FM_DEFINE_LINK:
        return fm_define_is_sound(set, kind, words, count) && words[FM_LINK_RANK] < processes;
    default:
        return fm_define_is_sound(set, kind, words, count);
    }
}

/* The process of each rank has one definition: they have the rank as their key. */
static bool is_sound_set(const struct fm_definitions *set)
{
    for (int kind = 0; kind < FM_DEFINE_KIND_COUNT; kind++) {
        for (uint32_t i = 0; i < set->tables[kind].count; i++) {
            size_t count;
            const uint32_t *words = fm_defined(set, (enum fm_define_kind)kind, i, &count);
            if (!is_sound(set, (enum fm_define_kind)kind, words, count)) {
                return false;
            }
        }
    }
    return set->tables[FM_DEFINE_PROCESS].count != 0;
}

fm_status_t fm_join_read(struct fm_joined_world *world, struct fm_error *error)
{
    struct fm_define_map map;
    if (!fm_world_read(world->folder, &world->content)) {
        return fm_fail(error, FM_ERR_DATA, "%s/" FM_WORLD_FILE " is damaged or missing",
                       world->folder);
    }
    bool good =
        fm_definitions_merge(&world->set, world->content.block, world->content.bytes, &map) &&
        is_sound_set(&world->set);
    fm_define_map_free(&map);
    if (!good) {
        return fm_fail(error, FM_ERR_DATA, "%s/" FM_WORLD_FILE " is damaged", world->folder);
    }
    world->size = (uint32_t)world->set.tables[FM_DEFINE_PROCESS].count;
    return FM_OK;
}

/* ---- processes of other worlds ---- */

static uint64_t number_in(const uint32_t *words)
{
    return words[0] | (uint64_t)words[1] << 32;
}

/* The place of member i of a group: a link (0: none) and a rank. */
static uint64_t place_of(const uint32_t *group, uint32_t i, uint32_t *rank)
{
    if ((group[FM_GROUP_PARADIGM] & FM_GROUP_FOREIGN) == 0) {
        *rank = fm_group_member(group, i);
        return 0;
    }
    const uint32_t *range = group + FM_GROUP_RANGES;
    for (; i >= range[FM_FOREIGN_COUNT]; range += FM_FOREIGN_WORDS) {
        i -= range[FM_FOREIGN_COUNT];
    }
    *rank = range[FM_FOREIGN_FIRST] + i * range[FM_FOREIGN_STRIDE];
    return number_in(range + FM_FOREIGN_LINK);
}

static const struct fm_link_side *find_side(const struct fm_join_run *run, uint32_t world,
                                            uint64_t number)
{
    for (uint32_t i = 0; i < run->side_count; i++) {
        const struct fm_link_side *side = &run->sides[i];
        if (side->world == world && side->number == number && side->partner != FM_DEFINE_NONE) {
            return side;
        }
    }
    return NULL;
}

/* Rank in the joined archive of a process at a place of a world; FM_DEFINE_NONE: not known.
 * @param links  how many links lie before: a group may consist of several worlds, of which each
 *               names the processes by the next one */
static uint32_t resolve(const struct fm_join_run *run, uint32_t world, uint64_t link, uint32_t rank,
                        uint32_t links)
{
    if (link == 0) {
        return rank < run->worlds[world].size ? run->worlds[world].first + rank : FM_DEFINE_NONE;
    }
    const struct fm_link_side *side = find_side(run, world, link);
    const struct fm_link_side *other = side != NULL ? &run->sides[side->partner] : NULL;
    if (other == NULL || rank >= other->size || links > run->side_count) {
        return FM_DEFINE_NONE;
    }
    uint32_t theirs;
    const uint32_t *group =
        fm_defined(&run->worlds[other->world].set, FM_DEFINE_GROUP, other->group, NULL);
    uint64_t next = place_of(group, rank, &theirs);
    return resolve(run, other->world, next, theirs, links + 1);
}

/* ---- connections ---- */

/* The clocks of machines whose time of day is synchronized differ by less than a tenth of a second.
 */
enum { DATE_ERROR = 10 };

/* Lists the sides of a world. Times are converted by the clock of the process that describes it. */
static fm_status_t list_sides(struct fm_join_run *run, uint32_t w, struct fm_error *error)
{
    struct fm_joined_world *world = &run->worlds[w];
    for (uint32_t i = 0; i < world->set.tables[FM_DEFINE_LINK].count; i++) {
        const uint32_t *words = fm_defined(&world->set, FM_DEFINE_LINK, i, NULL);
        struct fm_local_tables tables;
        uint64_t location = fm_archive_location(words[FM_LINK_RANK], 0);
        fm_status_t status = fm_local_tables_read(world, location, &tables, error);
        uint64_t times[2] = {number_in(words + FM_LINK_ENTER), number_in(words + FM_LINK_LEAVE)};
        for (int t = 0; t < 2 && tables.offset_count == 2; t++) {
            times[t] = fm_clock_offsets_apply(tables.offsets, times[t]);
        }
        fm_local_tables_free(&tables);
        if (status != FM_OK) {
            return status;
        }
        run->sides[run->side_count++] = (struct fm_link_side){
            .world = w,
            .number = number_in(words + FM_LINK_NUMBER),
            .how = (enum fm_link)words[FM_LINK_HOW],
            .detail = fm_defined_string(&world->set, words[FM_LINK_DETAIL]),
            .group = words[FM_LINK_GROUP],
            .rank = words[FM_LINK_RANK],
            .size = fm_defined(&world->set, FM_DEFINE_GROUP, words[FM_LINK_GROUP],
                               NULL)[FM_GROUP_MEMBERS],
            .remote_size = words[FM_LINK_REMOTE_SIZE],
            .is_root = words[FM_LINK_IS_ROOT] != 0,
            .enter = fm_join_time(world, times[0]),
            .leave = fm_join_time(world, times[1]),
            .error = world->is_dated ? run->worlds[0].content.summary.resolution / DATE_ERROR : 0};
    }
    return FM_OK;
}

/* Whether two sides have the same local group, whose processes are all known. */
static bool have_one_group(const struct fm_join_run *run, const struct fm_link_side *a,
                           const struct fm_link_side *b)
{
    const uint32_t *group_a =
        fm_defined(&run->worlds[a->world].set, FM_DEFINE_GROUP, a->group, NULL);
    const uint32_t *group_b =
        fm_defined(&run->worlds[b->world].set, FM_DEFINE_GROUP, b->group, NULL);
    for (uint32_t i = 0; i < a->size; i++) {
        uint32_t rank_a, rank_b;
        uint64_t link_a = place_of(group_a, i, &rank_a), link_b = place_of(group_b, i, &rank_b);
        uint32_t member = resolve(run, a->world, link_a, rank_a, 0);
        if (member == FM_DEFINE_NONE || member != resolve(run, b->world, link_b, rank_b, 0)) {
            return false;
        }
    }
    return true;
}

/* A group of several worlds has made a connection: its root is in one of them, and has described
 * it.
 * @return the side of the root; NULL: it is not known */
static const struct fm_link_side *find_root(const struct fm_join_run *run,
                                            const struct fm_link_side *side)
{
    const struct fm_link_side *found = NULL;
    for (uint32_t i = 0; i < run->side_count; i++) {
        const struct fm_link_side *other = &run->sides[i];
        if (other->is_root && other->partner != FM_DEFINE_NONE && other->world != side->world &&
            other->how == side->how && other->size == side->size &&
            other->remote_size == side->remote_size && other->enter < side->leave &&
            side->enter < other->leave && have_one_group(run, other, side)) {
            if (found != NULL) {
                return NULL;
            }
            found = other;
        }
    }
    return found;
}

/* Gives the sides of the other worlds of a group the partner of its root. One may make another one
 * known. */
static void follow_roots(struct fm_join_run *run)
{
    bool more = true;
    while (more) {
        more = false;
        for (uint32_t i = 0; i < run->side_count; i++) {
            struct fm_link_side *side = &run->sides[i];
            const struct fm_link_side *root =
                !side->is_root && side->partner == FM_DEFINE_NONE ? find_root(run, side) : NULL;
            if (root != NULL) {
                side->partner = root->partner;
                side->pair = root->pair;
                more = true;
            }
        }
    }
}

fm_status_t fm_join_connect(struct fm_join_run *run, struct fm_error *error)
{
    size_t count = 0;
    fm_status_t status = FM_OK;
    for (uint32_t w = 0; w < run->count; w++) {
        count += run->worlds[w].set.tables[FM_DEFINE_LINK].count;
    }
    run->sides = calloc(count + 1, sizeof *run->sides);
    if (run->sides == NULL) {
        return fm_fail(error, FM_ERR_SYSTEM, "no memory for %zu connections", count);
    }
    for (uint32_t w = 0; w < run->count && status == FM_OK; w++) {
        status = list_sides(run, w, error);
    }
    if (status == FM_OK) {
        fm_links_match(run->sides, run->side_count);
        follow_roots(run);
    }
    return status;
}

/* ---- joining ---- */

struct change {
    struct fm_join_run *run;
    uint32_t world;
};

/* A link of this world whose other side is not known; numbers of different worlds may be equal. */
static uint64_t number_unknown(uint64_t link, uint32_t world)
{
    return (link ^ (uint64_t)world << 48) | 1;
}

/* Replaces the ranks of a group by those in the joined archive. Takes ownership of the words. */
static uint32_t *change_group(const struct change *change, uint32_t *words, size_t *count)
{
    const uint32_t members = words[FM_GROUP_MEMBERS];
    const uint32_t first = change->run->worlds[change->world].first;
    if ((words[FM_GROUP_PARADIGM] & FM_GROUP_FOREIGN) == 0) { /* of threads likewise */
        for (size_t range = FM_GROUP_RANGES; range < *count; range += 3) {
            words[range] += first;
        }
        return words;
    }
    int *ranks = malloc(((size_t)members + 1) * sizeof *ranks);
    bool known = ranks != NULL;
    for (uint32_t i = 0; known && i < members; i++) {
        uint32_t rank;
        uint64_t link = place_of(words, i, &rank);
        ranks[i] = (int)resolve(change->run, change->world, link, rank, 0);
        known = (uint32_t)ranks[i] != FM_DEFINE_NONE;
    }
    if (known) {
        /* The set makes the words; here they are taken from it. */
        uint32_t paradigm = words[FM_GROUP_PARADIGM] & ~(uint32_t)FM_GROUP_FOREIGN;
        uint32_t number = fm_define_group(&change->run->set, paradigm, ranks, members);
        free(ranks);
        free(words);
        if (number == FM_DEFINE_NONE) {
            return NULL;
        }
        const uint32_t *made = fm_defined(&change->run->set, FM_DEFINE_GROUP, number, count);
        words = malloc((*count + 1) * sizeof *words);
        return words != NULL ? memcpy(words, made, *count * sizeof *words) : NULL;
    }
    free(ranks);
    for (size_t i = FM_GROUP_RANGES; i + FM_FOREIGN_WORDS <= *count; i += FM_FOREIGN_WORDS) {
        uint32_t *range = words + i;
        uint64_t link = number_in(range + FM_FOREIGN_LINK);
        if (link == 0) {
            range[FM_FOREIGN_FIRST] += first;
        } else {
            link = number_unknown(link, change->world);
            range[FM_FOREIGN_LINK] = (uint32_t)link;
            range[FM_FOREIGN_LINK + 1] = (uint32_t)(link >> 32);
        }
    }
    return words;
}

enum { UNKNOWN = INT32_MAX };

/* Where the first member of a group stands among all processes; those not known stand last. */
static uint32_t order_of(const struct fm_join_run *run, uint32_t group)
{
    uint32_t rank;
    const uint32_t *words = fm_defined(&run->set, FM_DEFINE_GROUP, group, NULL);
    if (words[FM_GROUP_MEMBERS] == 0) {
        return UNKNOWN;
    }
    return place_of(words, 0, &rank) == 0 ? rank : UNKNOWN;
}

/* Both sides of an inter-communicator name its groups in the same order. */
static void order_groups(const struct fm_join_run *run, uint32_t *words)
{
    uint32_t first = words[FM_COMM_GROUP], second = words[FM_COMM_SECOND_GROUP];
    if (second != FM_DEFINE_NONE && first != FM_DEFINE_NONE &&
        order_of(run, second) < order_of(run, first)) {
        words[FM_COMM_GROUP] = second;
        words[FM_COMM_SECOND_GROUP] = first;
    }
}

static void name_world(struct fm_definitions *set, uint32_t world, uint32_t *words)
{
    char name[64];
    if (words[FM_COMM_NAME] != FM_DEFINE_NONE &&
        strcmp(fm_defined_string(set, words[FM_COMM_NAME]), "MPI_COMM_WORLD") == 0) {
        snprintf(name, sizeof name, "MPI_COMM_WORLD of world %u", world);
        words[FM_COMM_NAME] = fm_define_string(set, name);
    }
}

static void change_link_of_comm(const struct change *change, uint32_t *words)
{
    uint64_t number = number_in(words + FM_COMM_A);
    const struct fm_link_side *side = find_side(change->run, change->world, number);
    if (side != NULL) {
        words[FM_COMM_A] = side->pair;
        words[FM_COMM_B] = 0;
    } else {
        number = number_unknown(number, change->world);
        words[FM_COMM_A] = (uint32_t)number;
        words[FM_COMM_B] = (uint32_t)(number >> 32);
        words[FM_COMM_C] = 1;
    }
}

static void change_comm(const struct change *change, uint32_t *words)
{
    const struct fm_joined_world *world = &change->run->worlds[change->world];
    order_groups(change->run, words);
    switch ((enum fm_comm_origin)words[FM_COMM_ORIGIN]) {
    case FM_COMM_WORLD:
        words[FM_COMM_A] = change->world;
        name_world(&change->run->set, change->world, words);
        break;
    case FM_COMM_FROM_PARENT:
        if (words[FM_COMM_PARADIGM] == OTF2_PARADIGM_MPI &&
            words[FM_COMM_GROUP] != FM_DEFINE_NONE &&
            order_of(change->run, words[FM_COMM_GROUP]) < UNKNOWN) {
            words[FM_COMM_C] = order_of(change->run, words[FM_COMM_GROUP]);
        }
        break;
    case FM_COMM_FROM_PAIR:
        words[FM_COMM_A] = words[FM_COMM_GROUP];
        words[FM_COMM_B] = words[FM_COMM_SECOND_GROUP];
        break;
    case FM_COMM_THREADS:
    case FM_COMM_TEAM:
        words[FM_COMM_A] += world->first;
        break;
    case FM_COMM_ACROSS:
        change_link_of_comm(change, words);
        break;
    default:
        break;
    }
}

static void change_marker(const struct fm_joined_world *world, uint32_t *words)
{
    uint64_t time = fm_join_time(world, number_in(words + 2));
    words[0] += world->first;
    words[2] = (uint32_t)time;
    words[3] = (uint32_t)(time >> 32);
}

static uint32_t *change_item(void *context, enum fm_define_kind kind, uint32_t *words,
                             size_t *count)
{
    const struct change *change = context;
    const struct fm_joined_world *world = &change->run->worlds[change->world];
    switch (kind) {
    case FM_DEFINE_GROUP:
        return change_group(change, words, count);
    case FM_DEFINE_COMM:
        change_comm(change, words);
        return words;
    case FM_DEFINE_LINK:
        words[FM_LINK_RANK] += world->first;
        return words;
    case FM_DEFINE_MARKER:
        change_marker(world, words);
        return words;
    case FM_DEFINE_PROCESS:
    case FM_DEFINE_OBJECT:
    case FM_DEFINE_STREAM:
    case FM_DEFINE_LIFE:
        words[0] += world->first;
        return words;
    default:
        return words;
    }
}

static void count_events(struct fm_join_run *run)
{
    for (uint32_t i = 0; i < run->set.tables[FM_DEFINE_PROCESS].count; i++) {
        const uint32_t *words = fm_defined(&run->set, FM_DEFINE_PROCESS, i, NULL);
        run->locations += words[3];
        for (uint32_t t = 0; t < words[3]; t++) {
            run->events += number_in(words + 4 + 2 * (size_t)t);
        }
    }
}

fm_status_t fm_join_define(struct fm_join_run *run, struct fm_error *error)
{
    for (uint32_t w = 0; w < run->count; w++) {
        struct fm_joined_world *world = &run->worlds[w];
        struct change change = {run, w};
        const uint32_t words[FM_WORLD_WORDS] = {w, world->first, world->size};
        if (!fm_definitions_merge_changed(&run->set, world->content.block, world->content.bytes,
                                          &world->map, change_item, &change) ||
            (run->count > 1 &&
             fm_define(&run->set, FM_DEFINE_WORLD, words, FM_WORLD_WORDS) == FM_DEFINE_NONE)) {
            return fm_fail(error, FM_ERR_SYSTEM, "no memory for the definitions of %s",
                           world->folder);
        }
    }
    count_events(run);
    return FM_OK;
}
