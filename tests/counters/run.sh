#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# run.sh - hardware counters for real: an emulated Neoverse N1, whose PMU Debian's kernel drives
#
# In the folder where cross.sh built for arm64, whose root/ has the kernel.  The emulator counts
# each instruction and runs its clock by them: the guest's minutes are seconds, and its counters are
# exact.
src=$(cd "$(dirname "$0")/../.." && pwd) || exit 99
[ -e root/boot ] || { echo 'skipped: no kernel in root/boot'; exit 77; }
command -v qemu-system-aarch64 >/dev/null || { echo 'skipped: no qemu-system-aarch64'; exit 77; }
rm -rf guest && mkdir -p guest/bin guest/lib guest/proc guest/sys guest/dev guest/run || exit 99

needed() { aarch64-linux-gnu-readelf -d "$@" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p'; }

# with_libraries FILE...: those that they are linked with, and those with which these are
with_libraries() {
	for name in $(needed "$@"); do
		[ ! -e "guest/lib/$name" ] || continue
		cp -L "$(find root/lib root/usr/lib -name "$name" | head -n 1)" guest/lib || exit 1
		with_libraries "guest/lib/$name"
	done
}

for program in nodometer nodometerd; do
	cp "$program.elf" "guest/bin/$program" 2>/dev/null || cp "$program" guest/bin || exit 1
done
for loaded in libpfm.so.4 libhwloc.so.15; do	# by dlopen(3)
	cp -L "$(find root/usr/lib -name $loaded | head -n 1)" guest/lib || exit 1
done
with_libraries guest/bin/* guest/lib/*
cp root/bin/busybox guest/bin || exit 1
for program in loop hold; do
	aarch64-linux-gnu-gcc -O2 -static -o guest/bin/$program "$src/tests/counters/$program.c" ||
		exit 1
done
cp "$src/tests/counters/init" guest || exit 1
# Programs name the loader, and where libraries are, by the root in which they were linked.
mkdir -p "guest$PWD/root/usr/lib" && ln -s /lib "guest$PWD/root/lib" &&
	ln -s /lib "guest$PWD/root/usr/lib/aarch64-linux-gnu" || exit 1
(cd guest && find . | cpio -o -H newc --quiet) >guest.img || exit 1

timeout -k 5 300 qemu-system-aarch64 -machine virt,gic-version=3 -cpu neoverse-n1 -smp 2 -m 512 \
	-icount shift=1,sleep=off -nodefaults -no-reboot -display none -serial file:console \
	-kernel root/boot/vmlinuz-* -initrd guest.img \
	-append 'console=ttyAMA0 quiet loglevel=3 panic=-1 rdinit=/init' ||
	{ echo "FAIL: the guest: status $?"; tail -n 20 console; exit 1; }
awk -v loop=200000000 -f "$src/tests/counters/judge.awk" console ||
	{ grep -v '^@' console | tail -n 20; exit 1; }
