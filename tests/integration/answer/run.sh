#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# run.sh - through nodometer-answer.socket, users see their own jobs, but nothing of other users
#
# Runs in a build folder. systemd boots in a container on a throw-away copy of this system, where
# inside.sh installs this build. TRIES=10000 sets the number of requests for other users' jobs.
packages='systemd systemd-container systemd-sysv dbus perl'
namespaces=-m
. "$(dirname "$0")/../lib.sh"

root=$scratch/root share=$scratch/share
mkdir "$share"
installed "$share/install"
cp "$here"/*.pl "$here/inside.sh" "$top/tests/integration/words.sh" "$share" || exit 1
echo "${TRIES:-300}" >"$share/tries"
overlay "$root"
rm -f "$root"/etc/systemd/system/*.wants/* "$root/.dockerenv"

in_container "$root" $((600 + ${TRIES:-0} / 5))
finish
