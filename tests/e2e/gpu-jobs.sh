#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# gpu-jobs.sh - 64 jobs on 8 AMD GPUs in turns: find the processes of each job
. "$(dirname "$0")/gpu-jobs-lib.sh"

# client PID FD CARD CLIENT ENGINE-NS MEMORY-KIB: write the fdinfo file of descriptor FD of an
# amdgpu device, in the form since Linux 6.5
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
# rows ROOT: print the rows of type gpu_job of a sample of the tree ROOT, sorted, as "DEVICE
# PROCESSES MEMORY BUSY"
rows() {
	nodometer collect gpu_job --stdout --root "$1" >"$scratch/out" 2>&1 ||
		fail "collect: $(cat "$scratch/out")"
	sed -n 's/^gpu_job //p' "$scratch/out" | LC_ALL=C sort
}

# Eight GPUs have 8 jobs each; one job per GPU has a second process, which has two clients (open
# devices).
for card in 0 1 2 3 4 5 6 7; do
	mkdir -p "$root/sys/class/drm/card$card/device"
	printf '%s\n' 'DRIVER=amdgpu' "PCI_SLOT_NAME=0000:$((10 + card)):00.0" \
		>"$root/sys/class/drm/card$card/device/uevent"
done
# card 9 belongs to the management controller and is no GPU
mkdir -p "$root/sys/class/drm/card9/device"
printf '%s\n' 'DRIVER=ast' 'PCI_SLOT_NAME=0000:99:00.0' >"$root/sys/class/drm/card9/device/uevent"
: >"$scratch/want"
n=0
for card in 0 1 2 3 4 5 6 7; do
	for k in 0 1 2 3 4 5 6 7; do
		n=$((n + 1))
		job=$((500 + n)) pid=$((1000 + n))
		job $pid $job
		# each GPU numbers its clients from 1
		client $pid 5 $card $((k + 1)) $((n * 1000000)) $((n * 10))
		# this file belongs to the same client as the file before, so it must not count
		# again
		client $pid 6 $card $((k + 1)) $((n * 1000000)) $((n * 10))
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
# a client without memory, which only opened the device
stray 9001 opens-all
for card in 0 1 2 3 4 5 6 7; do
	client 9001 $((10 + card)) $card $((9100 + card)) 0 0
	sed -i '/^drm-engine/d' "$root/proc/9001/fdinfo/$((10 + card))"
done
echo "amdgpu/7@- 1 102400 1000" >>"$scratch/want"
add_sums
rows "$root" >"$scratch/got"
compare "64 jobs on 8 GPUs in turns"

# A GPU without processes has the values 0, because they were read; no job has a row.
rm -r "$root"/proc/[0-9]*
for card in 0 1 2 3 4 5 6 7; do
	echo "amdgpu/$card 0 0 0"
done >"$scratch/want"
rows "$root" >"$scratch/got"
compare "no process"

# A descriptor counts for no GPU if its fdinfo file is empty, lacks the driver's fields, or is cut
# off.
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

# If descriptors of a process cannot be read, they may belong to a GPU: the values of GPUs are then
# unknown, not 0.
user=''
[ "$(id -u)" != 0 ] || user='setpriv --reuid=65534 --regid=65534 --clear-groups'
for_receivers "$scratch"
chmod -R a+rX "$root"
chmod 0 "$root/proc/1/fd"
$user "$bin/nodometer" collect gpu_job --stdout --root "$root" --config "$conf" \
	>"$scratch/out" 2>&1
! grep '^gpu_job ' "$scratch/out" >&3 || fail 'GPUs are said to be free that nobody could see'
chmod 755 "$root/proc/1/fd"
$user "$bin/nodometer" collect gpu_job --stdout --root "$root" --config "$conf" \
	>"$scratch/out" 2>&1
grep -q '^gpu_job amdgpu/0 0 ' "$scratch/out" || fail "readable again: $(cat "$scratch/out")"
