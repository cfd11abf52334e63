# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh
# lib_clock.sh - run programs with a wall clock that the test sets (clock_shim.c)
#
# To run a program with the shim, set LD_PRELOAD=$scratch/clock.so CLOCK_OFFSET=$scratch/offset.

# make_clock_shim: compile the shim. Fails, with the reason in $no_shim, if this build or machine
# cannot use it.
# shellcheck disable=SC2086 # a compiler and its words
make_clock_shim()
{
	no_shim=
	case "${SAN:-}" in *sanitize*) no_shim='a sanitizer and clock_shim.c do not go together' ;; esac
	[ -n "$no_shim" ] || command -v ${CC:-cc} >/dev/null || no_shim='no compiler for clock_shim.c'
	[ -z "$no_shim" ] || return 1
	${CC:-cc} -shared -fPIC -o "$scratch/clock.so" "$srcdir/tests/e2e/clock_shim.c" ||
		fail 'clock_shim.c'
}

# set_clock SECONDS: set how far the shim's clock is ahead of the machine's; the offset is stored as
# an int64_t in native byte order
set_clock()
{
	perl -e 'print pack("q", $ARGV[0])' -- "$1" >"$scratch/offset.new" ||
		skip 'no perl to write the offset'
	mv "$scratch/offset.new" "$scratch/offset"
	shift_by=$1
}
