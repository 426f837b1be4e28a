/* One-sided communication: builds the epochs once for all of its patterns. */
#include "analysis/one_sided/one_sided.h"

static void detect(struct fm_analysis *analysis)
{
    if (analysis->trace->window_count == 0) {
        return;
    }
    struct fm_progress *progress =
        analysis->asynchronous_progress ? NULL : fm_progress_create(analysis);
    struct fm_epochs *epochs = fm_epochs_build(analysis, progress);
    fm_detect_window_collectives(analysis, epochs);
    fm_detect_general_active_target(analysis, epochs);
    if (progress != NULL) {
        fm_detect_wait_for_progress(analysis, progress, epochs);
        fm_progress_free(progress);
    }
    fm_detect_lock_contention(analysis, epochs);
    fm_epochs_free(epochs, analysis->trace->process_count);
}

const struct fm_pattern fm_pattern_one_sided = {"one-sided", detect};
