#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# run.sh - the packages install on a bare Debian, and an ordinary user can run nodometer
packages='mmdebstrap git'
namespaces=-m
. "$(dirname "$0")/../lib.sh"
. "$top/tests/integration/debian.sh"
checks=no

on_root "$(. /etc/os-release && echo "$VERSION_CODENAME")"
kernel_files "$root"
command=$(readme dpkg-buildpackage | grep '^apt-get install \.\./')
within "$root" sh -exc "cd ~/nodometer; $command
	apt-get install ../nodometer-tools_*.deb systemd" >"$scratch/log" 2>&1 ||
	{ tail -n 20 "$scratch/log"; die 'the packages do not install'; }
within "$root" systemd-analyze verify nodometerd.service >"$scratch/log" 2>&1 ||
	fail "nodometerd.service: $(cat "$scratch/log")"
within "$root" setpriv --reuid 65534 --regid 65534 --clear-groups env HOME=/tmp sh -c 'cd /tmp &&
	nodometer run -- sh -c "i=0; while [ \$i -lt 300000 ]; do i=\$((i + 1)); done"' \
	>"$scratch/page" 2>&1 || fail "nodometer run: $(cat "$scratch/page")"
grep -q '^Job ' "$scratch/page" || fail "no page: $(cat "$scratch/page")"
grep -q 'CPU' "$scratch/page" || fail "no CPU time on the page: $(cat "$scratch/page")"
off_root
finish
