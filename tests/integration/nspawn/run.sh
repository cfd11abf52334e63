#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# run.sh - nodometer's units under a real systemd: readiness, sandbox, reload, watchdog, jobs during
# a restart
#
# Runs in a build folder. systemd boots in a container on a throw-away copy of this system, where
# inside.sh installs this build and tests the units.
packages='systemd systemd-container systemd-sysv dbus logrotate'
namespaces=-m
. "$(dirname "$0")/../lib.sh"

root=$scratch/root share=$scratch/share
mkdir "$share"
installed "$share/install"
cp "$here/inside.sh" "$top/tests/integration/words.sh" "$share" || exit 1
overlay "$root"
rm -f "$root"/etc/systemd/system/*.wants/* "$root/.dockerenv"

in_container "$root" 600 --capability=CAP_PERFMON
finish
