/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/mpi/objects/process_places.h"

#include <stdlib.h>

static MPI_Group world_group;
static int world_size;

/* A link with another world. Links are kept to the end of the run: communicators may have been made
 * of its processes. */
struct link {
    struct link *next;
    uint64_t number;
    MPI_Group remote;
};
static struct link *links;

enum { ORDER_OF_OTHERS = 1u << 31 };

void fm_process_places_begin(MPI_Group all)
{
    world_group = all;
    PMPI_Group_size(world_group, &world_size);
}

/* Translates the ranks of those members whose place is not known. @return whether all are now */
static bool find_in(MPI_Group group, int size, const int *own, int *theirs, MPI_Group among,
                    uint64_t link, struct fm_process_place *places)
{
    bool all = true;
    if (PMPI_Group_translate_ranks(group, size, own, among, theirs) != MPI_SUCCESS) {
        return false;
    }
    for (int i = 0; i < size; i++) {
        if (places[i].rank == FM_DEFINE_NONE && theirs[i] != MPI_UNDEFINED) {
            places[i] = (struct fm_process_place){link, (uint32_t)theirs[i]};
        }
        all = all && places[i].rank != FM_DEFINE_NONE;
    }
    return all;
}

bool fm_process_places_find(MPI_Group group, int size, struct fm_process_place *places)
{
    int *ranks = calloc(2 * (size_t)size + 1, sizeof *ranks);
    if (ranks == NULL || world_size == 0) {
        free(ranks);
        return false;
    }
    for (int i = 0; i < size; i++) {
        ranks[i] = i;
        places[i] = (struct fm_process_place){0, FM_DEFINE_NONE};
    }
    bool found = find_in(group, size, ranks, ranks + size, world_group, 0, places);
    for (struct link *link = __atomic_load_n(&links, __ATOMIC_ACQUIRE); !found && link != NULL;
         link = link->next) {
        found = find_in(group, size, ranks, ranks + size, link->remote, link->number, places);
    }
    free(ranks);
    return found;
}

/* The places of a group's members, to be freed. NULL: some are not known, or no memory */
static struct fm_process_place *places_of(MPI_Group group, int *size)
{
    PMPI_Group_size(group, size);
    struct fm_process_place *places = malloc(((size_t)*size + 1) * sizeof *places);
    if (places != NULL && !fm_process_places_find(group, *size, places)) {
        free(places);
        places = NULL;
    }
    return places;
}

static bool are_here(const struct fm_process_place *places, int size)
{
    for (int i = 0; i < size; i++) {
        if (places[i].link != 0) {
            return false;
        }
    }
    return true;
}

bool fm_process_places_are_here(MPI_Group group)
{
    int size;
    struct fm_process_place *places = places_of(group, &size);
    bool here = places != NULL && are_here(places, size);
    free(places);
    return here;
}

static uint64_t mix(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 29;
}

uint32_t fm_process_place_order(struct fm_process_place place)
{
    return place.link == 0 ? place.rank : (uint32_t)mix(place.link, place.rank) | ORDER_OF_OTHERS;
}

static uint32_t define_foreign(const struct fm_process_place *places, size_t count)
{
    uint32_t *words = malloc((FM_GROUP_RANGES + FM_FOREIGN_WORDS * count) * sizeof *words);
    uint32_t number = FM_DEFINE_NONE;
    if (words != NULL) {
        size_t used = FM_GROUP_RANGES;
        words[FM_GROUP_PARADIGM] = OTF2_PARADIGM_MPI | FM_GROUP_FOREIGN;
        words[FM_GROUP_MEMBERS] = (uint32_t)count;
        for (size_t i = 0; i < count;) {
            size_t end = i + 1;
            while (end < count && places[end].link == places[i].link &&
                   places[end].rank == places[end - 1].rank + 1) {
                end++;
            }
            uint32_t *range = words + used;
            range[FM_FOREIGN_LINK] = (uint32_t)places[i].link;
            range[FM_FOREIGN_LINK + 1] = (uint32_t)(places[i].link >> 32);
            range[FM_FOREIGN_FIRST] = places[i].rank;
            range[FM_FOREIGN_STRIDE] = 1;
            range[FM_FOREIGN_COUNT] = (uint32_t)(end - i);
            used += FM_FOREIGN_WORDS;
            i = end;
        }
        number = fm_session_define(FM_DEFINE_GROUP, words, used);
    }
    free(words);
    return number;
}

static uint32_t define_here(const struct fm_process_place *places, size_t count)
{
    int *ranks = malloc((count + 1) * sizeof *ranks);
    uint32_t number = FM_DEFINE_NONE;
    if (ranks != NULL) {
        for (size_t i = 0; i < count; i++) {
            ranks[i] = (int)places[i].rank;
        }
        number = fm_session_group(OTF2_PARADIGM_MPI, ranks, count);
    }
    free(ranks);
    return number;
}

uint32_t fm_group_define(MPI_Group group, uint32_t *first)
{
    int size;
    struct fm_process_place *places = places_of(group, &size);
    uint32_t number = FM_DEFINE_NONE;
    if (places != NULL) {
        number = are_here(places, size) ? define_here(places, (size_t)size)
                                        : define_foreign(places, (size_t)size);
        *first = size > 0 ? fm_process_place_order(places[0]) : UINT32_MAX;
    }
    free(places);
    return number;
}

/* The number of a link: a hash of the members of the local group and the number of links before, so
 * that all members find the same one. */
static uint64_t number_link(const struct fm_process_place *places, int size, uint32_t count)
{
    uint64_t hash = mix(0x6c696e6b, count);
    for (int i = 0; i < size; i++) {
        hash = mix(mix(hash, places[i].link), places[i].rank);
    }
    return hash != 0 ? hash : 1;
}

/* Whether this process describes the link for its world: the root of the call does; if a group of
 * several worlds has made it, also the first member of each world. */
static bool describes(const struct fm_process_place *places, int size, uint32_t self, bool is_root)
{
    int i = 0;
    while (i < size && places[i].link != 0) {
        i++;
    }
    return is_root || (!are_here(places, size) && i < size && places[i].rank == self);
}

static void describe(uint64_t number, uint32_t self, uint32_t group, int remote_size,
                     const struct fm_connection *connection)
{
    uint64_t leave = fm_clock_now();
    const uint32_t words[FM_LINK_WORDS] = {
        [FM_LINK_NUMBER] = (uint32_t)number,
        [FM_LINK_NUMBER + 1] = (uint32_t)(number >> 32),
        [FM_LINK_RANK] = self,
        [FM_LINK_HOW] = connection->how,
        [FM_LINK_GROUP] = group,
        [FM_LINK_REMOTE_SIZE] = (uint32_t)remote_size,
        [FM_LINK_DETAIL] =
            connection->detail[0] != '\0' ? fm_session_string(connection->detail) : FM_DEFINE_NONE,
        [FM_LINK_IS_ROOT] = connection->is_root,
        [FM_LINK_ENTER] = (uint32_t)connection->enter,
        [FM_LINK_ENTER + 1] = (uint32_t)(connection->enter >> 32),
        [FM_LINK_LEAVE] = (uint32_t)leave,
        [FM_LINK_LEAVE + 1] = (uint32_t)(leave >> 32)};
    fm_session_define(FM_DEFINE_LINK, words, FM_LINK_WORDS);
}

static void keep(struct link *link)
{
    link->next = __atomic_load_n(&links, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(&links, &link->next, link, false, __ATOMIC_RELEASE,
                                        __ATOMIC_RELAXED)) {
    }
}

uint64_t fm_link_define(MPI_Comm comm, uint32_t group, uint32_t count,
                        const struct fm_connection *connection, uint32_t *remote_group)
{
    int size = 0, remote_size = 0, self = 0;
    MPI_Group local;
    PMPI_Comm_group(comm, &local);
    PMPI_Comm_remote_size(comm, &remote_size);
    PMPI_Group_rank(world_group, &self);
    struct fm_process_place *places = places_of(local, &size);
    struct link *link = malloc(sizeof *link);
    PMPI_Group_free(&local);
    if (places == NULL || link == NULL) {
        free(places);
        free(link);
        return 0;
    }
    link->number = number_link(places, size, count);
    PMPI_Comm_remote_group(comm, &link->remote);
    const uint32_t words[] = {OTF2_PARADIGM_MPI | FM_GROUP_FOREIGN,
                              (uint32_t)remote_size,
                              (uint32_t)link->number,
                              (uint32_t)(link->number >> 32),
                              0,
                              1,
                              (uint32_t)remote_size};
    *remote_group = fm_session_define(FM_DEFINE_GROUP, words, sizeof words / sizeof words[0]);
    if (describes(places, size, (uint32_t)self, connection->is_root)) {
        describe(link->number, (uint32_t)self, group, remote_size, connection);
    }
    free(places);
    keep(link);
    return *remote_group != FM_DEFINE_NONE ? link->number : 0;
}
