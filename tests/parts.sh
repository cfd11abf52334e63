# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh
# parts.sh - what run-tests consists of: builds, the checks of each, packages, other architectures
#
# Sourced after steps.sh, with the folders $src and $build, and the options of make $jobs and $tests.
. tests/which.sh

# configured FOLDER ARGUMENTS...: a new folder, $where
configured()
{
	where=$1
	shift
	{ rm -rf "${build:?}/$where" && mkdir "$build/$where"; } || exit 1
	step "$where-configure" "$build/$where" 900 "$src/configure" --enable-werror \
		--prefix=/usr --sysconfdir=/etc --localstatedir=/var runstatedir=/run "$@"
}

# built FOLDER: as it was configured
built() { step "$1-build" "$build/$1" 1800 make "$jobs"; }

# take QUEUE: $line becomes its next one
take()
{
	line=$({ flock 9; head -n 1 "$log/$1"; sed -i 1d "$log/$1"; } 9>"$log/turn")
	[ "$line" ]
}

# drain QUEUE: does its lines, until none is left; of several at once each takes another
drain() { while take "$1"; do eval "$line"; done; }

# at_once WORKERS: does the lines of standard input, in their order; each worker takes one, until none
# is left
at_once()
{
	cat >"$log/queue"
	workers=
	for _ in $(seq "$1"); do
		drain queue &
		workers="$workers $!"
	done
	for worker in $workers; do
		wait "$worker" || return 1
	done
}

# fetched: waits for the packages of integration tests, and ends a run without them
fetched()
{
	until [ -s "$log/fetched" ]; do sleep 1; done
	[ "$(cat "$log/fetched")" = 0 ] || exit 1
}

# checked: the first build, of which most others need something
checked() { step gcc-check "$build/gcc" 1800 make "$tests" check; }
after_check() { until [ -e "$log/gcc-check.row" ]; do sleep 1; done; }

# in_full FOLDER: of what "make check" does only a part; only once, where sanitizers watch
in_full()
{
	step "$1-kill" "$build/$1" 1800 env srcdir="$src" KILL_ROUNDS=100 "$src/tests/e2e/kill.sh"
	step "$1-writers" "$build/$1" 1800 env srcdir="$src" WRITER_ROUNDS=150 "$src/tests/e2e/writers.sh"
	step "$1-cuts" "$build/$1" 1800 env srcdir="$src" EACH_BYTE=1 ./tests/unit/test_xrd_inject
	step "$1-slow" "$build/$1" 1800 env SLOW_FLEETS=2 ./tests/unit/test_slow
	for peers in peers names; do
		step "$1-rogue-$peers" "$build/$1" 1800 env SESSIONS=300 ./tests/unit/test_rogue_$peers
	done
	step "$1-captures" "$build/$1" 1800 env srcdir="$src" "$src/tests/tracers/shared.sh"
}

# kind_of TEST: a guest takes all processors and must be in time, as hooks that have a longest time
# must; those on roots of Debian wait for the two that make them, "make dist" has one folder, and
# systems in a copy of this one have its control groups
kind_of()
{
	if grep -q '^need_root' "$1/run.sh"; then echo root
	elif grep -q 'guest\.sh\|longest=' "$1/run.sh"; then echo guest
	elif grep -q 'debian\.sh' "$1/run.sh"; then echo debian
	elif grep -q 'make dist' "$1/run.sh"; then echo dist
	elif grep -q 'a_copy\|overlay\|container\|slurm\.sh' "$1/run.sh"; then echo copy
	else echo other; fi
}

# integration FOLDER: one such test
integration() { step "$(basename "$1")" "$build/gcc" 2400 "${1}run.sh"; }

# its_day NAME: of the three longest that others stand in for, 150 to 200 s of CPU time each, one a day
its_day()
{
	case $1 in
	programs) its_turn 0 3 ;;
	workloads) its_turn 1 3 ;;
	cross) its_turn 2 3 ;;
	esac || {
		echo "$1: its turn is another day (TURNS=all: each day)" >"$log/$1.skips"
		false
	}
}

# each KIND: a line for each integration test of this kind; lane KIND does them, in turn
each()
{
	for test in "$src"/tests/integration/*/; do
		[ "$(kind_of "$test")" != "$1" ] || ! its_day "$(basename "$test")" ||
			echo "integration '$test'"
	done
}
lane() { each "$1" >"$log/lane.$1"; drain "lane.$1"; }

torture() { step torture "$build/gcc" 1800 env TORTURE_SECONDS=45 "$src/tests/torture/run.sh"; }

# of_gcc: of the first build
of_gcc()
{
	after_check
	step scripts "$build/gcc" 900 env srcdir="$src" ALL=1 "$src/tests/gates/shell.sh"
	step simulate "$build/gcc" 1800 env SEEDS=40 "$src/tests/simulate/run.sh"
	step soak "$build/gcc" 900 env srcdir="$src" SOAK_ROUNDS=400 "$src/tests/e2e/soak.sh"
	step groups "$build/gcc" 900 env srcdir="$src" ALL=1 "$src/tests/e2e/many_groups.sh"
	step howto "$build/gcc" 1800 "$src/tests/howto.sh"
	step libraries "$build/gcc" 900 "$src/tests/libraries.sh"
	step install "$build/gcc" 900 "$src/tests/install.sh"
	step valgrind "$build/gcc" 900 "$src/tests/valgrind.sh"
}

# least: what needs no library
least()
{
	configured least CC=clang CFLAGS='-g -O0' --without-zstd --without-zlib --without-ibmad \
		--without-hwloc --without-curl --without-expat --without-libpcap --without-mnl \
		--without-rabbitmq --without-rdkafka --without-traceevent --without-fuse \
		--without-bpf --without-ncurses --without-microhttpd --without-snappy
	built least
	step least-check "$build/least" 1800 make "$tests" check GATES= \
		TESTS="$(part least)"
}

# lacking: builds with all libraries but one, and the checks of what differs: a third of them, other
# ones each day
lacking()
{
	after_check
	n=0 left=''
	for library in $(sed -n 's/^\(NODOMETER\|AC_ARG\)_WITH(\[\([a-z]*\)\].*/\2/p' \
		"$src/configure.ac"); do
		n=$((n + 1))
		! its_turn $((n % 3)) 3 || left="$left $library"
	done
	echo "left out, one at a time:$left (TURNS=all: each of $n)"
	for library in $left; do
		where=$build/without-$library
		{ rm -rf "${where:?}" && mkdir "$where"; } || exit 1
		step "without-$library" "$where" 1200 "$src/tests/without.sh" "$build/gcc" "$library"
	done
}

# part FOLDER: the part of its tests that runs today
part() { (cd "$build/$1" && part_of_tests); }

# sanitized: a build with sanitizers, its unit tests, a part of the others, and what is fuzzed
sanitized()
{
	configured sanitizers CC=clang CFLAGS='-g -O1' --enable-sanitizers --enable-all-libraries
	built sanitizers
	step sanitizers-check "$build/sanitizers" 2400 make "$tests" check GATES= \
		TESTS="$(part sanitizers)"
	step fuzz "$build/sanitizers" 1800 env srcdir="$src" FUZZ_SECONDS=30 \
		"$src/tests/fuzz/run.sh"
	in_full sanitizers
}

# tarball: two clones make the same; it builds, installs and cleans where it may not be written.  Tests
# run from a tarball in the package that tests/integration/rpm makes; here those that take files of the
# source.
tarball()
{
	set -- tests/collectors/run.sh tests/e2e/marks.sh tests/formats/run.sh tests/gates/man.sh \
		tests/hooks/install.sh tests/packaging.sh tests/quickstart.sh tests/report/run.sh \
		tests/tracers/run.sh
	step dist . 900 "$src/tests/dist.sh"
	step distcheck "$build/gcc" 1200 env XZ_OPT=-1 \
		make "$jobs" distcheck TESTS="$*" check_PROGRAMS= \
		DISTCHECK_CONFIGURE_FLAGS='CFLAGS=-O0'
}

# cross: one of four other architectures, another one each time
cross()
{
	its_day cross || return 0
	n=-1
	for arch in arm64 s390x ppc64el i386; do
		where=$build/cross-$arch n=$((n + 1))
		its_turn $n 4 || continue
		rm -rf "${where:?}" && mkdir "$where"
		step "${where##*/}" "$where" 2400 "$src/tests/cross.sh" $arch
	done
}

# packages: of all integration tests, before any of them copies this system
packages()
{
	for test in "$src"/tests/integration/*/; do
		PACKAGES_ONLY=1 "${test}run.sh" || [ $? = 77 ] || return 1
	done
}
