#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# gpu-jobs-nvidia.sh - 64 jobs on 8 NVIDIA GPUs: on a GPU of their own, by MIG, by MPS and in turns
. "$(dirname "$0")/gpu-jobs-lib.sh"

# NVIDIA's library ignores --root, so the test mounts its own trees at /proc and /sys/fs/cgroup.
# shellcheck disable=SC2086 # CC may be two words
command -v ${CC:-cc} >/dev/null || skip 'no compiler for nvml_stub.c'
user=
[ "$(id -u)" = 0 ] || user=--map-root-user
unshare $user --mount sh -c 'mount --bind "$1" /sys/fs/cgroup && mount --bind "$1" /proc' sh \
	"$scratch" 2>/dev/null || skip 'no mount namespace'
# shellcheck disable=SC2086
${CC:-cc} -shared -fPIC -o "$scratch/libnvidia-ml.so.1" "$srcdir/tests/collectors/nvml_stub.c" ||
	fail "nvml_stub.c"
NVML_STUB=$scratch/stub
export NVML_STUB
mkdir -p "$root/proc/self" "$root/proc/1" "$root/proc/driver/nvidia"
: >"$root/proc/1/stat"			# make /proc/1 unreadable to nobody: no processes are hidden
echo 'gpus=8 mig' >"$scratch/stub"
: >"$scratch/want"
n=0
# process DEVICE WHERE KIND: make a process of the next job n, which keeps DEVICE busy and uses n
# MB; WHERE and KIND describe it to the stub
process() {
	n=$((n + 1))
	job $((1000 + n)) $((500 + n))
	echo "$2 $3 $((1000 + n)) $((n * 1000000)) 10" >>"$scratch/stub.processes"
	echo "$1@$((500 + n)) 1 $((n * 1000000))" >>"$scratch/want"
}
process nvidia/0 0 c				# GPUs that one job uses alone
process nvidia/1/1/0 m0 c			# MIG
process nvidia/1/5/2 m1 c
# MPS: the server of GPU 2 belongs to a job, that of GPU 3 to the system
for gpu in 2 3; do
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		process nvidia/$gpu $gpu m
	done
	if [ $gpu = 2 ]; then
		job 8000 503
	else
		stray 8001 mps
	fi
	echo nvidia-cuda-mps-server >"$root/proc/$((7998 + gpu))/comm"
	echo "$gpu c $((7998 + gpu)) 30000000 0" >>"$scratch/stub.processes"
done
while [ $n -lt 64 ]; do				# a GPU that several jobs use in turns
	gpu=$((4 + n % 4))
	process nvidia/$gpu $gpu c
	# The stub lists the process for compute and for graphics; it must count once.
	echo "$gpu g $((1000 + n)) $((n * 1000000)) 10" >>"$scratch/stub.processes"
done
add_sums
# shellcheck disable=SC2016 # the inner shell expands it
LD_LIBRARY_PATH=$scratch unshare $user --mount sh -c '
	mount --bind "$1/sys/fs/cgroup" /sys/fs/cgroup && mount --bind "$1/proc" /proc &&
	exec "$2" collect --stdout --config "$3" gpu_job' sh "$root" "$bin/nodometer-commands" \
	"$conf" >"$scratch/out" 2>&1
sed -n 's/^gpu_job //p' "$scratch/out" | awk '{ print $1, $2, $3 }' | LC_ALL=C sort >"$scratch/got"
[ -s "$scratch/got" ] || cat "$scratch/out" >&3
compare "64 jobs on 8 NVIDIA GPUs"
