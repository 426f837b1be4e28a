#include "record/session/session_objects.h"

#include "record/session/session_paradigms.h"
#include "record/stack/variables.h"

#include <stdio.h>

struct naming {
    struct fm_definitions *set;
    uint32_t rank;
    bool failed;
};

static void define(void *context, uint32_t id, uint64_t address)
{
    struct naming *naming = context;
    char name[512];
    if (!fm_variable_at(address, name, sizeof name)) {
        snprintf(name, sizeof name, "0x%llx", (unsigned long long)address);
    }
    const uint32_t words[] = {naming->rank, id, fm_define_string(naming->set, name)};
    naming->failed = naming->failed || words[2] == FM_DEFINE_NONE ||
                     fm_define(naming->set, FM_DEFINE_OBJECT, words, 3) == FM_DEFINE_NONE;
}

bool fm_session_define_objects(struct fm_definitions *set, uint32_t rank)
{
    struct naming naming = {.set = set, .rank = rank};
    fm_session_report_objects(define, &naming);
    return !naming.failed;
}
