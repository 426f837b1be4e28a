/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/files/file_tree.h"

#include <ftw.h>
#include <stdio.h>

#define OPEN_FOLDERS 16

static int remove_entry(const char *path, const struct stat *status, int type, struct FTW *place)
{
    (void)status;
    (void)type;
    (void)place;
    return remove(path);
}

int fm_remove_tree(const char *path)
{
    return nftw(path, remove_entry, OPEN_FOLDERS, FTW_DEPTH | FTW_PHYS);
}
