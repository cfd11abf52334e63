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
built() { step "$1-build" "$build/$1" 3600 make "$jobs"; }

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
checked() { step gcc-check "$build/gcc" 3600 make "$tests" check; }
after_check() { until [ -e "$log/gcc-check.row" ]; do sleep 1; done; }

# of_all ALL SOME: how often something is done: before a release, and else
of_all() { is_all && echo "$1" || echo "$2"; }

# in_full FOLDER: of what "make check" does only a part; only once, where sanitizers watch
in_full()
{
	step "$1-kill" "$build/$1" 1800 env srcdir="$src" KILL_ROUNDS="$(of_all 100 30)" \
		KILL_SEED="$seed" "$src/tests/e2e/kill.sh"
	step "$1-writers" "$build/$1" 1800 env srcdir="$src" WRITER_ROUNDS="$(of_all 150 50)" \
		"$src/tests/e2e/writers.sh"
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
	if grep -q '^checks=no' "$1/run.sh"; then echo quick	# the packages of each Debian do more
	elif grep -q '^need_root' "$1/run.sh"; then echo root
	elif grep -q 'guest\.sh\|longest=' "$1/run.sh"; then echo guest
	elif grep -q 'debian\.sh' "$1/run.sh"; then echo debian
	elif grep -q 'make dist' "$1/run.sh"; then echo dist
	elif grep -q 'a_copy\|overlay\|container\|slurm\.sh' "$1/run.sh"; then echo copy
	else echo other; fi
}

# integration FOLDER: one such test
integration()
{
	step "$(basename "$1")" "$build/gcc" 3600 env JOBS="$(of_all 1000 200)" "${1}run.sh"
}

# each KIND: a line for each integration test of this kind; lane KIND does them, in turn
each()
{
	for test in "$src"/tests/integration/*/; do
		[ "$(kind_of "$test")" != "$1" ] || echo "integration '$test'"
	done
}
lane() { each "$1" >"$log/lane.$1"; drain "lane.$1"; }

# torture: a sample of the cases, or all of them, which takes hours
torture()
{
	if is_all; then
		step torture "$build/gcc" 36000 "$src/tests/torture/run.sh"
	else
		step torture "$build/gcc" 1800 env TORTURE_SECONDS=45 TORTURE_SEED="$seed" \
			"$src/tests/torture/run.sh"
	fi
}

# of_gcc: long tests of the first build
of_gcc()
{
	after_check
	step scripts "$build/gcc" 900 env srcdir="$src" ALL=1 "$src/tests/gates/shell.sh"
	step simulate "$build/gcc" "$(of_all 36000 1800)" env SEEDS="$(of_all 10000 40)" \
		"$src/tests/simulate/run.sh"
	! is_all || step faults "$build/gcc" 36000 "$src/tests/simulate/faults.sh"
	step soak "$build/gcc" 900 env srcdir="$src" SOAK_ROUNDS=400 SOAK_ROTATIONS=2000 \
		"$src/tests/e2e/soak.sh"
	step groups "$build/gcc" 900 env srcdir="$src" ALL=1 "$src/tests/e2e/many_groups.sh"
}

# installed: what the first build installs, and its programs and manuals as people use them
installed()
{
	after_check
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
	# shellcheck disable=SC2016 # make expands it
	step least-check "$build/least" 3600 make "$tests" check GATES= \
		TESTS="$(is_all && part least || echo '$(LONG_UNIT) $(UNIT)')"
}

# lacking: builds with all libraries but one: each is configured and compiled; before a release the
# tests of what differs run, too
lacking()
{
	after_check
	for library in $(sed -n 's/^\(NODOMETER\|AC_ARG\)_WITH(\[\([a-z]*\)\].*/\2/p' \
		"$src/configure.ac"); do
		where=$build/without-$library
		{ rm -rf "${where:?}" && mkdir "$where"; } || exit 1
		step "without-$library" "$where" "$(of_all 7200 1200)" \
			env BUILD_ONLY="$(is_all || echo 1)" \
			"$src/tests/without.sh" "$build/gcc" "$library"
	done
}

# parted: builds without each part, and one without all, whose unit tests run
parted()
{
	after_check
	for part in xrootd delivery tcp filetrace openvms core; do
		where=$build/no-$part
		{ rm -rf "${where:?}" && mkdir "$where"; } || exit 1
		step "no-$part" "$where" 1800 env CHECK="$(is_all && echo 1)" \
			"$src/tests/without_parts.sh" "$build/gcc" "$part"
	done
}

# part FOLDER: the tests that a build beside the first one repeats
part() { [ ! -e "$build/$1/Makefile" ] || (cd "$build/$1" && part_of_tests); }

# sanitized: a build with sanitizers, its unit tests, a part of the others, and a little fuzzing
sanitized()
{
	configured sanitizers CC=clang CFLAGS='-g -O1' --enable-sanitizers --enable-all-libraries
	built sanitizers
	step sanitizers-check "$build/sanitizers" 3600 make "$tests" check GATES= \
		TESTS="$(part sanitizers)"
	step fuzz "$build/sanitizers" "$(of_all 7200 1800)" env srcdir="$src" \
		FUZZ_SECONDS="$(of_all 3600 30)" FUZZ_SEED="$seed" \
		"$src/tests/fuzz/run.sh"
	in_full sanitizers
}

# tarball: two clones make the same; it builds, installs and cleans where it may not be written.  Tests
# run from a tarball in the package that tests/integration/rpm makes; here those that take files of the
# source.
tarball()
{
	set -- tests/collectors/run.sh tests/e2e/marks.sh tests/formats/run.sh tests/gates/man.sh \
		tests/hooks/install.sh tests/packaging.sh tests/packaging_units.sh tests/quickstart.sh \
		tests/report/run.sh tests/tracers/run.sh
	step dist . 900 "$src/tests/dist.sh"
	step distcheck "$build/gcc" 3600 env XZ_OPT=-1 \
		make "$jobs" distcheck TESTS="$*" check_PROGRAMS= \
		DISTCHECK_CONFIGURE_FLAGS='CFLAGS=-O0'
}

# cross ARCHITECTURE: the tests of another one, under an emulator
cross()
{
	rm -rf "${build:?}/cross-$1" && mkdir "$build/cross-$1"
	step "cross-$1" "$build/cross-$1" 3600 "$src/tests/cross.sh" "$1"
}

# packages: of all integration tests, before any of them copies this system
packages()
{
	for test in "$src"/tests/integration/*/; do
		PACKAGES_ONLY=1 "${test}run.sh" || [ $? = 77 ] || return 1
	done
}

# sanitized_units: the part of a build with sanitizers that takes a minute or two
sanitized_units()
{
	configured sanitizers CC=clang CFLAGS='-g -O1' --enable-sanitizers
	built sanitizers
	# shellcheck disable=SC2016 # make expands it
	step sanitizers-check "$build/sanitizers" 1200 make "$tests" check GATES= \
		TESTS='$(LONG_UNIT) $(UNIT)'
	step corpora "$build/sanitizers" 600 env srcdir="$src" FUZZ_SECONDS=0 "$src/tests/fuzz/run.sh"
}

# short_integration: a Slurm job through installed hooks, installed packages, a Prometheus
short_integration()
{
	after_check
	step slurm "$build/gcc" 600 env JOBS=4 "$src/tests/integration/slurm/run.sh"
	integration "$src/tests/integration/page/"
}
