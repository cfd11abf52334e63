# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh
# fleet_lib.sh - what tests of nodometer fleet share: archives of nodes, and checks of fleet's
# output
. "$(dirname "$0")/lib.sh"
now=$(date +%s)
# The newest records are 100 s old, so a test fails if it takes longer than three minutes.
base=$((now - 100))

# shellcheck source=fleet_nodes.sh
. "$(dirname "$0")/fleet_nodes.sh"

# made DIR: make folders and files in DIR for the nodes whose lines are on standard input; see
# nodes() for the lines
made()
{
	cat >"$work/nodes"
	mkdir -p "$1"
	(cd "$1" && sed 's/ .*//' "$work/nodes" | xargs mkdir -p)
	nodes "$1" <"$work/nodes"
}

# asks STATUS [OPTION...]: run nodometer fleet, which must exit with STATUS; its output is in
# $work/out
asks()
{
	want=$1
	shift
	"$bin/nodometer-fleet" "$@" >"$work/out" 2>"$work/said"
	is=$?
	[ $is = "$want" ] || fail "fleet $*: status $is: $(cat "$work/said" "$work/out")"
}
says() { grep -q "$1" "$work/out" || fail "no \"$1\": $(cat "$work/out")"; }

# took WHAT OPTION...: run nodometer fleet, which must find faults, and print WHAT and the
# milliseconds that it took
took()
{
	what=$1
	shift
	began=$(date +%s%N)
	asks 2 "$@"
	echo "$what: $((($(date +%s%N) - began) / 1000000)) ms"
}

newest() { find "$archive/$1" -type f -printf '%p\n' | sort | tail -n 1; }

# compare LIST: fail unless the lines of the output about nodes begin with the lines of LIST, one
# for one
compare()
{
	sed '1d; s/  */ /g' "$work/out" | sort >"$work/lines"
	[ "$(wc -l <"$work/lines")" = "$(wc -l <"$1")" ] || fail "$(cat "$work/out")"
	while IFS= read -r line; do
		grep -q "^$line" "$work/lines" || fail "no \"$line\": $(cat "$work/out")"
	done <"$1"
}

archive=$work/a
# few: make an archive with a few ordinary nodes, one on which a job's epilog is missing, and one
# with an older version
few()
{
	made "$archive" <<-END
	c001
	c002 first=8 last=8
	c003 first=7 last=7
	c004
	c005 version=0.0.9
	c006 first=7 last=7
	c007
	c009 first=8 last=- mark=end_8_source=hook
	c012 first=8 last=- mark=end_8_source=hook
	c015 first=8 last=- mark=end_8_source=hook
	END
}
