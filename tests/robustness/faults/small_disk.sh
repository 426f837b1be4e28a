#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Runs a command with ./disk on a file system that has room for 2 MB only; then `fermata info` on
# ./disk/experiment there, and again when there is room. What they say goes to full.* and roomy.*;
# the experiment is copied to ./experiment. Runs in a mount namespace of its own (unshare).
#
# usage: small_disk.sh tmpfs|quota FERMATA COMMAND...      exit status: the command's; 77: impossible
kind=$1
fermata=$2
shift 2

impossible() {
    echo "impossible here: $1" >&2
    exit 77
}

mkdir disk
case $kind in
tmpfs)
    mount -t tmpfs -o size=2m tmpfs disk || impossible "mount"
    make_room() { mount -o remount,size=256m disk; }
    ;;
quota)
    command -v mkfs.btrfs >/dev/null || impossible "no mkfs.btrfs (btrfs-progs)"
    mkdir volume
    truncate -s 256M image && mkfs.btrfs -q image >/dev/null && mount -o loop image volume ||
        impossible "mount"
    { btrfs quota enable volume && btrfs subvolume create volume/limited &&
        btrfs qgroup limit 2M volume/limited; } >/dev/null || impossible "quota"
    mount --bind volume/limited disk || impossible "mount"
    make_room() { btrfs qgroup limit none volume/limited; }
    ;;
esac

"$@"
status=$?
ask() {
    "$fermata" info disk/experiment >"$1.out" 2>"$1.err"
    echo $? >"$1.status"
    ls disk/experiment >"$1.files"
}
ask full
make_room || impossible "more room"
ask roomy
cp -r disk/experiment .
exit $status
