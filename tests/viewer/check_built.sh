#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# check_built.sh WEB: the built viewer in the source tree is what its sources make.
web=$1
built=$(mktemp -d) || exit 1
trap 'rm -rf "$built"' EXIT
"$(dirname "$0")/in_web.sh" "$web" npx vite build --outDir "$built" --logLevel warn || exit $?
status=0
for name in dist/viewer.html LICENSES.md; do
    cmp "$built/$(basename $name)" "$web/$name" && continue
    echo "web/$name is not what its sources make: run npm run build in web/"
    status=1
done
exit $status
