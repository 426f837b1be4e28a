#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Runs a command with another /dev/shm: small (64 MB), full, read-only, or on disk. In a mount namespace
# of its own.
#
# usage: shm_room.sh small|full|readonly|disk COMMAND...      exit status: the command's; 77: impossible
if [ "$1" != inside ]; then
    unshare --map-root-user --mount true 2>/dev/null || exit 77
    exec unshare --map-root-user --mount "$0" inside "$@"
fi
kind=$2
shift 2
impossible() {
    echo "impossible here: $1" >&2
    exit 77
}
case $kind in
small) mount -t tmpfs -o size=64m tmpfs /dev/shm || impossible mount ;;
full)
    mount -t tmpfs -o size=64m tmpfs /dev/shm || impossible mount
    dd if=/dev/zero of=/dev/shm/filled bs=1M >/dev/null 2>&1
    ;;
readonly) mount -t tmpfs -o ro,size=64m tmpfs /dev/shm || impossible mount ;;
disk)
    folder=$(mktemp -d)
    trap 'rmdir "$folder"' EXIT
    mount --bind "$folder" /dev/shm || impossible mount
    "$@"
    status=$?
    umount /dev/shm
    exit $status
    ;;
esac
exec "$@"
