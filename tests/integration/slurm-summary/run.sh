#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# run.sh - with install-hooks --summary, the database of a real Slurm stores what jobs used, in
# jobstats' format
#
# Everything runs on a throw-away copy of this system, in namespaces that end with the test.
packages='slurmctld slurmd slurm-client slurm-wlm-basic-plugins slurmdbd mariadb-server munge
	iproute2 python3 systemd'
namespaces='-m -n -p --fork --kill-child'
. "$(dirname "$0")/../lib.sh"

# For a job with GPUs in a made-up archive, make the comment that the hook would write.
printf 'JS1:%s\n' "$("$bin/nodometer-report" 42 --jobstats \
	--dir "$top/tests/report/jobstats-gpus/archive" | gzip -nc | base64 -w 0)" |
	python3 "$here/decode.py" >"$scratch/gpus" || fail 'not the form of jobstats'
diff - "$scratch/gpus" <<'GPUS' || fail 'GPUs'
n1 2 180
GPU 1: 83.3 %, memory 97.0 %
GPU 3: 50 %, memory 0.0 %
n2 2 180
GPU 0: 40 %, memory 3.1 %
GPUS

a_copy "$here/inside.sh" "$here/decode.py" "$top/tests/integration/slurm.sh"
chroot "$root" /bin/bash /tmp/inside.sh || fail 'see above'
[ -z "${KEEP:-}" ] || cp -a "$root/tmp/slurm" "$root/var/lib/nodometer" "$scratch"
finish
