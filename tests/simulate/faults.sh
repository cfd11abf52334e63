#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# faults.sh - plant each fault of faults/*.patch in a copy and prove that a test finds it
#
# Run it in a build folder. The first line of a patch may name the test that must find its fault,
# and words that the FAIL line of this test must have: "Caught by: tests/unit/test_str:
# keeps_blanks". A fault without that line must be found by one of SEEDS (1000) simulated histories.
# FAULTS="NAME..." selects some of the faults.
here=$(cd "$(dirname "$0")" && pwd)
top=$here/../..
skip() { echo "SKIP: $*"; exit 77; }
for tool in patch python3; do
	command -v $tool >/dev/null || skip "$tool is not installed"
done
[ -x ./nodometerd ] || { echo "there is no ./nodometerd in $PWD"; exit 99; }
export PYTHONDONTWRITEBYTECODE=1
scratch=$(mktemp -d "${TMPDIR:-/tmp}/faults.XXXXXX") && chmod 755 "$scratch" || exit 99
trap 'rm -rf "$scratch"' EXIT
trap 'exit 99' INT TERM HUP
mkdir "$scratch/node" || exit 99
. "$top/tests/copy.sh"

exec 3>&1

# made TARGET...: build() the targets; if the fault does not compile, exit with an error
made() { build "$@" || { tail -5 "$scratch/make.log" >&3; exit 99; }; }
test_of() { sed -n '1s/^Caught by: \([^:]*\): .*/\1/p' "$1"; }	# PATCH
words_of() { sed -n '1s/^Caught by: [^:]*: //p' "$1"; }

# run_histories: succeed if the programs keep their promises in all simulated histories
run_histories() {
	made nodometer nodometer-commands nodometerd nodometer-send nodometer-tidy
	# shellcheck disable=SC2086 # a compiler and its options
	[ -e "$scratch/sim.so" ] || ${CC:-cc} -O2 -shared -fPIC -D_GNU_SOURCE -I "$top" \
		-o "$scratch/sim.so" "$here/shim.c" "$here/disk.c" "$here/world.c" -ldl || exit 99
	python3 "$here/simulate.py" "$build" "$scratch/sim.so" "$scratch/node" \
		--seeds "${SEEDS:-1000}" --until-wrong
}

# run_test [TEST]: run TEST or, without an argument, the histories; the output is in $scratch/out
run_test() {
	# shellcheck disable=SC2046 # words
	case ${1:-} in
	'') run_histories ;;
	*.sh) made all; in_build "$scratch/src/$1" ;;
	*) rm -f "$build/$1"; made $(libraries) "$1"; in_build "$build/$1" ;;
	esac >"$scratch/out" 2>&1
}
in_build() { (cd "$build" && CC=${CC:-cc} srcdir=$scratch/src NODOMETER=$build/nodometer "$1"); }

faults=
for patch in "$here"/faults/*.patch; do
	name=$(basename "$patch" .patch)
	case " ${FAULTS:-$name} " in *" $name "*) faults="$faults $name" ;; esac
done

# Check that the tests pass without a fault: a test that always fails proves nothing.
for test in $(for name in $faults; do test_of "$here/faults/$name.patch"; done | sort -u); do
	run_test "$test" || { tail -5 "$scratch/out"; echo "$test fails without a fault"; exit 1; }
done
found=0 all=0
for name in $faults; do
	patch=$here/faults/$name.patch all=$((all + 1))
	test=$(test_of "$patch") words=$(words_of "$patch")
	patch -s -p1 -d "$scratch/src" <"$patch" || exit 99
	if run_test "$test"; then
		echo "$name: NOT FOUND${test:+ by $test}"
	elif [ "$test" ] && ! grep FAIL "$scratch/out" | grep -qF "$words"; then
		echo "$name: $test fails, but does not say \"$words\": $(tail -1 "$scratch/out")"
	else
		found=$((found + 1))
		echo "$name: found by ${test:-a history: $(grep -m 1 '^WRONG' "$scratch/out")}"
	fi
	patch -s -R -p1 -d "$scratch/src" <"$patch" || exit 99
done
echo "$found of $all planted faults found"
[ $found = $all ]
