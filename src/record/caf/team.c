/* SPDX-License-Identifier: BSD-3-Clause */
/* Teams of images. Their definitions are equal on all members without communication: a team is
 * known by its parent, the number of `form team` in that before, and its first member. Which images
 * are its members only the library knows; they exchange the numbers that they have given to `form
 * team`. */
#include "record/caf/caf.h"

#include <stdlib.h>
#include <string.h>

struct fm_caf_team fm_caf_world;
struct fm_caf_team *fm_caf_team = &fm_caf_world;

/* All teams but the initial one. */
static struct fm_caf_team *teams;

/* Room for a number of each image. */
static int *numbers;

/* Defines the communicator and the window of a team. `origin`: the words of a COMM that identify
 * it.
 * @return whether there was room */
static bool define(struct fm_caf_team *team, const uint32_t origin[4], uint32_t members,
                   uint32_t parent, uint32_t flags, const char *name)
{
    uint32_t text = name != NULL ? fm_session_string(name) : FM_DEFINE_NONE;
    const uint32_t communicator[FM_COMM_WORDS] = {
        [FM_COMM_ORIGIN] = origin[0], [FM_COMM_PARADIGM] = OTF2_PARADIGM_UNKNOWN,
        [FM_COMM_A] = origin[1],      [FM_COMM_B] = origin[2],
        [FM_COMM_C] = origin[3],      [FM_COMM_FLAGS] = OTF2_COMM_FLAG_NONE,
        [FM_COMM_GROUP] = members,    [FM_COMM_SECOND_GROUP] = FM_DEFINE_NONE,
        [FM_COMM_PARENT] = parent,    [FM_COMM_NAME] = text};
    team->communicator = fm_session_define(FM_DEFINE_COMM, communicator, FM_COMM_WORDS);
    if (team->communicator == FM_DEFINE_NONE) {
        return false;
    }
    const uint32_t window[FM_WIN_WORDS] = {
        [FM_WIN_COMM] = team->communicator, [FM_WIN_FLAGS] = flags, [FM_WIN_NAME] = text};
    team->window = fm_session_define(FM_DEFINE_WIN, window, FM_WIN_WORDS);
    return team->window != FM_DEFINE_NONE;
}

void fm_caf_teams_begin(int rank, int size)
{
    struct fm_caf_team world = {.size = size, .rank = rank};
    numbers = malloc((size_t)size * sizeof *numbers);
    for (int i = 0; numbers != NULL && i < size; i++) {
        numbers[i] = i;
    }
    uint32_t members = numbers != NULL
                           ? fm_session_group(OTF2_PARADIGM_UNKNOWN, numbers, (size_t)size)
                           : FM_DEFINE_NONE;
    if (members != FM_DEFINE_NONE &&
        define(&world, (const uint32_t[4]){FM_COMM_WORLD}, members, FM_DEFINE_NONE,
               OTF2_RMA_WIN_FLAG_CREATE_DESTROY_EVENTS, "coarrays")) {
        fm_caf_world = world;
    }
}

/* ---- teams of the program ---- */

/* Collects in `numbers` what each image of the current team has given. Collective. */
static void share_number(int number)
{
    enum { INTEGER = 1 }; /* element type */
    union {
        struct fm_caf_array array;
        char room[sizeof(struct fm_caf_array) + 3 * sizeof(ptrdiff_t)];
    } all = {.array = {.data = numbers,
                       .offset = (size_t)-1,
                       .element = {.length = sizeof *numbers, .rank = 1, .type = INTEGER},
                       .span = sizeof *numbers}};
    int failed = 0;
    all.array.dimensions[0].stride = 1;
    all.array.dimensions[0].lower = 1;
    all.array.dimensions[0].upper = fm_caf_team->size;
    memset(numbers, 0, (size_t)fm_caf_team->size * sizeof *numbers);
    numbers[fm_caf_team->rank] = number;
    FM_CAF(co_sum)(&all.array, 0, &failed, NULL, 0);
}

/* The team of the images with this image's number. @return NULL: without memory */
static struct fm_caf_team *choose(struct fm_caf_team *from, int number)
{
    struct fm_caf_team *team = calloc(1, sizeof *team);
    int *members = malloc((size_t)from->size * sizeof *members);
    if (team == NULL || members == NULL) {
        free(team);
        free(members);
        return NULL;
    }
    team->members = members;
    for (int i = 0; i < from->size; i++) {
        if (numbers[i] == number) {
            team->rank = i == from->rank ? team->size : team->rank;
            members[team->size++] = fm_caf_process(from, i + 1);
        }
    }
    uint32_t group = fm_session_group(OTF2_PARADIGM_UNKNOWN, members, (size_t)team->size);
    const uint32_t origin[4] = {FM_COMM_FROM_PARENT, from->communicator, from->teams,
                                (uint32_t)members[0]};
    if (group == FM_DEFINE_NONE ||
        !define(team, origin, group, from->communicator, OTF2_RMA_WIN_FLAG_NONE, NULL)) {
        free(team);
        free(members);
        return NULL;
    }
    return team;
}

static struct fm_caf_team *find(const void *handle)
{
    struct fm_caf_team *team = teams;
    while (team != NULL && team->handle != handle) {
        team = team->next;
    }
    return team;
}

/* Begins a statement of all images of a team. */
FM_INLINE struct fm_thread *enter(uint32_t function, const struct fm_caf_team *team)
{
    struct fm_thread *thread = fm_call_enter(function);
    if (thread != NULL) {
        fm_caf_awaits(thread, team, 0);
    }
    return thread;
}

/* All images of the current team exchange their numbers, whether they record or not. They do so
 * inside the recorded call, so that the library's calls for it are not recorded. */
void fm__gfortran_caf_form_team(int team_id, void **team, int index)
{
    struct fm_thread *thread = enter(FM_CAF_FUNCTION(form_team), fm_caf_team);
    FM_CAF(form_team)(team_id, team, index);
    if (fm_caf_has_begun && numbers != NULL) {
        share_number(team_id);
        struct fm_caf_team *made = choose(fm_caf_team, team_id);
        fm_caf_team->teams++;
        if (made != NULL) {
            made->handle = *team;
            made->next = teams;
            teams = made;
        }
    }
    if (thread != NULL) {
        fm_caf_synchronize(thread, OTF2_COLLECTIVE_OP_CREATE_HANDLE, fm_caf_team);
    }
}

void fm__gfortran_caf_change_team(void **team, int coselector)
{
    struct fm_caf_team *to = find(*team);
    struct fm_thread *thread = enter(FM_CAF_FUNCTION(change_team), to);
    FM_CAF(change_team)(team, coselector);
    if (to != NULL) {
        to->outer = fm_caf_team;
        fm_caf_team = to;
    }
    if (thread != NULL) {
        fm_caf_synchronize(thread, OTF2_COLLECTIVE_OP_BARRIER, to);
    }
}

void fm__gfortran_caf_end_team(void **team)
{
    struct fm_thread *thread = enter(FM_CAF_FUNCTION(end_team), fm_caf_team);
    struct fm_caf_team *ending = fm_caf_team;
    FM_CAF(end_team)(team);
    if (ending->outer != NULL) {
        fm_caf_team = ending->outer;
    }
    if (thread != NULL) {
        fm_caf_synchronize(thread, OTF2_COLLECTIVE_OP_BARRIER, ending);
    }
}

void fm__gfortran_caf_sync_team(void **team, int unused)
{
    struct fm_thread *thread = enter(FM_CAF_FUNCTION(sync_team), find(*team));
    FM_CAF(sync_team)(team, unused);
    if (thread != NULL) {
        fm_caf_synchronize(thread, OTF2_COLLECTIVE_OP_BARRIER, find(*team));
    }
}

/* ---- sync images ---- */

/* Images that `sync images` has named before: their group. */
struct image_set {
    const struct fm_caf_team *team;
    int count, *images;
    uint32_t group;
};

static struct {
    fm_spin_t lock;
    struct image_set *sets;
    size_t count, room;
} known;

static bool is_set(const struct image_set *set, int count, const int *images)
{
    return set->team == fm_caf_team && set->count == count &&
           (count <= 0 || memcmp(set->images, images, (size_t)count * sizeof *images) == 0);
}

/* Defines the group of the images. @return its number; FM_DEFINE_NONE: not possible */
static uint32_t define_set(int count, const int *images)
{
    int size = count < 0 ? fm_caf_team->size - 1 : count, found = 0;
    int *processes = malloc(((size_t)size + 1) * sizeof *processes);
    for (int i = 0; processes != NULL && found < size; i++) {
        if (count >= 0 || i != fm_caf_team->rank) {
            processes[found] = fm_caf_process(fm_caf_team, count < 0 ? i + 1 : images[i]);
            if (processes[found++] < 0) {
                free(processes);
                return FM_DEFINE_NONE;
            }
        }
    }
    uint32_t group = processes != NULL
                         ? fm_session_group(OTF2_PARADIGM_UNKNOWN, processes, (size_t)size)
                         : FM_DEFINE_NONE;
    free(processes);
    return group;
}

/* Adds a set that is not known. @return its group */
static uint32_t add_set(int count, const int *images)
{
    struct image_set set = {fm_caf_team, count, NULL, define_set(count, images)};
    if (known.count == known.room) {
        size_t room = 2 * known.room + 8;
        struct image_set *more = realloc(known.sets, room * sizeof *more);
        if (more == NULL) {
            return set.group;
        }
        known.sets = more;
        known.room = room;
    }
    if (count > 0) {
        set.images = malloc((size_t)count * sizeof *images);
        if (set.images == NULL) {
            return set.group;
        }
        memcpy(set.images, images, (size_t)count * sizeof *images);
    }
    known.sets[known.count++] = set;
    return set.group;
}

/* Programs name few sets of images: a set that was found moves to the front. */
static uint32_t group_of(int count, const int *images)
{
    enum { THREADED = true };
    fm_spin_lock_if(THREADED, &known.lock);
    size_t i = 0;
    while (i < known.count && !is_set(&known.sets[i], count, images)) {
        i++;
    }
    uint32_t group = i < known.count ? known.sets[i].group : add_set(count, images);
    if (i > 0 && i < known.count) {
        struct image_set set = known.sets[i];
        known.sets[i] = known.sets[i - 1];
        known.sets[i - 1] = set;
    }
    fm_spin_unlock_if(THREADED, &known.lock);
    return group;
}

static uint64_t group_sync(void)
{
    return fm_record_header(FM_RECORD_GROUP_SYNC,
                            OTF2_RMA_SYNC_LEVEL_PROCESS | OTF2_RMA_SYNC_LEVEL_MEMORY,
                            fm_caf_world.window);
}

/* Whether these are images of the team: the library has not accepted them yet. */
static bool are_images(int count, const int *images)
{
    int valid = 0;
    while (valid < count && fm_caf_process(fm_caf_team, images[valid]) >= 0) {
        valid++;
    }
    return valid >= count;
}

void fm_caf_awaits_images(struct fm_thread *thread, int count, const int *images)
{
    const bool is_valid = fm_caf_world.size != 0 && count != 0 && are_images(count, images);
    const uint32_t group = is_valid ? group_of(count, images) : FM_DEFINE_NONE;
    if (group != FM_DEFINE_NONE) {
        fm_open_id(thread, group_sync(), group);
    }
}

void fm_caf_sync_images(struct fm_thread *thread, int count, const int *images, bool good)
{
    uint64_t now = fm_clock_now();
    uint32_t group =
        good && fm_caf_world.size != 0 && count != 0 ? group_of(count, images) : FM_DEFINE_NONE;
    fm_thread_leave_at(thread, now, 0);
    if (group != FM_DEFINE_NONE) {
        uint64_t *r = fm_thread_reserve(thread, FM_WORDS_GROUP_SYNC);
        r[0] = group_sync();
        r[1] = group;
    }
    fm_thread_done(thread);
}
