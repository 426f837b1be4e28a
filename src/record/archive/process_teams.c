/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/archive/process_teams.h"

#include <stdlib.h>

static struct {
    struct fm_definitions *set;
    struct team {
        uint32_t comm;
        struct member {
            uint32_t number, thread;
        } * members; /* by number; threads that came later as the same member behind the first one
                      */
        size_t count, room;
    } * items;
    size_t count, room;
    size_t last; /* the team that was used last */
} teams;

void fm_teams_begin(struct fm_definitions *set)
{
    for (size_t i = 0; i < teams.count; i++) {
        free(teams.items[i].members);
    }
    teams.count = teams.last = 0;
    teams.set = set;
}

static struct team *find(uint32_t comm)
{
    for (size_t i = 0; i < teams.count; i++) {
        size_t place = (teams.last + i) % teams.count;
        if (teams.items[place].comm == comm) {
            teams.last = place;
            return &teams.items[place];
        }
    }
    return NULL;
}

static bool add_team(uint32_t comm)
{
    if (teams.count == teams.room) {
        size_t room = 2 * teams.room + 16;
        struct team *items = realloc(teams.items, room * sizeof *items);
        if (items == NULL) {
            return false;
        }
        teams.items = items;
        teams.room = room;
    }
    teams.items[teams.count++] = (struct team){.comm = comm};
    return true;
}

uint32_t fm_team(uint32_t paradigm, uint32_t rank, uint32_t creator, uint32_t kind)
{
    const uint32_t words[FM_COMM_WORDS] = {
        [FM_COMM_ORIGIN] = FM_COMM_TEAM,
        [FM_COMM_PARADIGM] = paradigm,
        [FM_COMM_A] = rank,
        [FM_COMM_B] = creator,
        [FM_COMM_C] = kind,
        [FM_COMM_GROUP] = FM_DEFINE_NONE,
        [FM_COMM_SECOND_GROUP] = FM_DEFINE_NONE,
        [FM_COMM_PARENT] = FM_DEFINE_NONE,
        [FM_COMM_NAME] = FM_DEFINE_NONE,
    };
    uint32_t comm = fm_define(teams.set, FM_DEFINE_COMM, words, FM_COMM_WORDS);
    bool good = comm != FM_DEFINE_NONE && (find(comm) != NULL || add_team(comm));
    return good ? comm : FM_DEFINE_NONE;
}

bool fm_team_note_member(uint32_t comm, uint32_t number, uint32_t thread)
{
    struct team *team = find(comm);
    size_t place = 0;
    if (team == NULL) {
        return false;
    }
    while (place < team->count && team->members[place].number <= number) {
        if (team->members[place].number == number && team->members[place].thread == thread) {
            return true;
        }
        place++;
    }
    if (team->count == team->room) {
        size_t room = 2 * team->room + 8;
        struct member *members = realloc(team->members, room * sizeof *members);
        if (members == NULL) {
            return false;
        }
        team->members = members;
        team->room = room;
    }
    for (size_t i = team->count++; i > place; i--) {
        team->members[i] = team->members[i - 1];
    }
    team->members[place] = (struct member){number, thread};
    return true;
}

/* Whether a thread is among the first `count` members. */
static bool is_among(const struct team *team, size_t count, uint32_t thread)
{
    for (size_t i = 0; i < count; i++) {
        if (team->members[i].thread == thread) {
            return true;
        }
    }
    return false;
}

static uint32_t define_group(const struct team *team, uint32_t paradigm, uint32_t rank)
{
    uint32_t *words = malloc((FM_GROUP_RANGES + 3 * team->count) * sizeof *words);
    if (words == NULL) {
        return FM_DEFINE_NONE;
    }
    uint32_t used = FM_GROUP_RANGES;
    words[FM_GROUP_PARADIGM] = paradigm;
    words[FM_GROUP_MEMBERS] = 0;
    for (size_t i = 0; i < team->count; i++) {
        uint32_t thread = team->members[i].thread;
        if (is_among(team, i, thread)) {
            continue;
        }
        words[FM_GROUP_MEMBERS]++;
        if (used > FM_GROUP_RANGES && words[used - 2] + words[used - 1] == thread) {
            words[used - 1]++;
            continue;
        }
        words[used++] = rank;
        words[used++] = thread;
        words[used++] = 1;
    }
    uint32_t group = fm_define(teams.set, FM_DEFINE_GROUP, words, used);
    free(words);
    return group;
}

bool fm_teams_define(uint32_t rank)
{
    bool good = true;
    for (size_t i = 0; i < teams.count; i++) {
        const struct team *team = &teams.items[i];
        uint32_t paradigm =
            fm_defined(teams.set, FM_DEFINE_COMM, team->comm, NULL)[FM_COMM_PARADIGM];
        uint32_t group = define_group(team, paradigm, rank);
        good = good && group != FM_DEFINE_NONE;
        fm_defined(teams.set, FM_DEFINE_COMM, team->comm, NULL)[FM_COMM_GROUP] = group;
    }
    return good;
}
