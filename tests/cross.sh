#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# cross.sh - build nodometer for another architecture, and run its unit tests and the tests of
# formats and collectors
#
#   tests/cross.sh ARCHITECTURE     Debian's name: arm64, ppc64el, s390x or i386
#
# Runs in an empty folder below the build folder. Debian's cross compiler builds with libraries of
# ARCHITECTURE, which mmdebstrap unpacks here. qemu-user runs the programs, unless the kernel can
# run them. s390x is big-endian, so it reveals code that depends on the byte order. For arm64 and
# ppc64el, a kernel is booted, too, to test what qemu-user lacks.
set -u
src=$(cd "$(dirname "$0")/.." && pwd) || exit 99
# shellcheck source=which.sh
. "$src/tests/which.sh"
debian=${1:?usage: tests/cross.sh arm64|ppc64el|s390x|i386}
case $debian in
arm64)
	host=aarch64-linux-gnu qemu=qemu-aarch64 loader=lib/ld-linux-aarch64.so.1
	kernel=,linux-image-arm64,busybox-static ;;
ppc64el)
	host=powerpc64le-linux-gnu qemu=qemu-ppc64le loader=lib64/ld64.so.2
	kernel=,linux-image-powerpc64le,busybox-static ;;
s390x)	# bpftool reads only files with the byte order of its machine
	host=s390x-linux-gnu qemu=qemu-s390x loader=lib/ld64.so.1 without=--without-bpf ;;
i386)	# structs of BPF differ; hwloc uses CPUID, which qemu-user 7.2 emulates badly
	host=i686-linux-gnu qemu=qemu-i386 loader=lib/ld-linux.so.2
	without='--without-bpf --without-hwloc' ;;
*) echo "cross.sh: no such architecture: $debian" >&2; exit 2 ;;
esac
command -v mmdebstrap >/dev/null || { echo 'skipped: no mmdebstrap, which Debian has'; exit 77; }
root=$PWD/root
# the libraries that the build and its tests install on this machine
libraries=$(grep -ohw "[a-z0-9]*lib[a-z0-9.-]*-dev" "$src/packaging/needs.sh" "$src/run-tests" |
	grep -v clang)

die()
{
	echo "cross.sh: $*" >&2
	exit 1
}

# unpack: unpack the libraries of ARCHITECTURE below root/, without running or installing anything
# of them
unpack()
{
	suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
	include=$(echo "$libraries" | sort -u | paste -sd ,)
	mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' | head -n 1)
	rm -rf "$root"	# left by an earlier run
	mmdebstrap --quiet --mode=root --variant=extract --skip=check/qemu \
		--include="$include${kernel:-}" --architectures="$debian" "$suite" "$root" \
		"${mirror:-http://deb.debian.org/debian}" ||
		die 'no libraries'
	# make absolute links lead to their targets below $root
	find "$root/lib64" "$root/lib" "$root/usr/lib" -type l -lname '/*' 2>/dev/null |
		while read -r link; do
			ln -sfn "$root$(readlink "$link")" "$link"
		done
}

# wrap PROGRAM...: rename each program to PROGRAM.elf, and make a script PROGRAM that runs it in
# qemu, so that programs can find and start each other. unwrap: undo this after an earlier run.
wrap()
{
	for program; do
		mv "$program" "$program.elf"
		printf '#!/bin/sh\nexec %s %s.elf "$@"\n' "$qemu" "$PWD/$program" >"$program"
		chmod 755 "$program"
	done
}
unwrap()
{
	for elf in nodometer*.elf; do
		[ ! -e "$elf" ] || mv "$elf" "${elf%.elf}"
	done
}

# failure NAME LOG: report a failed test
failure()
{
	failed="$failed $1"
	echo "FAIL: $1"
	tail -n 40 "$2"
}

unwrap
unpack
libs=$(echo "$root"/usr/lib/*-linux-gnu*)
# Use run paths in the programs, because qemu's own option for a foreign root would show this root
# to the programs as "/".
rpath="-Wl,--disable-new-dtags,-rpath,$libs,-rpath,$root${libs#"$root/usr"}"
PKG_CONFIG_LIBDIR=$libs/pkgconfig:$root/usr/share/pkgconfig PKG_CONFIG_SYSROOT_DIR=$root
export PKG_CONFIG_LIBDIR PKG_CONFIG_SYSROOT_DIR
# shellcheck disable=SC2086 # a list of words
"$src/configure" --host=$host --enable-werror --enable-all-libraries --prefix=/usr \
	--sysconfdir=/etc --localstatedir=/var runstatedir=/run CC="$host-gcc --sysroot=$root" \
	CFLAGS=-O0 CPPFLAGS="-I$root/usr/include" \
	LDFLAGS="-L$libs -Wl,--dynamic-linker=$root/$loader $rpath" ${without:-} ||
	die 'no configure'
# Most kernels of x86_64 run programs of i386, 20 times as fast as qemu-user does.
if [ "$debian" = i386 ] && echo 'int main(void) { return 0; }' |
	$host-gcc -static -x c -o native - && ./native 2>/dev/null; then
	qemu=
fi
page="$qemu man/types_page"
make -j"$(nproc)" TYPES_PAGE="$page" RUN="$qemu" || die 'it does not build'
make -j"$(nproc)" TYPES_PAGE="$page" RUN="$qemu" unit-tests || die 'the tests do not build'
[ -z "$qemu" ] || wrap nodometer nodometer-*[a-z]

# qemu-user 7.2 supports neither landlock nor seccomp filters nor openat2(2) nor RTM_GETSTATS of
# rtnetlink, and cannot start another foreign program; it is slow. So leave out some tests, and
# shorten others. Only a run before a release has time for the two that take longest.
left_out='test_answered test_confine test_files test_net_links test_remote test_xrd_inject'
is_all || left_out="$left_out test_many_servers test_slow"
few_inputs
failed=
for test in tests/unit/test_*; do
	case $test in *.*) continue ;; esac
	case " $left_out " in *" ${test##*/} "*) continue ;; esac
	srcdir=$src timeout 400 ${qemu:+"$qemu"} "$test" >"$test.log" 2>&1
	status=$?
	[ $status = 0 ] || [ $status = 77 ] || failure "$test" "$test.log"
done
# These tests start many programs: run them only on s390x, because of its byte order, or before a
# release.
for test in collectors formats; do
	[ "$debian" = s390x ] || [ "${TIER:-}" = all ] || continue
	srcdir=$src NODOMETER=$PWD/nodometer "$src/tests/$test/run.sh" >"$test.log" 2>&1 ||
		failure "$test" "$test.log"
done
# Booting a guest takes long: each run boots only the guest for arm64, and a run before a release
# also the guest for ppc64el.
if [ "$debian" = arm64 ] || { [ -n "${kernel:-}" ] && [ "${TIER:-}" = all ]; }; then
	"$src/tests/counters/run.sh" "$debian" >tests/counters.log 2>&1
	case $? in
	0 | 77) tail -n 1 tests/counters.log ;;
	*) failure counters tests/counters.log ;;
	esac
fi
[ -z "$failed" ] || die "failed on $debian:$failed"
echo "$debian: $(find tests -name '*.log' | wc -l) tests"
