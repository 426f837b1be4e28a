/* SPDX-License-Identifier: BSD-3-Clause */
#include "functions/paradigm_names.h"

#include "functions/tables.h"

#include <ctype.h>
#include <otf2/OTF2_GeneralDefinitions.h>
#include <string.h>
#include <strings.h>

/* Regions that a paradigm claims by name, beside those of its own OTF2 paradigm. */
enum claims { NO_OTHER, UNKNOWN, FOREIGN };

enum place { HOST, ACCELERATOR };

struct paradigm {
    const char *name, *title;
    uint8_t otf2;
    uint8_t claims, place;
};

static const struct paradigm paradigms[] = {
#define FM_PARADIGM_ROW(symbol, name, title, otf2, claims, place)                                  \
    {name, title, otf2, claims, place},
#include "functions/paradigms.def"
#undef FM_PARADIGM_ROW
};

enum { COUNT = sizeof paradigms / sizeof paradigms[0] };

/* @return whether a name begins like the functions of a section; the accelerators' ones consist of
 * words: cudaMalloc */
static bool begins_like(const char *name, const struct fm_function_section *section)
{
    const size_t length = strlen(section->prefix);
    const bool is_word = fm_paradigm_is_of_accelerators(section->paradigm) &&
                         islower((unsigned char)section->prefix[length - 1]);
    return strncmp(name, section->prefix, length) == 0 &&
           !(is_word && islower((unsigned char)name[length]));
}

fm_paradigm_t fm_paradigm_of_function(const char *name)
{
    for (size_t i = 0; i < fm_function_section_count; i++) {
        const struct fm_function_section *section = &fm_function_sections[i];
        if (begins_like(name, section)) {
            return section->paradigm;
        }
    }
    return FM_PARADIGM_USER;
}

fm_paradigm_t fm_paradigm_classify(uint8_t otf2_paradigm, const char *name)
{
    if (otf2_paradigm != OTF2_PARADIGM_UNKNOWN && otf2_paradigm != OTF2_PARADIGM_USER) {
        for (size_t i = 0; i < COUNT; i++) {
            if (paradigms[i].otf2 == otf2_paradigm) {
                return (fm_paradigm_t)i;
            }
        }
    }
    for (size_t i = 0; i < fm_function_section_count; i++) {
        const struct fm_function_section *section = &fm_function_sections[i];
        const struct paradigm *paradigm = &paradigms[section->paradigm];
        size_t length = strlen(section->prefix);
        if (paradigm->claims == FOREIGN && strncmp(name, section->prefix, length) == 0) {
            return section->paradigm;
        }
        /* A recorder that names no paradigm may have got the name from a Fortran program. */
        if (paradigm->claims == UNKNOWN && otf2_paradigm == OTF2_PARADIGM_UNKNOWN &&
            strncasecmp(name, section->prefix, length) == 0) {
            return section->paradigm;
        }
    }
    return FM_PARADIGM_USER;
}

uint8_t fm_paradigm_otf2(fm_paradigm_t paradigm)
{
    return paradigms[paradigm].otf2;
}

fm_paradigm_t fm_paradigm_named(const char *name)
{
    for (size_t i = 0; i < COUNT; i++) {
        if (strcmp(paradigms[i].name, name) == 0) {
            return (fm_paradigm_t)i;
        }
    }
    return FM_PARADIGM_USER;
}

bool fm_paradigm_is_of_accelerators(fm_paradigm_t paradigm)
{
    return paradigms[paradigm].place == ACCELERATOR;
}

const char *fm_paradigm_name(fm_paradigm_t paradigm)
{
    return paradigms[paradigm].name;
}

const char *fm_paradigm_title(fm_paradigm_t paradigm)
{
    return paradigms[paradigm].title;
}
