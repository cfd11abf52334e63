#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# run.sh - a real Slurm of four nodes runs the installed hooks: no mark is lost, and no node is
# drained
#
# Each node is a slurmd and an agent on this host, distinguished by their names. Everything runs on
# a throw-away copy of this system, in namespaces that end with the test.
packages='slurmctld slurmd slurm-client slurm-wlm-basic-plugins munge iproute2 jq'
namespaces='-m -n -p --fork --kill-child'
. "$(dirname "$0")/../lib.sh"
jobs=${JOBS:-1000} at_once=${AT_ONCE:-4} rounds=${ROUNDS:-1}

a_copy "$here/inside.sh" "$here/agree.awk" "$top/tests/integration/slurm.sh"
chroot "$root" /bin/bash /tmp/inside.sh "$jobs" "$at_once" "$rounds" || fail 'see above'
[ -z "${KEEP:-}" ] || cp -a "$root/tmp/slurm" "$root/var/lib/nodometer" "$scratch"
finish
