/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/stack/site_set.h"

#include "record/stack/modules.h"
#include "record/stack/places.h"
#include "record/stack/python/python_sites.h"

#include <otf2/otf2.h>
#include <stdio.h>

_Static_assert(FM_SITE_NO_TARGET == FM_DEFINE_NONE, "a call site without a known target has none");

static bool add_binary(struct fm_definitions *set, uint32_t number)
{
    const struct fm_module *module = fm_modules_get(number);
    char id[2 * FM_BUILD_ID_MOST + 1] = "";
    for (size_t i = 0; i < module->build_id_length; i++) {
        snprintf(id + 2 * i, 3, "%02x", module->build_id[i]);
    }
    struct fm_site main = fm_sites_main();
    uint64_t begin = main.module == number ? main.function : 0;
    const uint32_t words[FM_BINARY_WORDS] = {
        [FM_BINARY_PATH] = fm_define_string(set, module->path != NULL ? module->path : ""),
        [FM_BINARY_ID] = fm_define_string(set, id),
        [FM_BINARY_MAIN] = (uint32_t)begin,
        [FM_BINARY_MAIN + 1] = (uint32_t)(begin >> 32),
        [FM_BINARY_SERIAL] = number,
    };
    return words[FM_BINARY_PATH] != FM_DEFINE_NONE && words[FM_BINARY_ID] != FM_DEFINE_NONE &&
           fm_define(set, FM_DEFINE_BINARY, words, FM_BINARY_WORDS) == number;
}

static bool add_python_site(struct fm_definitions *set, uint32_t number, const struct fm_site *site)
{
    const struct fm_python_function function = fm_python_function((uint32_t)site->function);
    uint32_t region =
        fm_define_region(set, function.name, OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_USER,
                         OTF2_REGION_FLAG_NONE, function.file, function.line);
    const uint32_t words[FM_SITE_FRAMES] = {
        [FM_SITE_BINARY] = FM_DEFINE_NONE,
        [FM_SITE_FUNCTION] = region,
        [FM_SITE_FUNCTION + 1] = (uint32_t)(site->function >> 32),
        [FM_SITE_ADDRESS] = (uint32_t)site->offset,
        [FM_SITE_TARGET_BINARY] = FM_DEFINE_NONE,
        [FM_SITE_SERIAL] = number,
    };
    return region != FM_DEFINE_NONE &&
           fm_define(set, FM_DEFINE_SITE, words, FM_SITE_FRAMES) == number - 1;
}

static bool add_site(struct fm_definitions *set, uint32_t number)
{
    struct fm_site site = fm_sites_get(number);
    if (site.module == FM_SITE_PYTHON) {
        return add_python_site(set, number, &site);
    }
    const uint32_t words[FM_SITE_FRAMES] = {
        [FM_SITE_BINARY] = site.module,
        [FM_SITE_FUNCTION] = (uint32_t)site.function,
        [FM_SITE_FUNCTION + 1] = (uint32_t)(site.function >> 32),
        [FM_SITE_ADDRESS] = (uint32_t)site.offset,
        [FM_SITE_ADDRESS + 1] = (uint32_t)(site.offset >> 32),
        [FM_SITE_TARGET_BINARY] = site.target_module,
        [FM_SITE_TARGET] = (uint32_t)site.target,
        [FM_SITE_TARGET + 1] = (uint32_t)(site.target >> 32),
        [FM_SITE_SERIAL] = number,
    };
    return fm_define(set, FM_DEFINE_SITE, words, FM_SITE_FRAMES) == number - 1;
}

bool fm_site_set_update(struct fm_definitions *set)
{
    bool good = true;
    uint32_t sites = fm_sites_count(), binaries = fm_modules_count();
    for (size_t i = set->tables[FM_DEFINE_BINARY].count; good && i < binaries; i++) {
        good = add_binary(set, (uint32_t)i);
    }
    for (size_t i = set->tables[FM_DEFINE_SITE].count + 1; good && i < sites; i++) {
        good = add_site(set, (uint32_t)i);
    }
    return good;
}
