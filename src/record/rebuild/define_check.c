/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/rebuild/define_check.h"

#include <string.h>

static bool refers(const struct fm_definitions *set, enum fm_define_kind kind, uint32_t number)
{
    return number < set->tables[kind].count;
}

static bool refers_or_none(const struct fm_definitions *set, enum fm_define_kind kind,
                           uint32_t number)
{
    return number == FM_DEFINE_NONE || refers(set, kind, number);
}

static bool string_is_sound(const uint32_t *words, size_t count)
{
    size_t room = (count - 1) * sizeof *words;
    return words[0] < room && strnlen((const char *)(words + 1), room) == words[0] &&
           count == 1 + (size_t)words[0] / 4 + 1;
}

static bool foreign_group_is_sound(const uint32_t *words, size_t count)
{
    uint64_t members = 0;
    if ((count - FM_GROUP_RANGES) % FM_FOREIGN_WORDS != 0 ||
        (words[FM_GROUP_PARADIGM] & ~(uint32_t)FM_GROUP_FOREIGN) > UINT8_MAX ||
        words[FM_GROUP_MEMBERS] > FM_DEFINE_LARGEST) {
        return false;
    }
    for (size_t range = FM_GROUP_RANGES; range < count; range += FM_FOREIGN_WORDS) {
        members += words[range + FM_FOREIGN_COUNT];
        if (words[range + FM_FOREIGN_COUNT] == 0 ||
            words[range + FM_FOREIGN_FIRST] >= FM_DEFINE_LARGEST) {
            return false;
        }
    }
    return members == words[FM_GROUP_MEMBERS];
}

static bool group_is_sound(const uint32_t *words, size_t count)
{
    uint64_t members = 0;
    if (count >= FM_GROUP_RANGES && (words[FM_GROUP_PARADIGM] & FM_GROUP_FOREIGN) != 0) {
        return foreign_group_is_sound(words, count);
    }
    if (count < FM_GROUP_RANGES || (count - FM_GROUP_RANGES) % 3 != 0 ||
        words[FM_GROUP_PARADIGM] > UINT8_MAX || words[FM_GROUP_MEMBERS] > FM_DEFINE_LARGEST) {
        return false;
    }
    for (size_t range = FM_GROUP_RANGES; range < count; range += 3) {
        members += words[range + 2];
        if (words[range + 2] == 0 || words[range] >= FM_DEFINE_LARGEST) {
            return false;
        }
    }
    return members == words[FM_GROUP_MEMBERS];
}

static bool comm_is_sound(const struct fm_definitions *set, const uint32_t *words, size_t count)
{
    if (count != FM_COMM_WORDS || words[FM_COMM_ORIGIN] > FM_COMM_ACROSS ||
        words[FM_COMM_PARADIGM] > UINT8_MAX ||
        !refers_or_none(set, FM_DEFINE_GROUP, words[FM_COMM_GROUP]) ||
        !refers_or_none(set, FM_DEFINE_GROUP, words[FM_COMM_SECOND_GROUP]) ||
        !refers_or_none(set, FM_DEFINE_COMM, words[FM_COMM_PARENT]) ||
        !refers_or_none(set, FM_DEFINE_STRING, words[FM_COMM_NAME])) {
        return false;
    }
    switch (words[FM_COMM_ORIGIN]) {
    case FM_COMM_FROM_PARENT:
        return refers_or_none(set, FM_DEFINE_COMM, words[FM_COMM_A]);
    case FM_COMM_FROM_GROUP:
        return refers_or_none(set, FM_DEFINE_GROUP, words[FM_COMM_A]);
    case FM_COMM_FROM_PAIR:
        return refers_or_none(set, FM_DEFINE_GROUP, words[FM_COMM_A]) &&
               refers_or_none(set, FM_DEFINE_GROUP, words[FM_COMM_B]);
    default:
        return true;
    }
}

static bool topology_is_sound(const struct fm_definitions *set, const uint32_t *words, size_t count)
{
    uint64_t ranks = 1;
    if (count < 3 || words[2] > UINT8_MAX || count != 3 + 2 * (size_t)words[2] ||
        !refers(set, FM_DEFINE_COMM, words[0]) ||
        !refers_or_none(set, FM_DEFINE_STRING, words[1])) {
        return false;
    }
    for (uint32_t d = 0; d < words[2] && ranks <= FM_DEFINE_LARGEST; d++) {
        ranks *= words[3 + 2 * d];
    }
    return ranks <= FM_DEFINE_LARGEST;
}

bool fm_define_is_sound(const struct fm_definitions *set, enum fm_define_kind kind,
                        const uint32_t *words, size_t count)
{
    if (count == 0) {
        return false;
    }
    switch (kind) {
    case FM_DEFINE_STRING:
        return string_is_sound(words, count);
    case FM_DEFINE_REGION:
        return count == 6 && refers(set, FM_DEFINE_STRING, words[0]) &&
               refers_or_none(set, FM_DEFINE_STRING, words[4]);
    case FM_DEFINE_LINE:
        return count == 2 && refers_or_none(set, FM_DEFINE_STRING, words[0]);
    case FM_DEFINE_BINARY:
        return count == FM_BINARY_WORDS && refers(set, FM_DEFINE_STRING, words[FM_BINARY_PATH]) &&
               refers(set, FM_DEFINE_STRING, words[FM_BINARY_ID]);
    case FM_DEFINE_SITE: /* without frames, which are resolved later */
        return count == FM_SITE_FRAMES &&
               (words[FM_SITE_BINARY] == FM_DEFINE_NONE
                    ? refers(set, FM_DEFINE_REGION, words[FM_SITE_FUNCTION])
                    : refers(set, FM_DEFINE_BINARY, words[FM_SITE_BINARY])) &&
               refers_or_none(set, FM_DEFINE_BINARY, words[FM_SITE_TARGET_BINARY]);
    case FM_DEFINE_PARAMETER:
        return count == 2 && refers(set, FM_DEFINE_STRING, words[0]);
    case FM_DEFINE_METRIC:
        return count == 4 && refers(set, FM_DEFINE_STRING, words[0]) &&
               refers(set, FM_DEFINE_STRING, words[1]);
    case FM_DEFINE_ATTRIBUTE:
        return count == 3 && refers(set, FM_DEFINE_STRING, words[0]) &&
               refers(set, FM_DEFINE_STRING, words[1]);
    case FM_DEFINE_MARKER:
        return count == 5 && refers(set, FM_DEFINE_STRING, words[4]);
    case FM_DEFINE_GROUP:
        return group_is_sound(words, count);
    case FM_DEFINE_COMM:
        return comm_is_sound(set, words, count);
    case FM_DEFINE_WIN:
        return count == FM_WIN_WORDS && refers(set, FM_DEFINE_COMM, words[FM_WIN_COMM]) &&
               refers_or_none(set, FM_DEFINE_STRING, words[FM_WIN_NAME]);
    case FM_DEFINE_IO_FILE:
        return count == 1 && refers(set, FM_DEFINE_STRING, words[0]);
    case FM_DEFINE_IO_HANDLE:
        return count == FM_IO_HANDLE_WORDS &&
               refers(set, FM_DEFINE_IO_FILE, words[FM_IO_HANDLE_FILE]) &&
               refers_or_none(set, FM_DEFINE_COMM, words[FM_IO_HANDLE_COMM]);
    case FM_DEFINE_LINK:
        return count == FM_LINK_WORDS && words[FM_LINK_HOW] < FM_LINKS &&
               words[FM_LINK_RANK] < FM_DEFINE_LARGEST &&
               words[FM_LINK_REMOTE_SIZE] <= FM_DEFINE_LARGEST &&
               refers(set, FM_DEFINE_GROUP, words[FM_LINK_GROUP]) &&
               refers_or_none(set, FM_DEFINE_STRING, words[FM_LINK_DETAIL]);
    case FM_DEFINE_TOPOLOGY:
        return topology_is_sound(set, words, count);
    case FM_DEFINE_NODE:
        return count == 1 && refers(set, FM_DEFINE_STRING, words[0]);
    case FM_DEFINE_PROCESS:
        return count >= 4 && refers(set, FM_DEFINE_NODE, words[1]) &&
               words[3] <= FM_DEFINE_LARGEST && count == 4 + 2 * (size_t)words[3];
    default:
        return false;
    }
}
