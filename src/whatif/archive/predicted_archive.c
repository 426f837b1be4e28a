#include "whatif/archive/predicted_archive.h"

#include "whatif/archive/retimer.h"

struct writing {
    const struct fm_detail *detail;
    const struct fm_replay *replay;
    const struct fm_edits *edits;
    struct fm_retimer retimer;
};

static OTF2_ErrorCode begin(void *context, OTF2_EvtWriter *writer, uint32_t location,
                            const struct fm_otf2_references *unused)
{
    (void)writer, (void)unused;
    struct writing *writing = context;
    fm_retimer_begin(&writing->retimer, writing->detail, location, writing->replay, writing->edits);
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

fm_status_t fm_predicted_archive_write(const struct fm_detail *detail,
                                       const struct fm_replay *replay, const struct fm_edits *edits,
                                       const char *directory, struct fm_error *error)
{
    struct writing writing = {.detail = detail, .replay = replay, .edits = edits};
    const struct fm_otf2_additions additions = {.context = &writing,
                                                .begin = begin,
                                                .retime = retime,
                                                .retime_acquisition = retime_acquisition};
    fm_status_t status = fm_otf2_copy(detail->trace, directory, &additions, error);
    fm_retimer_free(&writing.retimer);
    return status;
}
