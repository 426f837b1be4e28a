#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# in_web.sh WEB COMMAND...: runs a command of the viewer's packages there; skipped without them.
cd "$1" || exit 1
shift
if [ ! -d node_modules ] || ! command -v npx >/dev/null; then
    echo "skipped: no packages in $PWD (npm ci)"
    exit 77
fi
exec "$@"
