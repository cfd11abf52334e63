#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# run.sh - BPF programs read the same values as files, in a guest that has only cgroup v2
#
# On this machine, which may have cgroup v1, the unit test uses few cgroups. In the guest, all keys
# are read both by BPF and from files, for 1,024 jobs with 4,096 cgroups and, if the BPF program can
# be loaded, 4,000 processes.
packages='qemu-system-x86 kmod cpio xz-utils zstd libbpf-dev clang bpftool'
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../guest.sh"

grep -q '^#define HAVE_BPF ' "$bin/config.h" || skip 'built without libbpf'
[ -x "$bin/tests/unit/test_programs" ] || make -s tests/unit/test_programs || exit 1
guest e2fsprogs
truncate -s 256M "$scratch/disk"
boot -smp 2 -m 2048 -drive "if=none,id=d,format=raw,file=$scratch/disk" \
	-device nvme,serial=1,drive=d
grep -q 'PASSED.* 0 test' "$share/out" && die 'no test ran'
! grep -q 'SKIPPED . \(each_job\|a_\)' "$share/out" ||
	die 'a test of jobs was skipped in the guest'
# If the guest's kernel refuses a BPF program, this test shows the reason, and the type is read from
# files.
sed -n 's/^not loaded: /refused in the guest: /p' "$share/out" | sort -u
say "$(grep -c ' OK ' "$share/out") tests hold in the guest"
