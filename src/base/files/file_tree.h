/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Folders with all that is in them.
 */
#ifndef FERMATA_BASE_FILES_FILE_TREE_H
#define FERMATA_BASE_FILES_FILE_TREE_H

/** Removes a file, or a folder and everything below it; symbolic links are removed, not followed.
 * @return 0, or -1 with errno if something is left. Thread-safe for distinct trees. */
int fm_remove_tree(const char *path);

#endif
