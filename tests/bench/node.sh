#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# node.sh - make a tree of /proc, /sys and more for a large node that has devices of as many types
# as possible
#
# usage: node.sh DIR [CPUS [PROCESSES [SERVERS]]]
#
# The node has two packages of Skylake with hyper-threading, 8 NUMA nodes, two InfiniBand ports, one
# port of Omni-Path and two of Slingshot, two Lustre mounts with SERVERS object storage servers
# each, NFS, NVMe, four jobs, PROCESSES processes of users and twice as many kernel threads. Files
# that do not grow with the node are copied from the collectors' tests.
set -eu
cases=$(cd "$(dirname "$0")/../collectors" && pwd)
mkdir -p "$1"
cd "$1"
cpus=${2:-64} processes=${3:-128} servers=${4:-64}
packages=2 nodes=8 imcs=6 chas=16

# put PATH FORMAT [ARGUMENT...]: write a file with printf
put()
{
	local path=$1 dir=${1%/*} format=$2
	shift 2
	[ -d "$dir" ] || mkdir -p "$dir"
	# shellcheck disable=SC2059 # the caller passes the format
	printf "$format" "$@" >"$path"
}

# number N: print a counter's value, as large as on a node that has been up for a while
number()
{
	echo $(((${1} + 3) * 48271 % 65521 * 1000003))
}

like_the_tests()
{
	local case
	for case in block/kinds cxi/two-adapters edac/4-controllers hw_counters/two-drivers \
		intel_rapl/icx-2s job/slurm-v2 lnet/proc nfs/v4.2-nconnect opa/hfi1 psi/linux-6.6 \
		meminfo/6.18-kernel \
		sysv_shm/segments vfs/all vm/6.18-kernel xfs/two ext4/root-disk jbd2/two \
		nfsd/6.1-kernel ldlm/client-2.12 ldlm_cbd/proc-1.8; do
		cp -r --no-preserve=mode "$cases/$case/root/." .
	done
	local jobs=sys/fs/cgroup/system.slice/slurmstepd.scope ports=sys/class/infiniband
	cp -r --no-preserve=mode $jobs/job_3385 $jobs/job_3387
	cp -r --no-preserve=mode $jobs/job_3385 $jobs/job_3388
	cp -r --no-preserve=mode "$cases/ib/64-bit/root/$ports/mlx5_0/." $ports/mlx5_0
	cp -r --no-preserve=mode "$cases/ib/64-bit/root/$ports/mlx5_0/." $ports/mlx5_1
	put proc/loadavg '64.00 63.99 60.10 65/2373 30117\n'
	put proc/mounts 'tmpfs /dev/shm tmpfs rw 0 0\nsrv:/scratch /scratch nfs4 rw 0 0\n'
}

# mask CPU...: set $set to the hexadecimal mask of these CPUs, in the format of sysfs
mask()
{
	local cpu i words=() word
	for cpu; do
		words[cpu / 32]=$((${words[cpu / 32]:-0} | 1 << cpu % 32))
	done
	set=
	for ((i = (cpus - 1) / 32; i >= 0; i--)); do
		printf -v word '%08x' "${words[i]:-0}"
		set+=${set:+,}$word
	done
}

# Make the CPUs. The first threads of all cores come first, package by package; then come the second
# threads in the same order.
cores()
{
	local at=sys/devices/system/cpu cores=$((cpus / 2)) each=$((cpus / 2 / packages))
	local cpu core set package=()
	for ((core = 0; core < cores; core += each)); do
		cpu=$((core + cores))
		# shellcheck disable=SC2046 # numbers
		mask $(seq $core $((core + each - 1))) $(seq $cpu $((cpu + each - 1)))
		package[core / each]=$set
	done
	put $at/online "0-$((cpus - 1))\n"
	eval "mkdir -p $at/cpu{0..$((cpus - 1))}/{topology,cpufreq/stats,thermal_throttle}"
	for ((cpu = 0; cpu < cpus; cpu++)); do
		core=$((cpu % cores))
		mask $core $((core + cores))
		put $at/cpu$cpu/topology/physical_package_id "$((core / each))\n"
		put $at/cpu$cpu/topology/core_id "$((core % each))\n"
		put $at/cpu$cpu/topology/core_siblings "${package[core / each]}\n"
		put $at/cpu$cpu/topology/thread_siblings "$set\n"
		put $at/cpu$cpu/cpufreq/scaling_cur_freq '2401000\n'
		put $at/cpu$cpu/cpufreq/stats/total_trans "$(number $cpu)\n"
		put $at/cpu$cpu/cpufreq/stats/time_in_state '2401000 %d\n1000000 20522\n' $cpu
		put $at/cpu$cpu/thermal_throttle/core_throttle_count "$cpu\n"
		put $at/cpu$cpu/thermal_throttle/package_throttle_count '7\n'
	done
}

processor()
{
	local cpu text='' user
	for ((cpu = 0; cpu < cpus; cpu++)); do
		user=$(number $cpu)
		text+="cpu$cpu $user 120 ${user:2:6} 9$user 4021 0 ${user:3:5} 0 0 0"$'\n'
	done
	put proc/stat 'cpu  1 2 3 4 5 6 7 0 0 0\n%sintr 89123%s\nctxt 9123456789\n%s%s' "$text" \
		"$(printf ' %d' {1..64} && printf ' 0%.0s' {1..500})" \
		$'btime 1600000000\nprocesses 81234567\nprocs_running 64\nprocs_blocked 0\n'
	put proc/cpuinfo 'vendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 85\n%s' \
		"siblings"$'\t: '$((cpus / packages))$'\ncpu cores\t: '$((cpus / packages / 2))$'\n'
}

counters()
{
	local at=sys/bus/event_source/devices box type=20
	put $at/cpu/type '4\n'
	put $at/software/type '1\n'
	put $at/msr/type '9\n'
	put $at/msr/events/tsc 'event=0x00\n'
	for box in $(eval "echo imc_{0..$((imcs - 1))} cha_{0..$((chas - 1))}"); do
		put "$at/uncore_$box/type" '%d\n' $((type++))
		put "$at/uncore_$box/cpumask" "0,$((cpus / packages / 2))\n"
	done
}

memory()
{
	local node at like=$cases/mem/sparse-nodes/root/sys/devices/system/node/node0/meminfo
	for ((node = 0; node < nodes; node++)); do
		at=sys/devices/system/node/node$node
		put $at/numastat 'numa_hit %d\nnuma_miss 7\nnuma_foreign 9\n%s' "$(number $node)" \
			$'interleave_hit 5012\nlocal_node 81234567\nother_node 4711\n'
		sed "s/^Node 0/Node $node/" "$like" >$at/meminfo
	done
}

sensors()
{
	local n chip=sys/class/hwmon/hwmon
	for n in 0 1; do
		put $chip$n/name 'coretemp\n'
		for i in {1..17}; do
			put "$chip$n/temp${i}_input" '%d000\n' $((40 + i))
			put "$chip$n/temp${i}_label" 'Core %d\n' $((i - 1))
		done
	done
	put ${chip}2/name 'board\n'
	for n in 1 2 3 4; do
		put "${chip}2/fan${n}_input" '%d\n' $((6000 + n))
		put "${chip}2/power${n}_input" '%d\n' $((213000000 + n))
		put "${chip}2/energy${n}_input" '%d\n' "$(number $n)"
	done
}

# stats PATH KEY...: write a statistics file of Lustre; a key that ends in _bytes counts bytes. The
# numbers in each line are shorter by bits than in the line before, so files differ in length.
bits=0
stats()
{
	local path=$1 key unit line text='' numbers
	shift
	for key; do
		bits=$(((bits + 5) % 23))
		numbers="1 4194304 $((37748736000000 >> bits)) $((158329674399744 >> bits))"
		unit=reqs
		[ "${key%_bytes}" = "$key" ] || unit=bytes
		[ "$key" != req_waittime ] || unit=usec
		printf -v line '%-25s %d samples [%s] %s\n' "$key" $((81234567 >> bits)) $unit \
			"$numbers"
		text+=$line
	done
	put "$path" 'snapshot_time             1700000000.000000001 secs.usecs\n%s' "$text"
}

lustre()
{
	local at=proc/fs/lustre mount fs of i
	for mount in work-ffff9a0000000800 home-ffff9a0000001000; do
		fs=${mount%-*} of=${mount#*-}
		stats $at/llite/$mount/stats read_bytes write_bytes ioctl open \
			close mmap seek fsync setattr truncate getattr statfs alloc_inode setxattr \
			getxattr inode_permission readdir create lookup unlink mkdir rename
		for i in 0 1; do
			stats "$at/mdc/$fs-MDT000$i-mdc-$of/stats" req_waittime req_active \
				mds_close mds_getattr mds_getattr_lock mds_getxattr mds_readpage \
				mds_statfs mds_sync ldlm_ibits_enqueue obd_ping
		done
		for ((i = 0; i < servers; i++)); do
			stats "$at/osc/$fs-OST$(printf %04x $i)-osc-$of/stats" req_waittime \
				req_active read_bytes write_bytes ost_setattr ost_read ost_write \
				ost_punch ost_statfs ost_sync ldlm_cancel obd_ping
		done
	done
}

# Make processes as fs/proc/array.c shows them; kernel threads have no memory. A tmpfs lists the
# newest folder first, so the first pid is made last.
users_and_threads()
{
	local i pid vm memory threads sets uids=$'\t1000\t1000\t1000\t1000\n'
	memory=$(printf 'Vm%s:\t%8d kB\n' Peak 3060004 Size 3060004 Lck 0 Pin 0 HWM 1752004 \
		RSS 1752004 Data 360004 Stk 132 Exe 20 Lib 1528 PTE 48 Swap 0)
	threads=$'Threads:\t4\nSigQ:\t0/95\nSigPnd:\t0000000000000000\nSeccomp:\t0\n'
	sets=$'Cpus_allowed:\tff\nCpus_allowed_list:\t0-31\nMems_allowed_list:\t0\n'
	seq -f 'proc/%.0f' $((3 + 21 * processes)) -7 10 | xargs mkdir -p
	for ((i = 0; i < 3 * processes; i++)); do
		pid=$((10 + 7 * i)) vm=''
		[ $((i % 3)) != 0 ] || vm=$memory$'\n'
		put proc/$pid/status 'Name:\trank%d\nUmask:\t0022\nState:\tR (running)\n%s%s%s%s' \
			$i "Uid:${uids}Gid:$uids"$'FDSize:\t64\n' "$vm" "$threads" "$sets"
	done
}

like_the_tests
processor
cores
counters
memory
sensors
lustre
users_and_threads
