/* SPDX-License-Identifier: BSD-3-Clause */
/* Profiles and tables of any bytes: read or refused with a reason; loads follow from what is read.
 */
#include "imbalance/model/sweep.h"
#include "imbalance/output/output.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void use(const struct fm_gpu_sources *sources)
{
    const struct fm_gpu_request request = {.kernels = NULL};
    struct fm_gpu_run run;
    struct fm_error error = {""};
    if (fm_gpu_run_make(sources, &request, "fuzz", "", &run, &error) != FM_OK) {
        if (error.message[0] == '\0') {
            abort();
        }
        return;
    }
    struct fm_sweep sweep;
    const struct fm_gpu_sources *all[] = {sources, sources};
    fm_sweep_make(&run, 1, all, 2, &sweep);
    const struct fm_imbalance_result result = {.runs = &run, .run_count = 1, .sweep = &sweep};
    FILE *stream = fopen("/dev/null", "we");
    if (stream != NULL) {
        fm_imbalance_write_json(&result, stream);
        fm_imbalance_write_page(&result, stream);
        fclose(stream);
    }
    fm_sweep_free(&sweep);
    fm_gpu_run_free(&run);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fm_input_file *file;
    struct fm_error error = {""};
    if (fm_input_parse((const char *)data, size, "fuzz.0.csv", FM_DECIMAL_UNKNOWN, &file, &error) !=
        FM_OK) {
        if (error.message[0] == '\0') {
            abort();
        }
        return 0;
    }
    struct fm_gpu_sources sources = {.files = {0}};
    fm_vector_push(&sources.files, file);
    use(&sources);
    fm_gpu_sources_free(&sources);
    return 0;
}
