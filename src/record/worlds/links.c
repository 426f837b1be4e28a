/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/worlds/links.h"

#include <string.h>

/* Whether `a` may be the side of the world that spawned, accepted or joined. */
static bool fits(const struct fm_link_side *a, const struct fm_link_side *b)
{
    static const enum fm_link others[FM_LINKS] = {[FM_LINK_SPAWN] = FM_LINK_PARENT,
                                                  [FM_LINK_PARENT] = FM_LINKS,
                                                  [FM_LINK_ACCEPT] = FM_LINK_CONNECT,
                                                  [FM_LINK_CONNECT] = FM_LINKS,
                                                  [FM_LINK_JOIN] = FM_LINK_JOIN};
    if (b->how != others[a->how]) {
        return false;
    }
    if (a->how == FM_LINK_SPAWN && b->enter + b->error + a->error <= a->enter) {
        return false; /* it was started by an earlier call */
    }
    bool is_port = a->how == FM_LINK_ACCEPT;
    bool may_lack = !is_port && (a->detail[0] == '\0' || b->detail[0] == '\0');
    return may_lack || strcmp(a->detail, b->detail) == 0;
}

/* Whether a call may have begun before another one ended. */
static bool begins_before_end(const struct fm_link_side *a, const struct fm_link_side *b)
{
    return a->enter < b->leave + a->error + b->error;
}

bool fm_links_may_be_one(const struct fm_link_side *a, const struct fm_link_side *b)
{
    return a->world != b->world && a->is_root && b->is_root && a->size == b->remote_size &&
           a->remote_size == b->size && begins_before_end(a, b) && begins_before_end(b, a) &&
           (fits(a, b) || fits(b, a));
}

/* The only side that a side may belong to; FM_DEFINE_NONE: none, or several. */
static uint32_t only_choice(const struct fm_link_side *sides, uint32_t count, uint32_t side)
{
    uint32_t choice = FM_DEFINE_NONE;
    for (uint32_t i = 0; i < count; i++) {
        if (sides[i].partner == FM_DEFINE_NONE && fm_links_may_be_one(&sides[side], &sides[i])) {
            if (choice != FM_DEFINE_NONE) {
                return FM_DEFINE_NONE;
            }
            choice = i;
        }
    }
    return choice;
}

void fm_links_match(struct fm_link_side *sides, uint32_t count)
{
    uint32_t pairs = 0;
    bool more = true;
    for (uint32_t i = 0; i < count; i++) {
        sides[i].partner = sides[i].pair = FM_DEFINE_NONE;
    }
    while (more) {
        more = false;
        for (uint32_t i = 0; i < count; i++) {
            uint32_t other =
                sides[i].partner == FM_DEFINE_NONE ? only_choice(sides, count, i) : FM_DEFINE_NONE;
            if (other != FM_DEFINE_NONE) {
                sides[i].partner = other;
                sides[other].partner = i;
                sides[i].pair = sides[other].pair = pairs++;
                more = true;
            }
        }
    }
}
