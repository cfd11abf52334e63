#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# run.sh - in a virtual machine, collectors read real kernel interfaces that few test machines have
#
# The guest has 16 CPUs, 4 NUMA nodes, 4 NVMe disks and a management controller, bmc.py. inside.sh
# makes traffic of known size between two samples, and judge.awk compares the samples with the table
# in the file expect.
packages='qemu-system-x86 kmod cpio xz-utils zstd python3'
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../guest.sh"

# Four nodes with four CPUs each: 0-3, 4-7, ...
numa_options()
{
	for node in 0 1 2 3; do
		echo "-object memory-backend-ram,id=m$node,size=512M"
		echo "-numa node,nodeid=$node,memdev=m$node,cpus=$((4 * node))-$((4 * node + 3))"
	done
}

# disk NUMBER BUS: print the options for an NVMe namespace whose data are in a file
disk()
{
	truncate -s 48M "$scratch/disk$1"
	echo "-drive if=none,id=d$1,format=raw,file=$scratch/disk$1"
	echo "-device nvme-ns,bus=$2,drive=d$1"
}

# Make the disks nvme0n1 to nvme0n3 and nvme1n1; the controller of nvme1n1 may have other paths to
# the disk (multipath).
disk_options()
{
	echo '-device nvme,id=nvme,serial=1'
	for number in 1 2 3; do
		disk $number nvme
	done
	echo '-device nvme-subsys,id=paths -device nvme,id=path,serial=2,subsys=paths'
	disk 4 path
}

# Without "reconnect" QEMU 7.2 crashes, because the connection exists before its device.
bmc_options()
{
	echo "-chardev socket,id=bmc,path=$scratch/bmc,reconnect=1"
	echo '-device ipmi-bmc-extern,id=controller,chardev=bmc -device isa-ipmi-kcs,bmc=controller'
}

# judge WHO: check the samples that WHO ("alone" or "agent") wrote
judge()
{
	# shellcheck disable=SC2046 # names of numbers
	set -- "$1" $(find "$share/$1" -name '[0-9]*' -type f | sort)
	who=$1
	shift
	[ $# -gt 0 ] || die "$who wrote no file"
	"$bin/nodometer" check "$@" || status=1
	for file; do
		awk -f "$top/tests/formats/parser.awk" "$file" || status=1
	done
	awk -v who="$who" -f "$here/judge.awk" "$share/facts" "$here/expect" "$@" || status=1
	"$bin/nodometer" report 4711 --dir "$share/$who" >"$scratch/report" || status=1
	grep -q '4711' "$scratch/report" || { cat "$scratch/report"; status=1; }
}

guest nfs-kernel-server rpcbind mdadm iproute2 ibverbs-utils ibverbs-providers
background python3 "$here/bmc.py" "$scratch/bmc"
wait_times 3 test -S "$scratch/bmc"
# shellcheck disable=SC2046 # lists of options
boot -smp 16,sockets=4,cores=4,threads=1 -m 2048 $(numa_options) $(disk_options) $(bmc_options)
say 'judging'
status=0
judge alone
judge agent
[ $status = 0 ] || die 'see above'
say 'all as it should be'
