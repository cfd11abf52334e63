#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# run.sh - a real Grid Engine runs the installed prolog and epilog: jobs, tasks, a killed job
#
# Everything runs on a throw-away copy of this system, in namespaces that end with the test.
packages='gridengine-master gridengine-exec gridengine-client iproute2'
namespaces='-m -n -u -p --fork --kill-child'
. "$(dirname "$0")/../lib.sh"

a_copy "$here/inside.sh"
hostname gehost
printf '127.0.0.1 localhost\n10.77.0.1 gehost\n' >"$root/etc/hosts"
chroot "$root" /bin/bash /tmp/inside.sh || fail 'see above'
finish
