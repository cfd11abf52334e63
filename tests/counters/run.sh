#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# run.sh - hardware counters for real: emulated processors whose PMU Debian's kernel drives
#
#   tests/counters/run.sh ARCHITECTURE     arm64: a Neoverse N1; ppc64el: a POWER9
#
# Runs in the folder where cross.sh built; its root/ has the kernel. The emulator counts each
# instruction and runs its clock by them: the guest's minutes are seconds, and its counters are
# exact.
src=$(cd "$(dirname "$0")/../.." && pwd) || exit 99
case ${1:?usage: tests/counters/run.sh arm64|ppc64el} in
arm64)
	host=aarch64-linux-gnu console=ttyAMA0 kernel=vmlinuz
	emulator='qemu-system-aarch64 -machine virt,gic-version=3 -cpu neoverse-n1'
	type=arm_neoverse named=INST_RETIRED:u,CPU_CYCLES:u pmu=armv8_pmuv3
	alias=inst_retired code=0x8 ;;
ppc64el)
	host=powerpc64le-linux-gnu console=hvc0 kernel=vmlinux
	emulator='qemu-system-ppc64 -machine pseries -cpu power9'
	type=ibm_power named=PM_INST_CMPL:u,PM_RUN_CYC:u pmu=cpu
	alias=instructions code=0x500fa ;;
*) echo "run.sh: no such architecture: $1" >&2; exit 2 ;;
esac
[ -e root/boot ] || { echo 'skipped: no kernel in root/boot'; exit 77; }
command -v "${emulator%% *}" >/dev/null || { echo "skipped: no ${emulator%% *}"; exit 77; }
rm -rf guest && mkdir -p guest/bin guest/lib guest/proc guest/sys guest/dev guest/run || exit 99

needed() { $host-readelf -d "$@" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p'; }

# with_libraries FILE...: copy the libraries that the files are linked with, and the libraries of
# those
with_libraries() {
	for name in $(needed "$@"); do
		[ ! -e "guest/lib/$name" ] || continue
		cp -L "$(find root/lib* root/usr/lib -name "$name" | head -n 1)" guest/lib || exit 1
		with_libraries "guest/lib/$name"
	done
}

for program in nodometer nodometer-commands nodometerd nodometer-types; do
	cp "$program.elf" "guest/bin/$program" 2>/dev/null || cp "$program" guest/bin || exit 1
done
for loaded in libpfm.so.4 libhwloc.so.15; do	# by dlopen(3)
	cp -L "$(find root/usr/lib -name $loaded | head -n 1)" guest/lib || exit 1
done
with_libraries guest/bin/* guest/lib/*
cp root/bin/busybox guest/bin || exit 1
for program in loop hold; do
	$host-gcc -O2 -static -o guest/bin/$program "$src/tests/counters/$program.c" ||
		exit 1
done
mkdir guest/etc && cp "$src/tests/counters/init" guest || exit 1
printf '%s\n' "type=$type" "named=$named" "pmu=$pmu" "alias=$alias" "code=$code" \
	>guest/etc/processor
# Programs name the loader, and where libraries are, by the root in which they were linked.
mkdir -p "guest$PWD/root/usr/lib" && ln -s /lib "guest$PWD/root/lib" &&
	ln -s /lib "guest$PWD/root/lib64" && ln -s /lib "guest$PWD/root/usr/lib/$(basename \
	"$(dirname "$(find root/usr/lib -name libc.so.6)")")" || exit 1
(cd guest && find . | cpio -o -H newc --quiet) >guest.img || exit 1

# boot: run the guest until it ends, which takes 10 s of a quiet machine. The guest limits its own
# time, so if it reaches this limit, the emulator or the guest's kernel has stopped.
boot()
{
	# shellcheck disable=SC2086 # a list of words
	timeout -k 5 400 $emulator -smp 2 -m 1024 -icount shift=1,sleep=off -rtc clock=vm \
		-nodefaults -no-reboot -display none -serial file:console \
		-kernel root/boot/$kernel-* -initrd guest.img \
		-append "console=$console quiet loglevel=3 panic=-1 rdinit=/init"
	ended=$?
	[ $ended = 0 ] || { echo "the guest: status $ended"; tail -n 20 console; }
}
boot
[ $ended != 124 ] || { echo 'the guest stopped: booting once more'; boot; }
[ $ended = 0 ] || { echo "FAIL: the guest: status $ended"; exit 1; }
awk -v loop=200000000 -v t=$type -v named=$named -v alias=$alias -v code=$code \
	-f "$src/tests/counters/judge.awk" console ||
	{ grep -v '^@' console | tail -n 20; exit 1; }
