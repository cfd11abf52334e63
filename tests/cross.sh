#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# cross.sh - unit tests, and those of formats and collectors, of nodometer for another architecture
#
#   tests/cross.sh ARCHITECTURE     Debian's name: arm64, ppc64el, s390x or i386
#
# Runs in an empty folder below the build folder.  Debian's cross compiler builds with libraries of
# that architecture, which mmdebstrap unpacks there, and qemu-user runs what was built.  s390x is
# big-endian: it finds what has its bytes in the wrong order; of two others a kernel is
# booted, too, for what qemu-user has not.
set -u
src=$(cd "$(dirname "$0")/.." && pwd) || exit 99
debian=${1:?usage: tests/cross.sh arm64|ppc64el|s390x|i386}
case $debian in
arm64)
	host=aarch64-linux-gnu qemu=qemu-aarch64 loader=lib/ld-linux-aarch64.so.1
	kernel=,linux-image-arm64,busybox-static ;;
ppc64el)
	host=powerpc64le-linux-gnu qemu=qemu-ppc64le loader=lib64/ld64.so.2
	kernel=,linux-image-powerpc64le,busybox-static ;;
s390x)	# bpftool reads its own machine's order of bytes
	host=s390x-linux-gnu qemu=qemu-s390x loader=lib/ld64.so.1 without=--without-bpf ;;
i386)	# structs of BPF differ; hwloc asks the processor, which qemu-user 7.2 does not play well
	host=i686-linux-gnu qemu=qemu-i386 loader=lib/ld-linux.so.2
	without='--without-bpf --without-hwloc' ;;
*) echo "cross.sh: no such architecture: $debian" >&2; exit 2 ;;
esac
command -v mmdebstrap >/dev/null || { echo 'skipped: no mmdebstrap, which Debian has'; exit 77; }
root=$PWD/root
# those that the build and its tests install here
libraries=$(grep -ohw "[a-z0-9]*lib[a-z0-9.-]*-dev" "$src/packaging/needs.sh" "$src/run-tests" |
	grep -v clang)

die()
{
	echo "cross.sh: $*" >&2
	exit 1
}

# unpack: the libraries of that architecture below root/; nothing of them runs, nothing is installed
unpack()
{
	suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
	include=$(echo "$libraries" | sort -u | paste -sd ,)
	mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' | head -n 1)
	rm -rf "$root"	# of a run before
	mmdebstrap --quiet --mode=root --variant=extract --skip=check/qemu \
		--include="$include${kernel:-}" --architectures="$debian" "$suite" "$root" \
		"${mirror:-http://deb.debian.org/debian}" ||
		die 'no libraries'
	# what these links mean is below the root, too
	find "$root/lib64" "$root/lib" "$root/usr/lib" -type l -lname '/*' 2>/dev/null |
		while read -r link; do
			ln -sfn "$root$(readlink "$link")" "$link"
		done
}

# wrap PROGRAM...: under its name stands what runs it, so that programs find and start one another
wrap()
{
	for program; do
		mv "$program" "$program.elf"
		printf '#!/bin/sh\nexec %s %s.elf "$@"\n' "$qemu" "$PWD/$program" >"$program"
		chmod 755 "$program"
	done
}

unpack
libs=$(echo "$root"/usr/lib/*-linux-gnu*)
# qemu's own way to a foreign root would show it as "/" to the programs
rpath="-Wl,--disable-new-dtags,-rpath,$libs,-rpath,$root${libs#"$root/usr"}"
PKG_CONFIG_LIBDIR=$libs/pkgconfig:$root/usr/share/pkgconfig PKG_CONFIG_SYSROOT_DIR=$root
export PKG_CONFIG_LIBDIR PKG_CONFIG_SYSROOT_DIR
# shellcheck disable=SC2086 # a list of words
"$src/configure" --host=$host --enable-werror --enable-all-libraries --prefix=/usr \
	--sysconfdir=/etc --localstatedir=/var runstatedir=/run CC="$host-gcc --sysroot=$root" \
	CFLAGS=-O0 CPPFLAGS="-I$root/usr/include" \
	LDFLAGS="-L$libs -Wl,--dynamic-linker=$root/$loader $rpath" ${without:-} ||
	die 'no configure'
page="$qemu man/types_page"
make -j"$(nproc)" TYPES_PAGE="$page" RUN="$qemu" || die 'it does not build'
make -j"$(nproc)" TYPES_PAGE="$page" RUN="$qemu" unit-tests || die 'the tests do not build'
wrap nodometer nodometer-*[a-z]

# qemu-user 7.2 has no landlock, no seccomp filters and no openat2(2), starts no program of another
# architecture again, and has no CPU time to spare
left_out='test_answered test_confine test_files test_remote test_xrd_inject'
export SLOW_FLEETS=1 OWN_SEEDS=100 MODEL_SEEDS=5 SESSIONS=5
failed=
for test in tests/unit/test_*; do
	case $test in *.*) continue ;; esac
	case " $left_out " in *" ${test##*/} "*) continue ;; esac
	srcdir=$src timeout 400 "$qemu" "$test" >"$test.log" 2>&1
	status=$?
	[ $status = 0 ] || [ $status = 77 ] || { failed="$failed $test"; tail -n 20 "$test.log"; }
done
# These start many programs: they run where the order of bytes differs, or before a release.
for test in collectors formats; do
	[ "$debian" = s390x ] || [ "${TIER:-}" = all ] || continue
	srcdir=$src NODOMETER=$PWD/nodometer "$src/tests/$test/run.sh" >"$test.log" 2>&1 ||
		{ failed="$failed $test"; tail -n 40 "$test.log"; }
done
# A guest takes long: only one of them runs in each run, the other before a release.
if [ "$debian" = arm64 ] || { [ -n "${kernel:-}" ] && [ "${TIER:-}" = all ]; }; then
	"$src/tests/counters/run.sh" "$debian" >tests/counters.log 2>&1
	case $? in
	0 | 77) tail -n 1 tests/counters.log ;;
	*) failed="$failed counters"; cat tests/counters.log ;;
	esac
fi
[ -z "$failed" ] || die "failed on $debian:$failed"
echo "$debian: $(find tests -name '*.log' | wc -l) tests"
