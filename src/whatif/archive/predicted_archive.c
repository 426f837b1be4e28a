/* SPDX-License-Identifier: BSD-3-Clause */
#include "whatif/archive/predicted_archive.h"

#include "whatif/archive/retimer.h"

struct writing {
    const struct fm_detail *detail;
    const struct fm_prediction *prediction;
    struct fm_retimer retimer;
};

static OTF2_ErrorCode begin(void *context, OTF2_EvtWriter *writer, uint32_t location,
                            const struct fm_otf2_references *unused)
{
    (void)writer, (void)unused;
    struct writing *writing = context;
    fm_retimer_begin(&writing->retimer, writing->detail, location, writing->prediction->replay,
                     writing->prediction->edits);
    return OTF2_SUCCESS;
}

static uint64_t retime(void *context, fm_otf2_event_t event, uint32_t call, uint64_t time)
{
    struct writing *writing = context;
    return fm_retimer_map(&writing->retimer, event, call, time);
}

static uint64_t retime_acquisition(void *context)
{
    struct writing *writing = context;
    return fm_retimer_acquisition(&writing->retimer);
}

static uint32_t renumber(void *context, uint32_t location, uint64_t lock, uint32_t order)
{
    const struct writing *writing = context;
    return fm_renumbered_order(&writing->prediction->renumbered,
                               fm_trace_process(writing->detail->trace, location), lock, order);
}

fm_status_t fm_predicted_archive_write(const struct fm_detail *detail,
                                       const struct fm_prediction *prediction,
                                       bool has_partner_fences, const char *directory,
                                       struct fm_error *error)
{
    struct writing writing = {.detail = detail, .prediction = prediction};
    const struct fm_otf2_additions additions = {.context = &writing,
                                                .property =
                                                    has_partner_fences ? FM_PARTNER_FENCES : NULL,
                                                .begin = begin,
                                                .retime = retime,
                                                .retime_acquisition = retime_acquisition,
                                                .renumber = renumber};
    fm_status_t status = fm_otf2_copy(detail->trace, directory, &additions, error);
    fm_retimer_free(&writing.retimer);
    return status;
}
