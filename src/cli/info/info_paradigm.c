/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of the paradigms that an archive defines. */
#include "cli/info/info.h"
#include "functions/paradigm_names.h"

#include <otf2/OTF2_GeneralDefinitions.h>

/* OTF2's paradigms that are none of functions/paradigms.def. @return NULL: it is not one of them */
static const char *name_in_otf2(uint8_t paradigm)
{
    static const char *const names[] = {
        [OTF2_PARADIGM_COMPILER] = "compiler",
        [OTF2_PARADIGM_HMPP] = "HMPP",
        [OTF2_PARADIGM_OMPSS] = "OmpSs",
        [OTF2_PARADIGM_HARDWARE] = "hardware",
        [OTF2_PARADIGM_GASPI] = "GASPI",
        [OTF2_PARADIGM_UPC] = "UPC",
        [OTF2_PARADIGM_WINTHREAD] = "Windows threads",
        [OTF2_PARADIGM_QTTHREAD] = "Qt threads",
        [OTF2_PARADIGM_ACETHREAD] = "ACE threads",
        [OTF2_PARADIGM_TBBTHREAD] = "TBB",
        [OTF2_PARADIGM_MTAPI] = "MTAPI",
        [OTF2_PARADIGM_SAMPLING] = "sampling",
        [OTF2_PARADIGM_NONE] = "none",
        [OTF2_PARADIGM_KOKKOS] = "Kokkos",
    };
    return paradigm < sizeof names / sizeof *names ? names[paradigm] : NULL;
}

const char *fm_info_region_paradigm(const struct fm_survey *survey,
                                    const struct fm_survey_region *region)
{
    const char *in_otf2 = name_in_otf2(region->paradigm);
    const char *name = fm_survey_string(survey, region->name);
    fm_paradigm_t paradigm = fm_paradigm_classify(region->paradigm, name != NULL ? name : "");
    if (paradigm == FM_PARADIGM_USER && region->paradigm != OTF2_PARADIGM_USER) {
        return in_otf2 != NULL ? in_otf2 : "unknown";
    }
    return fm_paradigm_title(paradigm);
}

const char *fm_info_paradigm(const struct fm_survey *survey,
                             const struct fm_survey_paradigm *defined)
{
    const char *in_otf2 = name_in_otf2(defined->paradigm);
    const char *own = fm_survey_string(survey, defined->name);
    fm_paradigm_t paradigm = fm_paradigm_classify(defined->paradigm, "");
    if (paradigm != FM_PARADIGM_USER || defined->paradigm == OTF2_PARADIGM_USER) {
        return fm_paradigm_title(paradigm);
    }
    return in_otf2 != NULL ? in_otf2 : own != NULL && own[0] != '\0' ? own : "unknown";
}
