# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh
# fleet_lib.sh - what tests of nodometer fleet share: archives of nodes, and what fleet says of them
. "$(dirname "$0")/lib.sh"
now=$(date +%s)
# The newest records are 100 s old, so a test fails if it takes longer than three minutes.
base=$((now - 100))

# shellcheck source=fleet_nodes.sh
. "$(dirname "$0")/fleet_nodes.sh"

# made DIR: make the folders and files of the nodes on standard input, as nodes() reads them
made()
{
	cat >"$work/nodes"
	mkdir -p "$1"
	(cd "$1" && sed 's/ .*//' "$work/nodes" | xargs mkdir -p)
	nodes "$1" <"$work/nodes"
}

# asks STATUS [OPTION...]: run fleet; its output is in $work/out
asks()
{
	want=$1
	shift
	"$bin/nodometer-fleet" "$@" >"$work/out" 2>"$work/said"
	is=$?
	[ $is = "$want" ] || fail "fleet $*: status $is: $(cat "$work/said" "$work/out")"
}
says() { grep -q "$1" "$work/out" || fail "no \"$1\": $(cat "$work/out")"; }

# took WHAT OPTION...: run fleet with the options, and print WHAT and the time that fleet took
took()
{
	what=$1
	shift
	began=$(date +%s%N)
	asks 2 "$@"
	echo "$what: $((($(date +%s%N) - began) / 1000000)) ms"
}

newest() { find "$archive/$1" -type f -printf '%p\n' | sort | tail -n 1; }

# compare LIST: fail unless each line of LIST begins one line of the output about a node, and there
# are no other such lines
compare()
{
	sed '1d; s/  */ /g' "$work/out" | sort >"$work/lines"
	[ "$(wc -l <"$work/lines")" = "$(wc -l <"$1")" ] || fail "$(cat "$work/out")"
	while IFS= read -r line; do
		grep -q "^$line" "$work/lines" || fail "no \"$line\": $(cat "$work/out")"
	done <"$1"
}

archive=$work/a
# few: make a small archive of ordinary nodes, one that has no epilog, and one of an older version
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
