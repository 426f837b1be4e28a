/* SPDX-License-Identifier: BSD-3-Clause */
/* Groups of PEs: all, active sets, teams. Their definitions are equal on all members without
 * communication: an active set is known by its members, a team by the team that it is made from and
 * the number of teams made from that before. */
#include "record/capture/handles.h"
#include "record/shmem/shmem.h"

#include <dlfcn.h>
#include <stdlib.h>

struct fm_shmem_group fm_shmem_world;

/* Active sets and teams by handle. Handles of teams are addresses; those of active sets have this
 * bit, which no address has. */
static struct fm_handle_map groups = FM_HANDLE_MAP(FM_SHMEM_GROUPS_CACHE);
#define ACTIVE_SET ((uint64_t)1 << 63)

/* Defines the communicator and the window of a group. `origin`: the words of a COMM that identify
 * it. @return whether there was room */
static bool define(struct fm_shmem_group *group, const uint32_t origin[4], uint32_t members,
                   uint32_t parent, uint32_t flags, const char *name)
{
    uint32_t text = name != NULL ? fm_session_string(name) : FM_DEFINE_NONE;
    const uint32_t communicator[FM_COMM_WORDS] = {
        [FM_COMM_ORIGIN] = origin[0], [FM_COMM_PARADIGM] = OTF2_PARADIGM_SHMEM,
        [FM_COMM_A] = origin[1],      [FM_COMM_B] = origin[2],
        [FM_COMM_C] = origin[3],      [FM_COMM_FLAGS] = OTF2_COMM_FLAG_NONE,
        [FM_COMM_GROUP] = members,    [FM_COMM_SECOND_GROUP] = FM_DEFINE_NONE,
        [FM_COMM_PARENT] = parent,    [FM_COMM_NAME] = text};
    group->communicator = fm_session_define(FM_DEFINE_COMM, communicator, FM_COMM_WORDS);
    if (group->communicator == FM_DEFINE_NONE) {
        return false;
    }
    const uint32_t window[FM_WIN_WORDS] = {
        [FM_WIN_COMM] = group->communicator, [FM_WIN_FLAGS] = flags, [FM_WIN_NAME] = text};
    group->window = fm_session_define(FM_DEFINE_WIN, window, FM_WIN_WORDS);
    return group->window != FM_DEFINE_NONE;
}

void fm_shmem_groups_begin(int rank, int size)
{
    int *pes = malloc((size_t)size * sizeof *pes);
    struct fm_shmem_group world = {.size = size, .rank = rank};
    for (int i = 0; pes != NULL && i < size; i++) {
        pes[i] = i;
    }
    uint32_t members =
        pes != NULL ? fm_session_group(OTF2_PARADIGM_SHMEM, pes, (size_t)size) : FM_DEFINE_NONE;
    free(pes);
    if (members != FM_DEFINE_NONE &&
        define(&world, (const uint32_t[4]){FM_COMM_WORLD}, members, FM_DEFINE_NONE,
               OTF2_RMA_WIN_FLAG_CREATE_DESTROY_EVENTS, "SHMEM_TEAM_WORLD")) {
        fm_shmem_world = world;
    }
}

static int member(const struct fm_shmem_group *group, int i)
{
    return group->members != NULL ? group->members[i] : i;
}

/* A group of `size` members of another one. @return NULL: not possible, or without memory */
static struct fm_shmem_group *choose(const struct fm_shmem_group *from, int first, int64_t stride,
                                     int size)
{
    int64_t last = first + (size - 1) * stride;
    if (size <= 0 || first < 0 || first >= from->size || last < 0 || last >= from->size) {
        return NULL;
    }
    struct fm_shmem_group *group = calloc(1, sizeof *group);
    int *members = malloc((size_t)size * sizeof *members);
    if (group == NULL || members == NULL) {
        free(group);
        free(members);
        return NULL;
    }
    group->rank = -1;
    for (int i = 0; i < size; i++) {
        members[i] = member(from, (int)(first + i * stride));
        group->rank = members[i] == fm_shmem_world.rank ? i : group->rank;
    }
    group->size = size;
    group->members = members;
    return group;
}

/* Defines a group whose members are known. @return the group; NULL: no room */
static struct fm_shmem_group *enter(struct fm_shmem_group *group, const struct fm_shmem_group *from,
                                    uint32_t split)
{
    uint32_t members = fm_session_group(OTF2_PARADIGM_SHMEM, group->members, (size_t)group->size);
    const uint32_t as_set[4] = {FM_COMM_FROM_GROUP, members};
    const uint32_t as_team[4] = {FM_COMM_FROM_PARENT, from != NULL ? from->communicator : 0, split,
                                 (uint32_t)group->members[0]};
    if (members == FM_DEFINE_NONE ||
        !define(group, from != NULL ? as_team : as_set, members,
                from != NULL ? from->communicator : FM_DEFINE_NONE, OTF2_RMA_WIN_FLAG_NONE, NULL)) {
        free(group->members);
        free(group);
        return NULL;
    }
    return group;
}

struct fm_shmem_group *fm_shmem_active_set(struct fm_thread *thread, int first, int log_stride,
                                           int size)
{
    if (FM_LIKELY(first == 0 && log_stride == 0 && size == fm_shmem_world.size)) {
        return &fm_shmem_world;
    }
    if (log_stride < 0 || log_stride > 30 || first < 0 || size <= 0 || size > fm_shmem_world.size ||
        first >= fm_shmem_world.size) {
        return NULL;
    }
    enum { BITS = 28 }; /* of a number of PEs */
    uint64_t handle =
        ACTIVE_SET | (uint64_t)log_stride << 2 * BITS | (uint64_t)first << BITS | (uint64_t)size;
    struct fm_shmem_group *group =
        fm_handles_find_in(&groups, FM_SHMEM_GROUPS_CACHE, thread, handle);
    if (group == NULL) {
        group = choose(&fm_shmem_world, first, (int64_t)1 << log_stride, size);
        group = group != NULL ? enter(group, NULL, 0) : NULL;
        if (group != NULL) {
            fm_handles_insert(&groups, handle, group);
        }
    }
    return group;
}

/* ---- teams ---- */

/* The library's handle of the team of all PEs; NULL: the library has none. */
static shmem_team_t world_team(void)
{
    static const char *const names[] = {"SHMEM_TEAM_WORLD", "oshmem_team_world"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const shmem_team_t *team = dlsym(RTLD_DEFAULT, names[i]);
        if (team != NULL) {
            return *team;
        }
    }
    return NULL;
}

/* A predefined team, which no recorded call has made. */
static struct fm_shmem_group *describe(shmem_team_t team)
{
    int size = fm_shmem_has(shmem_team_n_pes) ? FM_SHMEM(shmem_team_n_pes)(team) : -1;
    if (size == fm_shmem_world.size) {
        return &fm_shmem_world;
    }
    shmem_team_t world = world_team();
    struct fm_shmem_group *group = world != NULL ? choose(&fm_shmem_world, 0, 1, size) : NULL;
    for (int i = 0; group != NULL && i < size; i++) {
        int pe = FM_SHMEM(shmem_team_translate_pe)(team, i, world);
        group->members[i] = pe;
        group->rank = pe == fm_shmem_world.rank ? i : group->rank;
    }
    return group != NULL ? enter(group, NULL, 0) : NULL;
}

struct fm_shmem_group *fm_shmem_team(struct fm_thread *thread, shmem_team_t team)
{
    uint64_t handle = (uint64_t)(uintptr_t)team;
    struct fm_shmem_group *group =
        fm_handles_find_in(&groups, FM_SHMEM_GROUPS_CACHE, thread, handle);
    if (group == NULL && team != NULL && fm_shmem_world.size != 0) {
        group = describe(team);
        if (group != NULL) {
            fm_handles_insert(&groups, handle, group);
        }
    }
    return group;
}

/* A new team of members of another one. All members of that count its teams. */
static void make_team(struct fm_shmem_group *from, uint32_t split, shmem_team_t team, int first,
                      int64_t stride, int size)
{
    struct fm_shmem_group *group = choose(from, first, stride, size);
    if (group != NULL && group->rank >= 0) {
        group = enter(group, from, split);
        if (group != NULL) {
            fm_handles_insert(&groups, (uint64_t)(uintptr_t)team, group);
        }
    } else if (group != NULL) {
        free(group->members);
        free(group);
    }
}

/* Begins a call that is collective on a team. */
FM_INLINE struct fm_thread *enter_on_team(uint32_t function, shmem_team_t team)
{
    struct fm_thread *thread = fm_call_enter(function);
    if (thread != NULL) {
        fm_pe_awaits(thread, fm_shmem_team(thread, team), -1);
    }
    return thread;
}

int fm_shmem_team_split_strided(shmem_team_t team, int start, int stride, int size,
                                const void *config, long config_mask, shmem_team_t *new_team)
{
    struct fm_thread *thread = enter_on_team(FM_FUNCTION_shmem_team_split_strided, team);
    int outcome = FM_SHMEM(shmem_team_split_strided)(team, start, stride, size, config, config_mask,
                                                     new_team);
    if (thread != NULL) {
        struct fm_shmem_group *from = fm_shmem_team(thread, team);
        fm_pe_collective(thread, OTF2_COLLECTIVE_OP_CREATE_HANDLE, from, 0);
        if (from != NULL && outcome == 0) {
            make_team(from, from->splits++, *new_team, start, stride, size);
        }
    }
    return outcome;
}

/* The members of a team lie row by row in a table of `xrange` columns: a new team for each row (x
 * axis) and one for each column (y axis). */
int fm_shmem_team_split_2d(shmem_team_t team, int xrange, const void *xaxis_config, long xaxis_mask,
                           shmem_team_t *xaxis_team, const void *yaxis_config, long yaxis_mask,
                           shmem_team_t *yaxis_team)
{
    struct fm_thread *thread = enter_on_team(FM_FUNCTION_shmem_team_split_2d, team);
    int outcome = FM_SHMEM(shmem_team_split_2d)(team, xrange, xaxis_config, xaxis_mask, xaxis_team,
                                                yaxis_config, yaxis_mask, yaxis_team);
    if (thread != NULL) {
        struct fm_shmem_group *from = fm_shmem_team(thread, team);
        fm_pe_collective(thread, OTF2_COLLECTIVE_OP_CREATE_HANDLE, from, 0);
        if (from != NULL && from->rank >= 0 && outcome == 0 && xrange > 0) {
            int columns = xrange < from->size ? xrange : from->size;
            int x = from->rank % columns, row = from->rank - x, rest = from->size - row;
            uint32_t split = from->splits;
            from->splits += 2;
            make_team(from, split, *xaxis_team, row, 1, rest < columns ? rest : columns);
            make_team(from, split + 1, *yaxis_team, x, columns,
                      (from->size - x + columns - 1) / columns);
        }
    }
    return outcome;
}

void fm_shmem_team_destroy(shmem_team_t team)
{
    struct fm_thread *thread = fm_call_enter(FM_FUNCTION_shmem_team_destroy);
    struct fm_shmem_group *group = thread != NULL ? fm_shmem_team(thread, team) : NULL;
    if (group != NULL && group != &fm_shmem_world) { /* its contexts may go on: it is not freed */
        fm_handles_remove(&groups, (uint64_t)(uintptr_t)team);
    }
    if (thread != NULL) {
        fm_pe_awaits(thread, group, -1);
    }
    FM_SHMEM(shmem_team_destroy)(team);
    if (thread != NULL) {
        fm_pe_collective(thread, OTF2_COLLECTIVE_OP_DESTROY_HANDLE, group, 0);
    }
}
