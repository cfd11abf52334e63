#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# run.sh - on a bare Debian of the release in this folder's name, README's commands get the
# source, try it (see is_tried in debian.sh), and build and check the packages
packages='mmdebstrap git'
namespaces=-m
. "$(dirname "$0")/../lib.sh"
. "$top/tests/integration/debian.sh"

need_root "${here##*/}"
sed -n '/dpkg-buildpackage/,$p' "$built.log" >"$scratch/log"
grep -q '^# FAIL: *0$' "$scratch/log" || fail 'packages without checks'
sed -n '/will be built with$/,/compiler/p' "$scratch/log" >"$scratch/rows"
[ "$(grep -c ' yes$' "$scratch/rows")" -ge 9 ] || fail 'configure says not what it found'
! grep ' no$' "$scratch/rows" || fail 'a package without it'
finish
