#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# check_document.sh PROGRAM DOCUMENT: the program prints what stands in the document.
"$1" | diff - "$2" >/dev/null && exit 0
echo "$2 is not what $1 prints: run scripts/update-docs"
exit 1
