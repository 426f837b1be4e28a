/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/archive/attribute.h"

#include <otf2/otf2.h>

bool fm_attributes_used;

bool fm_attributes_define(struct fm_definitions *set)
{
    static const struct {
        const char *name, *description;
        OTF2_Type type;
    } attributes[] = {
#define FM_ATTRIBUTE(symbol, name, type, description) {name, description, OTF2_TYPE_##type},
#include "base/unrecorded.def"
#undef FM_ATTRIBUTE
    };
    bool good = true;
    for (uint32_t i = 0; i < FM_ATTRIBUTE_COUNT; i++) {
        const uint32_t words[] = {fm_define_string(set, attributes[i].name),
                                  fm_define_string(set, attributes[i].description),
                                  attributes[i].type};
        good = words[0] != FM_DEFINE_NONE && words[1] != FM_DEFINE_NONE &&
               fm_define(set, FM_DEFINE_ATTRIBUTE, words, 3) == i && good;
    }
    return good;
}
