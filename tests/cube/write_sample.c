/* write_sample sample|empty FILE: writes a report for the tests of the report command. */
#include "sample_cube.h"

#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
    struct fm_cube *cube = strcmp(argv[1], "empty") == 0 ? empty_cube() : sample_cube();
    struct fm_error error;
    fm_status_t status = fm_cube_write(cube, argv[2], &error);
    if (status != FM_OK)
        fprintf(stderr, "%s\n", error.message);
    fm_cube_free(cube);
    return (int)status;
}
