#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# inside.sh - in the guest, make devices, and make traffic of known size between two samples
#
# Usage: inside.sh FOLDER-OF-THE-PROGRAMS, as process 1. Leaves in /share the archives "alone"
# (samples without an agent) and "agent", the file "facts" with values that are known only in the
# guest, and "status".
set -eu
bin=$1
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C
export MDADM_NO_UDEV=1

say()
{
	read -r up _ </proc/uptime
	printf 'guest: %5s s: %s\n' "${up%.*}" "$*"
}

# shellcheck source=../guest_end.sh
. /share/guest_end.sh

finish()
{
	status=$?
	trap - EXIT
	[ $status = 0 ] || { say "failed with status $status"; dmesg | tail -n 20; }
	cp -r /var/tmp/alone /var/tmp/agent /share || :
	power_off $status
}
trap finish EXIT

# If a command hangs, print its name before the time is over.
watch()
{
	set +e
	sleep 180
	say 'not done; who waits in the kernel for what:'
	for process in /proc/[0-9]*; do
		read -r name <"$process/comm"
		read -r place <"$process/wchan"
		case $name:$place in
		kworker*|*:0) ;;
		*) echo "  ${process#/proc/} $name: $place" ;;
		esac
	done
	echo 7 >/proc/sys/kernel/printk
	echo w >/proc/sysrq-trigger
}

# fact NAME NUMBER: append a value that the test cannot know in advance to the file "facts"
fact()
{
	echo "$1 $2" >>/share/facts
}

basics()
{
	mkdir -p /dev/pts /dev/shm
	mount -t tmpfs tmpfs /run
	mount -t tmpfs tmpfs /dev/shm
	mount -t cgroup2 cgroup2 /sys/fs/cgroup
	mkdir -p /mnt/shm /var/tmp/alone /var/tmp/agent
	mount -t tmpfs -o size=128M tmpfs /mnt/shm
	hostname guest
	ip link set lo up
	modprobe -a msr dummy rdma_rxe nvme raid1 nfsd nfsv3 nfsv4 ipmi_si ipmi_devintf
}

controller()
{
	until [ -c /dev/ipmi0 ]; do
		sleep 0.2
	done
}

disks()
{
	until [ -b /dev/nvme0n3 ] && [ -b /dev/nvme1n1 ]; do
		sleep 0.2
	done
	mdadm --create /dev/md0 --run --level=1 --raid-devices=2 --metadata=1.2 --assume-clean \
		/dev/nvme0n2 /dev/nvme0n3
}

rdma_link()
{
	ip link add d0 type dummy
	ip addr add 10.9.0.1/24 dev d0
	ip link set d0 up
	rdma link add rxe1 type rxe netdev d0
	until gid=$(grep -l ffff:0a09:0001 /sys/class/infiniband/rxe1/ports/1/gids/?); do
		sleep 0.2
	done
}

# Mount NFS from this machine to itself, without locks and lock daemons.
nfs_mounts()
{
	mkdir -p /srv/nfs /mnt/nfs3 /mnt/nfs4 /var/lib/nfs/rpc_pipefs /var/lib/nfs/v4recovery
	: >>/var/lib/nfs/etab
	: >>/var/lib/nfs/rmtab
	mount -t tmpfs tmpfs /srv/nfs
	mount -t rpc_pipefs rpc /var/lib/nfs/rpc_pipefs
	mount -t nfsd nfsd /proc/fs/nfsd
	grep -q ^_rpc: /etc/passwd ||
		echo '_rpc:x:2049:65534::/run/rpcbind:/bin/false' >>/etc/passwd
	echo '/srv/nfs *(rw,no_root_squash,fsid=0,insecure,no_subtree_check)' >/etc/exports
	rpcbind
	exportfs -ra
	rpc.nfsd 4
	rpc.mountd
	mount -t nfs -o vers=3,proto=tcp,nolock 127.0.0.1:/srv/nfs /mnt/nfs3
	mount -t nfs -o vers=4.2,proto=tcp,nconnect=2 127.0.0.1:/ /mnt/nfs4
}

# job_groups: make the cgroups of two jobs with memory limits, as Slurm 22.05 and later does
jobs=/sys/fs/cgroup/system.slice/slurmstepd.scope
job_groups()
{
	for job in 4711 4712; do
		mkdir -p $jobs/job_$job/step_0/user/task_0
		for dir in /sys/fs/cgroup /sys/fs/cgroup/system.slice $jobs $jobs/job_$job \
			$jobs/job_$job/step_0 $jobs/job_$job/step_0/user; do
			echo '+cpu +memory +io +pids' >"$dir/cgroup.subtree_control"
		done
	done
	echo 128M >$jobs/job_4711/memory.max
	echo 16M >$jobs/job_4712/memory.max
	in_job 4711 sleep 600 &
	until read -r _ <$jobs/job_4711/step_0/user/task_0/cgroup.procs; do
		sleep 0.1
	done
}

# in_job JOB COMMAND...: run COMMAND in the cgroup of JOB
in_job()
{
	tasks=$jobs/job_$1/step_0/user/task_0/cgroup.procs
	shift
	sh -c 'echo $$ >"$0"; exec "$@"' "$tasks" "$@"
}

# configure WHO [LINE...]: write /etc/WHO.conf. Jobs are not detected by cgroups, because only this
# script may make marks.
configure()
{
	conf=/etc/$1.conf
	printf '%s\n' '[agent]' "dir = /var/tmp/$1" "runtime-dir = /run/$1" 'interval = 24h' \
		'job-file =' 'job-cgroups = no' 'hostname = guest' 'free-floor = 0' \
		'compress = no' '[types]' 'deadline = 30s' 'hwmon_temp = on' \
		'ipmi_dcmi = on' >"$conf"
	mkdir "/run/$1"
	shift
	[ $# = 0 ] || printf '%s\n' "$@" >>"$conf"
}

start_agent()
{
	configure alone
	configure agent 'perf_sw = on'
	"$bin/nodometerd" --foreground --config /etc/agent.conf &
	until "$bin/nodometer" status --config /etc/agent.conf >/dev/null 2>&1; do
		sleep 0.2
	done
}

# sample COMMAND [WORD...]: take a sample with the agent or without; an emulated machine is slow
sample()
{
	for who in agent alone; do
		"$bin/nodometer" "$@" --timeout 60 --config /etc/$who.conf
	done
}

# copy ARGUMENTS...: write zeros by dd with these arguments
copy()
{
	dd if=/dev/zero status=none "$@"
}

disk_traffic()
{
	copy of=/dev/nvme1n1 bs=1M count=2 oflag=direct
	copy of=/dev/md0 bs=1M count=4 oflag=direct
	dd if=/dev/nvme0n1 of=/dev/null bs=1M count=5 iflag=direct status=none
	in_job 4711 dd if=/dev/zero of=/dev/nvme0n1 bs=1M count=6 oflag=direct status=none
}

nfs_traffic()
{
	copy of=/mnt/nfs3/file bs=1M count=3 conv=fsync
	copy of=/mnt/nfs4/file4 bs=1M count=2 conv=fsync
	copy of=/mnt/nfs4/direct bs=1M count=1 oflag=direct
	echo 3 >/proc/sys/vm/drop_caches
	cat /mnt/nfs3/file /mnt/nfs4/file4 >/dev/null
}

# Send 200 RDMA messages of 4096 bytes, each in 4 packets, and receive as many.
rdma_traffic()
{
	set -- ibv_rc_pingpong -d rxe1 -g "${gid##*/}" -s 4096 -m 1024 -n 200
	timeout 60 "$@" >/dev/null &
	server=$!
	until timeout 60 "$@" 10.9.0.1 >/dev/null 2>&1; do
		kill -0 $server
		sleep 0.3
	done
	wait $server
}

# Allocate 32 MB on node 2 and 24 MB on node 3 for the job, and 64 KB more on each node. A node's
# Shmem also decreases when files of the root, a tmpfs, are removed. 4096 pages are touched on CPU
# 9.
memory_traffic()
{
	taskset -c 9 dd if=/dev/zero of=/mnt/shm/node2 bs=64K count=513 status=none
	in_job 4711 taskset -c 13 dd if=/dev/zero of=/mnt/shm/node3 bs=64K count=385 status=none
	taskset -c 9 dd if=/dev/zero of=/dev/null bs=16M count=1 status=none
	in_job 4712 dd if=/dev/zero of=/dev/null bs=64M count=1 status=none &&
		return 1	# the job may use 16 MB
	:
}

# Run two loops of job 4711 on CPU 5, and store their CPU time in microseconds as the fact "burnt".
burn='i=0; while [ $i -lt 60000 ]; do i=$((i + 1)); done; times >"$1"'
burner()
{
	in_job 4711 taskset -c 5 sh /run/burn "/run/burnt.$1"
}

cpu_traffic()
{
	burner 1 &
	first=$!
	burner 2 &
	wait $first $!
	fact burnt "$(awk 'FNR == 1 { split($1, user, /[ms]/); n += user[1] * 60 + user[2] }
		END { printf "%d\n", n * 1e6 }' /run/burnt.1 /run/burnt.2)"
}

# Remove all devices and cgroups that can be removed; the running agent must not prevent this.
tear_down()
{
	umount /mnt/nfs3 /mnt/nfs4 /mnt/shm
	mdadm --stop /dev/md0
	rdma link delete rxe1
	kill "$(cat $jobs/job_4711/step_0/user/task_0/cgroup.procs)"
	until find $jobs -mindepth 1 -depth -type d -exec rmdir {} + 2>/dev/null; do
		sleep 0.2
	done
	modprobe -r nvme
	echo 0 >/sys/devices/system/cpu/cpu15/online
}

say "$(uname -r) is up"
basics
beat &
watch &
controller
disks
rdma_link
say 'starting NFS'
nfs_mounts
job_groups
printf '%s\n' "$burn" >/run/burn
start_agent
say 'first samples'
sample begin 4711 --strict
say 'traffic: disks, NFS, RDMA, memory, CPU'
disk_traffic
nfs_traffic
rdma_traffic
memory_traffic
cpu_traffic
say 'second samples'
sample end 4711 --strict
tear_down
say 'samples without the devices'
sample mark going	# this sample has the last rows of jobs whose cgroups are gone
sample mark gone
echo 1 >/sys/devices/system/cpu/cpu15/online
sample mark back
say 'done'
