/* write_sample sample|empty|wide|progress|little-progress FILE: writes a report for the tests of
 * the report command. progress: the sample, where rank 0 also waits for progress, long or shortly.
 */
#include "sample_cube.h"

#include <stdio.h>
#include <string.h>

static fm_status_t add_progress(struct fm_cube *cube, int64_t upper, int64_t lower,
                                struct fm_error *error)
{
    fm_status_t status =
        fm_cube_add(cube, FM_METRIC_MPI_RMA_SYNC_WAIT_FOR_PROGRESS, SAMPLE_WAIT, 0, upper, error);
    if (status == FM_OK)
        status = fm_cube_add(cube, FM_METRIC_MPI_RMA_SYNC_WAIT_FOR_PROGRESS_LOWER, SAMPLE_WAIT, 0,
                             lower, error);
    return status == FM_OK ? fm_cube_seal(cube, error) : status;
}

int main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
    struct fm_cube *cube = strcmp(argv[1], "empty") == 0  ? empty_cube()
                           : strcmp(argv[1], "wide") == 0 ? wide_cube()
                                                          : sample_cube();
    struct fm_error error;
    fm_status_t status = FM_OK;
    if (strcmp(argv[1], "progress") == 0)
        status = add_progress(cube, 340000, 120000, &error);
    else if (strcmp(argv[1], "little-progress") == 0)
        status = add_progress(cube, 400, 300, &error);
    if (status == FM_OK)
        status = fm_cube_write(cube, argv[2], &error);
    if (status != FM_OK)
        fprintf(stderr, "%s\n", error.message);
    fm_cube_free(cube);
    return (int)status;
}
