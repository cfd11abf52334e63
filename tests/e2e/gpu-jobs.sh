#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# gpu-jobs.sh - 64 jobs on 8 GPUs, alone, by MIG, by MPS and in turns: find the processes of each
# job
. "$(dirname "$0")/lib.sh"

root=$scratch/root
groups=$root/sys/fs/cgroup/system.slice/slurmstepd.scope
job() {		# PID JOB: a process in the job's control group
	mkdir -p "$root/proc/$1" "$groups/job_$2/step_0/user/task_0"
	echo "0::/system.slice/slurmstepd.scope/job_$2/step_0/user/task_0" >"$root/proc/$1/cgroup"
	echo "a.out" >"$root/proc/$1/comm"
}
stray() {	# PID NAME: a process of no job
	mkdir -p "$root/proc/$1"
	echo "0::/system.slice/$2.service" >"$root/proc/$1/cgroup"
	echo "$2" >"$root/proc/$1/comm"
}
# client PID FD CARD CLIENT ENGINE-NS MEMORY-KIB: a file of amdgpu as since Linux 6.5
client() {
	mkdir -p "$root/proc/$1/fd" "$root/proc/$1/fdinfo"
	ln -sf "/dev/dri/renderD$((128 + $3))" "$root/proc/$1/fd/$2"
	printf '%s:\t%s\n' pos 0 flags 02100002 mnt_id 26 ino 1034 \
		drm-driver amdgpu drm-client-id "$4" drm-pdev "0000:$((10 + $3)):00.0" \
		drm-total-vram "$(($6 * 2)) KiB" drm-resident-vram "$6 KiB" \
		drm-total-gtt "16 KiB" drm-resident-gtt "16 KiB" \
		drm-memory-vram "$6 KiB" drm-engine-gfx "$5 ns" \
		drm-engine-compute "1000 ns" >"$root/proc/$1/fdinfo/$2"
}
rows() {	# ROOT: type gpu_job in the order of names, "DEVICE PROCESSES MEMORY BUSY"
	nodometer collect gpu_job --stdout --root "$1" >"$scratch/out" 2>&1 ||
		fail "collect: $(cat "$scratch/out")"
	sed -n 's/^gpu_job //p' "$scratch/out" | LC_ALL=C sort
}
compare() {	# WHAT; the file "want" and the file "got"
	LC_ALL=C sort "$scratch/want" >"$scratch/sorted"
	cmp -s "$scratch/sorted" "$scratch/got" || {
		diff "$scratch/sorted" "$scratch/got" >&3
		fail "$1"
	}
}
write_config '[types]' 'deadline = 30s'

# Eight GPUs of amdgpu are shared: 8 jobs on each, every 8th with two processes and two clients.
for card in 0 1 2 3 4 5 6 7; do
	mkdir -p "$root/sys/class/drm/card$card/device"
	printf '%s\n' 'DRIVER=amdgpu' "PCI_SLOT_NAME=0000:$((10 + card)):00.0" \
		>"$root/sys/class/drm/card$card/device/uevent"
done
mkdir -p "$root/sys/class/drm/card9/device"	# the management controller's is none
printf '%s\n' 'DRIVER=ast' 'PCI_SLOT_NAME=0000:99:00.0' >"$root/sys/class/drm/card9/device/uevent"
: >"$scratch/want"
n=0
for card in 0 1 2 3 4 5 6 7; do
	for k in 0 1 2 3 4 5 6 7; do
		n=$((n + 1))
		job=$((500 + n)) pid=$((1000 + n))
		job $pid $job
		client $pid 5 $card $n $((n * 1000000)) $((n * 10))
		client $pid 6 $card $n $((n * 1000000)) $((n * 10))	# the same client
		processes=1 kib=$((n * 10)) busy=$((n * 1000000 + 1000))
		if [ $k = 0 ]; then
			job $((pid + 1000)) $job
			client $((pid + 1000)) 7 $card $((n + 1000)) 5000 4
			client $((pid + 1000)) 8 $card $((n + 2000)) 5000 4
			processes=2 kib=$((kib + 8)) busy=$((busy + 12000))
		fi
		echo "amdgpu/$card@$job $processes $((kib * 1024)) $busy" >>"$scratch/want"
	done
done
stray 9000 gpu-monitor
client 9000 3 7 9000 0 100
stray 9001 opens-all				# no memory: it only looked
for card in 0 1 2 3 4 5 6 7; do
	client 9001 $((10 + card)) $card $((9100 + card)) 0 0
	sed -i '/^drm-engine/d' "$root/proc/9001/fdinfo/$((10 + card))"
done
echo "amdgpu/7@- 1 102400 1000" >>"$scratch/want"
awk '{ split($1, p, "@"); c[p[1]] += $2; m[p[1]] += $3; b[p[1]] += $4 }
	END { for (i in c) printf "%s %d %d %d\n", i, c[i], m[i], b[i] }' "$scratch/want" \
	>"$scratch/sums"
cat "$scratch/sums" >>"$scratch/want"
rows "$root" >"$scratch/got"
compare "64 jobs on 8 GPUs in turns"

# A GPU without processes has 0 processes, since it was read, and no row of a job.
rm -r "$root"/proc/[0-9]*
for card in 0 1 2 3 4 5 6 7; do
	echo "amdgpu/$card 0 0 0"
done >"$scratch/want"
rows "$root" >"$scratch/got"
compare "no process"

# Files that are truncated, of an older kernel, or of another driver.
job 1 7
mkdir -p "$root/proc/1/fd" "$root/proc/1/fdinfo"
for fd in 3 4 5; do
	ln -s /dev/dri/card0 "$root/proc/1/fd/$fd"
done
: >"$root/proc/1/fdinfo/3"
printf 'pos:\t0\nflags:\t0\n' >"$root/proc/1/fdinfo/4"
printf 'drm-driver:\tamdgpu\ndrm-pdev:\t0000:10:00.0\ndrm-client-id:' >"$root/proc/1/fdinfo/5"
rows "$root" >"$scratch/got"
compare "hostile files"

# An unreadable descriptor may belong to a GPU: the value is then unknown, not 0.
user=''
[ "$(id -u)" != 0 ] || user='setpriv --reuid=65534 --regid=65534 --clear-groups'
chmod -R a+rX "$root"
chmod 0 "$root/proc/1/fd"
$user "$bin/nodometer" collect gpu_job --stdout --root "$root" --config "$conf" \
	>"$scratch/out" 2>&1
! grep '^gpu_job ' "$scratch/out" >&3 || fail 'GPUs are said to be free that nobody could see'
chmod 755 "$root/proc/1/fd"
$user "$bin/nodometer" collect gpu_job --stdout --root "$root" --config "$conf" \
	>"$scratch/out" 2>&1
grep -q '^gpu_job amdgpu/0 0 ' "$scratch/out" || fail "readable again: $(cat "$scratch/out")"

# NVIDIA's driver cannot be read below --root, so /proc and /sys/fs/cgroup are replaced.
finish() {
	exit 0
}
# shellcheck disable=SC2086 # CC may be two words
command -v ${CC:-cc} >/dev/null || { echo 'not shown: no compiler for nvml_stub.c'; finish; }
user=
[ "$(id -u)" = 0 ] || user=--map-root-user
unshare $user --mount sh -c 'mount --bind "$1" /sys/fs/cgroup && mount --bind "$1" /proc' sh \
	"$scratch" 2>/dev/null || { echo 'not shown: no mount namespace'; finish; }
# shellcheck disable=SC2086
${CC:-cc} -shared -fPIC -o "$scratch/libnvidia-ml.so.1" "$srcdir/tests/collectors/nvml_stub.c" ||
	fail "nvml_stub.c"
NVML_STUB=$scratch/stub
export NVML_STUB
rm -r "$root"
mkdir -p "$root/proc/self" "$root/proc/1" "$root/proc/driver/nvidia"
: >"$root/proc/1/stat"			# no others are hidden
echo 'gpus=8 mig' >"$scratch/stub"
: >"$scratch/want"
n=0
process() {	# DEVICE WHERE KIND: the next job's, of n MB; where it is known it is busy
	n=$((n + 1))
	job $((1000 + n)) $((500 + n))
	echo "$2 $3 $((1000 + n)) $((n * 1000000)) 10" >>"$scratch/stub.processes"
	echo "$1@$((500 + n)) 1 $((n * 1000000))" >>"$scratch/want"
}
process nvidia/0 0 c				# alone
process nvidia/1/1/0 m0 c			# MIG
process nvidia/1/5/2 m1 c
for gpu in 2 3; do				# MPS: its server is in a job, or of the system
	for k in 1 2 3 4 5 6 7 8 9 10; do
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
while [ $n -lt 64 ]; do				# in turns
	gpu=$((4 + n % 4))
	process nvidia/$gpu $gpu c
	# A process with both compute and graphics is one process.
	echo "$gpu g $((1000 + n)) $((n * 1000000)) 10" >>"$scratch/stub.processes"
done
awk '{ split($1, p, "@"); c[p[1]] += $2; m[p[1]] += $3 }
	END { for (i in c) printf "%s %d %d\n", i, c[i], m[i] }' "$scratch/want" >"$scratch/sums"
cat "$scratch/sums" >>"$scratch/want"
# shellcheck disable=SC2016 # the inner shell expands it
LD_LIBRARY_PATH=$scratch unshare $user --mount sh -c '
	mount --bind "$1/sys/fs/cgroup" /sys/fs/cgroup && mount --bind "$1/proc" /proc &&
	exec "$2" collect --stdout --config "$3" gpu_job' sh "$root" "$bin/nodometer-commands" \
	"$conf" >"$scratch/out" 2>&1
sed -n 's/^gpu_job //p' "$scratch/out" | awk '{ print $1, $2, $3 }' | LC_ALL=C sort >"$scratch/got"
[ -s "$scratch/got" ] || cat "$scratch/out" >&3
compare "64 jobs on 8 NVIDIA GPUs"
