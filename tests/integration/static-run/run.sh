#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# run.sh - nodometer-run, built with --enable-static-run, is one file that runs on a system without
# any other file
packages='busybox-static libinih-dev libzstd-dev zlib1g-dev'
namespaces='-m -n -p --fork --kill-child --mount-proc'
. "$(dirname "$0")/../lib.sh"

mkdir "$scratch/build"
(cd "$scratch/build" && "$top/configure" -q --enable-static-run --disable-dependency-tracking \
	"CC=${CC:-cc}" && printf 'built: $(BUILT_SOURCES)\n' | make -s -f Makefile -f - built &&
	make -s -j2 nodometer-run) >"$scratch/log" 2>&1 ||
	{ tail "$scratch/log"; die 'it does not build'; }
say 'built'

root=$scratch/root
mkdir -p "$root/proc" "$root/etc" "$root/home"
mount -t tmpfs tmpfs "$root/home"
chmod 1777 "$root/home"
mount -t proc proc "$root/proc"
cp "$scratch/build/nodometer-run" "$root/home/a-file"
cp /bin/busybox "$root/home"
# The program must not use a name service whose library was built for another C library.
echo 'passwd: sss files' >"$root/etc/nsswitch.conf"
# The program must need no system call of kernels after Linux 4.18, the kernel of EL 8; linux_4_18
# refuses such calls.
"${CC:-cc}" -o "$scratch/linux_4_18" "$here/linux_4_18.c" || die 'linux_4_18.c does not build'
before=$scratch/linux_4_18
"$before" true
case $? in
0) ;;
77) before= && say 'no filter of system calls here: only with the calls of this kernel' ;;
*) die 'the filter of later calls is not in force' ;;
esac

as_nobody()
{
	# shellcheck disable=SC2086 # a program, or none
	$below chroot --userspec=65534:65534 "$root" /home/busybox env -i PATH=/nowhere \
		/home/busybox sh -c "cd /home && $1"
}

check()
{
	as_nobody "./a-file -i 100ms -o $1 -- ./busybox sh -c 'for i in 1 2 3; do
		./busybox usleep 200000; done; exit 7'" >"$scratch/out" 2>"$scratch/page"
	[ $? = 7 ] || fail "status: $(cat "$scratch/page")"
	grep -q '^Job busybox' "$scratch/page" || fail "no page: $(cat "$scratch/page")"
	grep -q ' CPU time ' "$scratch/page" || fail "no figures: $(cat "$scratch/page")"
	[ ! -s "$scratch/out" ] || fail "says $(cat "$scratch/out")"
	as_nobody './a-file -o /proc/none -- ./busybox true' 2>"$scratch/page" ||
		fail "status $? where nothing can be recorded"

	# A launcher starts each rank by the same file, whatever its name.
	as_nobody "./a-file -i 100ms -o ranks-$1 -- ./srun ./busybox usleep 500000" \
		2>"$scratch/page"
	grep -q '^Job srun' "$scratch/page" || fail "no page of ranks: $(cat "$scratch/page")"
	! find "$root/home/ranks-$1" -name '.run-*' | grep . || fail 'a sampler left its folder'
	[ -z "$(pgrep -u nobody)" ] || fail "left: $(ps -u nobody)"
	say "a page, where no other file is: $1"
}

printf '%s\n' '#!/home/busybox sh' 'SLURM_PROCID=0 SLURM_STEP_ID=0 SLURM_JOB_ID=5 exec "$@"' \
	>"$root/home/srun"
chmod +x "$root/home/srun"
below='' && check this-kernel
[ -z "$before" ] || { below=$before && check linux-4.18; }
finish
