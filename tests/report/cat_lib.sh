# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh
# cat_lib.sh - what tests of nodometer cat share: two raw files of a node, and a check of the output
. "$(dirname "$0")/lib.sh"

# is WHAT ARGUMENTS...: fail unless nodometer cat ARGUMENTS prints the text on standard input
is()
{
	what=$1
	shift
	cat >"$work/want"
	"$bin/nodometer-cat" "$@" >"$work/got" 2>"$work/said"
	diff "$work/want" "$work/got" || fail "$what: $(cat "$work/said")"
}

# shellcheck disable=SC2016 # properties, not variables
{
	printf '$hpcperfstats 1.0.2\n$hostname n1\n$uptime 500\n$boot_id a\n'
	printf '!net rx_bytes,E,U=B tx_bytes,E,W=32\n!mem MemFree,U=KB\n'
	printf '\n100 7\n%%begin 7\nnet eth0 1000 4294967200\nnet eth,1 5 5\nmem 0 50\n'
	printf '\n110 7\nnet eth0 2000 4\nnet eth,1 15 5\nmem 0 40\n'
	printf '\n130 7\nnet eth0 2500 24\nmem 0 30\n'
	printf '\n140 -\nnet eth0 100 34\nnet eth,1 45 5\nmem 0 30\n'
	printf '\n150 -\nnet eth0 200 44\nnet eth,1 46 5\nmem 0 30\n'
} >"$work/one"
{
	# In the second file, the node was booted, and the keys have another order.
	printf '$hpcperfstats 1.0.2\n$hostname n1\n$uptime 20\n$boot_id b\n'
	printf '!net tx_bytes,E,W=32 rx_bytes,E,U=B new,E\n'
	printf '\n200 -\nnet eth0 10 20 1\n'
	printf '\n210 -\nnet eth0 20 20 3\n'
} >"$work/two"
