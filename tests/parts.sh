# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh
# parts.sh - the parts of run-tests: builds, checks of each build, packages, other architectures
#
# Source this file after steps.sh, with the folders $src and $build, and the make options $jobs for
# building and $tests for testing.
. tests/which.sh

# configured FOLDER ARGUMENTS...: configure a new build in $build/FOLDER, and set $where to FOLDER
configured()
{
	where=$1
	shift
	{ rm -rf "${build:?}/$where" && mkdir "$build/$where"; } || exit 1
	step "$where-configure" "$build/$where" 900 "$src/configure" --enable-werror \
		--prefix=/usr --sysconfdir=/etc --localstatedir=/var runstatedir=/run "$@"
}

# built FOLDER: compile the build that configured() made in $build/FOLDER
built() { step "$1-build" "$build/$1" 3600 make "$jobs"; }

# take QUEUE: remove the first line of the queue and set $line to it; fail if there is none
take()
{
	line=$({ flock 9; head -n 1 "$log/$1"; sed -i 1d "$log/$1"; } 9>"$log/turn")
	[ "$line" ]
}

# drain QUEUE: run the lines of the queue one by one until none is left; several processes may drain
# one queue
drain() { while take "$1"; do eval "$line"; done; }

# at_once WORKERS: run the command lines on standard input in WORKERS processes at once, in order
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

# fetched: wait until the packages of integration tests are installed; end the run if that failed
fetched()
{
	until [ -s "$log/fetched" ]; do sleep 1; done
	[ "$(cat "$log/fetched")" = 0 ] || exit 1
}

# checked: test the first build, gcc, and unless the run is short, with its long tests; most other
# parts of the run wait for the result
checked()
{
	set -- "$tests" check
	# shellcheck disable=SC2016 # make expands it
	[ "$TIER" = short ] || set -- "$@" TESTS='$(ALL_TESTS)'
	step gcc-check "$build/gcc" 3600 make "$@"
}
after_check() { until [ -e "$log/gcc-check.row" ]; do sleep 1; done; }

# of_all ALL SOME: print ALL in a run before a release, and SOME in other runs
of_all() { is_all && echo "$1" || echo "$2"; }

# in_full FOLDER: run in full the tests that "make check" shortens. They run in only one build: that
# with sanitizers.
in_full()
{
	step "$1-kill" "$build/$1" 1800 env srcdir="$src" KILL_ROUNDS="$(of_all 100 30)" \
		KILL_SEED="$seed" "$src/tests/e2e/kill.sh"
	step "$1-writers" "$build/$1" 1800 env srcdir="$src" WRITER_ROUNDS="$(of_all 150 50)" \
		"$src/tests/e2e/writers.sh"
	step "$1-cuts" "$build/$1" 1800 env srcdir="$src" CUT_STEP="$(of_all 1 3)" \
		./tests/unit/test_xrd_inject
	step "$1-slow" "$build/$1" 1800 env SLOW_FLEETS=2 ./tests/unit/test_slow
	for peers in peers names; do
		step "$1-rogue-$peers" "$build/$1" 1800 env SESSIONS=300 ./tests/unit/test_rogue_$peers
	done
	step "$1-captures" "$build/$1" 1800 env srcdir="$src" "$src/tests/tracers/shared.sh"
}

# kind_of TEST: print the kind of an integration test, which determines the tests that may run at
# the same time. A guest uses all CPUs and has time limits, and so do tests of hooks with a longest
# time. Tests on roots of Debian wait for the two tests that make the roots. "make dist" has only
# one folder. Systems in a copy of this system share its cgroups.
kind_of()
{
	if grep -q '^checks=no' "$1/run.sh"; then echo quick	# a test of packages does more
	elif grep -q '^need_root' "$1/run.sh"; then echo root
	elif grep -q 'guest\.sh\|longest=' "$1/run.sh"; then echo guest
	elif grep -q 'debian\.sh' "$1/run.sh"; then echo debian
	elif grep -q 'make dist' "$1/run.sh"; then echo dist
	elif grep -q 'a_copy\|overlay\|container\|slurm\.sh' "$1/run.sh"; then echo copy
	else echo other; fi
}

# integration FOLDER: run the integration test in FOLDER
integration()
{
	step "$(basename "$1")" "$build/gcc" 3600 env JOBS="$(of_all 1000 200)" "${1}run.sh"
}

# each KIND: print a command line for each integration test of this kind. lane KIND: run these tests
# one after another.
each()
{
	for test in "$src"/tests/integration/*/; do
		[ "$(kind_of "$test")" != "$1" ] || echo "integration '$test'"
	done
}
lane() { each "$1" >"$log/lane.$1"; drain "lane.$1"; }

# torture: run a sample of the torture cases or, before a release, all cases, which takes hours
torture()
{
	if is_all; then
		step torture "$build/gcc" 36000 "$src/tests/torture/run.sh"
	else
		step torture "$build/gcc" 1800 env TORTURE_SECONDS=45 TORTURE_SEED="$seed" \
			"$src/tests/torture/run.sh"
	fi
}

# of_gcc: run the long tests on the first build
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

# installed: test what the first build installs, and its programs and manuals as people use them
installed()
{
	after_check
	step howto "$build/gcc" 1800 "$src/tests/howto.sh"
	step libraries "$build/gcc" 900 "$src/tests/libraries.sh"
	step install "$build/gcc" 900 "$src/tests/install.sh"
	step valgrind "$build/gcc" 900 "$src/tests/valgrind.sh"
}

# least: make a build without any optional library, and test it
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

# lacking: for each library, compile a build without it; before a release, also run the tests of the
# programs that differ from the first build
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

# parted: compile a build without each part, and one without all parts, whose unit tests are run
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

# part FOLDER: print those tests of the first build that the build in FOLDER repeats
part() { [ ! -e "$build/$1/Makefile" ] || (cd "$build/$1" && part_of_tests); }

# checked_sanitizers TESTS: run these tests of the build with sanitizers, with few inputs; all builds
# without sanitizers, and in_full(), take more
checked_sanitizers()
{
	(few_inputs; step sanitizers-check "$build/sanitizers" 3600 \
		make "$tests" check GATES= TESTS="$1")
}

# sanitized: build with sanitizers; run its unit tests, some of its scripts, and a little fuzzing.
# -O0 halves the time to compile.
sanitized()
{
	configured sanitizers CC=clang CFLAGS='-g -O0' --enable-sanitizers --enable-all-libraries
	built sanitizers
	checked_sanitizers "$(part sanitizers)"
	step fuzz "$build/sanitizers" "$(of_all 7200 1800)" env srcdir="$src" \
		FUZZ_SECONDS="$(of_all 3600 30)" FUZZ_SEED="$seed" \
		"$src/tests/fuzz/run.sh"
	in_full sanitizers
}

# tarball: check that two clones make the same tarball, and that it builds, installs and cleans with
# a read-only source. tests/integration/rpm runs all tests from a tarball; here, only tests run that
# read files of the source.
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

# cross ARCHITECTURE: build for ARCHITECTURE, and run its tests in an emulator
cross()
{
	rm -rf "${build:?}/cross-$1" && mkdir "$build/cross-$1"
	step "cross-$1" "$build/cross-$1" 3600 "$src/tests/cross.sh" "$1"
}

# packages: install the packages that integration tests need, before any test copies this system
packages()
{
	for test in "$src"/tests/integration/*/; do
		PACKAGES_ONLY=1 "${test}run.sh" || [ $? = 77 ] || return 1
	done
}

# sanitized_units: build with sanitizers and run the unit tests and the corpora, which takes a
# minute or two
sanitized_units()
{
	configured sanitizers CC=clang CFLAGS='-g -O0' --enable-sanitizers
	built sanitizers
	# shellcheck disable=SC2016 # make expands it
	checked_sanitizers '$(LONG_UNIT) $(UNIT)'
	step corpora "$build/sanitizers" 600 env srcdir="$src" FUZZ_SECONDS=0 "$src/tests/fuzz/run.sh"
}

# short_integration: run two integration tests only: a few jobs of Slurm, and a Prometheus
short_integration()
{
	after_check
	step slurm "$build/gcc" 600 env JOBS=4 "$src/tests/integration/slurm/run.sh"
	integration "$src/tests/integration/page/"
}
