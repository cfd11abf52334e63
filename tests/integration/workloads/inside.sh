#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# inside.sh - in the guest, run programs with a known behaviour as jobs, one after another
#
# /share/chosen has lines of tests/programs/expected. The agent's archive is written to /share.
bin=$1
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C
seconds=12
disk=/var/tmp/folders	# the same path as in tests/programs/programs.c
jobs=/sys/fs/cgroup/system.slice/slurmstepd.scope

# shellcheck source=../guest_end.sh
. /share/guest_end.sh

finish()
{
	cp -r /run/archive /share/archive
	power_off $?
}
trap finish EXIT

basics()
{
	mkdir -p /dev/shm
	mount -t tmpfs tmpfs /run
	mount -t tmpfs tmpfs /dev/shm
	mount -t cgroup2 cgroup2 /sys/fs/cgroup
	hostname guest
	modprobe nvme
	until [ -b /dev/nvme0n1 ] && [ -b /dev/nvme1n1 ]; do
		sleep 0.2
	done
	mkfs.ext4 -q /dev/nvme0n1
	mount /dev/nvme0n1 /var/tmp
	mkdir "$disk"
	mkswap /dev/nvme1n1 >/dev/null
	swapon /dev/nvme1n1
	mkdir -p $jobs
	for dir in /sys/fs/cgroup /sys/fs/cgroup/system.slice $jobs; do
		echo '+cpu +memory +io +pids' >"$dir/cgroup.subtree_control"
	done
}

agent()
{
	mkdir -p /run/archive /run/nodometer
	cp /share/programs /run/programs
	cat >/run/nodometer.conf <<-END
	[agent]
	dir = /run/archive
	runtime-dir = /run/nodometer
	hostname = guest
	interval = 1s
	confine = no
	bpf = no
	[types]
	proc = off
	END
	"$bin/nodometerd" --config /run/nodometer.conf 2>/share/agent.log &
	agent=$!
	until [ -S /run/nodometer/control ]; do
		sleep 0.2
	done
}

# hook VERB OPTION...: make a mark of the current job, as a hook does
hook()
{
	verb=$1
	shift
	"$bin/nodometer" --config /run/nodometer.conf "$verb" --timeout 20 "$@" "$number"
}

# Run a job in its own cgroup, as a scheduler does, between the hooks prologue and epilogue.
job()
{
	name=$1
	shift 2
	number=$((number + 1))
	group=$jobs/job_$number
	hook begin --attr "name=$name"
	mkdir "$group"
	long=$seconds
	for value; do
		case $value in
		seconds=*) long=${value#*=} ;;
		*) echo "${value#*=}" >"$group/${value%%=*}" ;;
		esac
	done
	(
		echo 0 >"$group/cgroup.procs"
		exec /run/programs "$name" "$long"
	) >"/share/said.$name" 2>&1
	hook end
	rmdir "$group"
	rm -rf "${disk:?}"/* /dev/shm/*
	echo "$number $name" >>/share/ran
}

beat &
basics
agent
number=100
while read -r line; do
	# shellcheck disable=SC2086 # words
	job $line </dev/null
done </share/chosen
kill "$agent"
wait "$agent"
exit 0
