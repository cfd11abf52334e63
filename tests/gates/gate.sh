# SPDX-License-Identifier: BSD-3-Clause
# gate.sh - what all gates share: where the sources are, and how a gate ends
# shellcheck shell=sh
# A gate prints one line "FILE:LINE: what is wrong" per violation.  It looks only at the folders
# named here, so that it is right in a git clone, in a tarball, and in distcheck, where the build
# folder lies inside srcdir.

LC_ALL=C
export LC_ALL
cd "${srcdir:-$(dirname "$0")/../..}" || exit 99

# folders whose subfolders are rooms of their own
shelves="lib commands delivery"

# room: what it may include from.  DESIGN: downward only, and siblings never include one another.
layers='base:
schema: base
formats: schema base
archive: formats schema base
collectors: schema base
figures: schema base
recorder: collectors archive figures formats schema base
agent: recorder collectors archive figures formats schema base
sinks: archive figures formats schema base
send: sinks recorder archive figures formats schema base
xrootd: sinks archive formats schema base
tcp: plot collectors figures formats schema base
filetrace: plot collectors figures formats schema base
plot: schema base
data: archive formats schema base
report: plot figures archive formats schema base
fetch: sinks archive figures formats schema base
answer: recorder collectors archive figures formats schema base
run: report recorder collectors archive figures formats schema base
screen: base
openvms: screen recorder collectors archive figures formats schema base
top: agent screen recorder collectors archive figures formats schema base
cli: agent recorder collectors archive formats schema base
man: report top cli collectors figures schema base
tests: *'

# rooms: the folder of each room
rooms()
{
	for room in $(printf '%s\n' "$layers" | sed 's/:.*//'); do
		for shelf in '' $shelves; do
			[ ! -d "${shelf:+$shelf/}$room" ] || echo "${shelf:+$shelf/}$room"
		done
	done
}

# find_in_tree FIND-TESTS...: files of the source folders that exist
find_in_tree()
{
	for d in $(rooms) hooks packaging .ci; do
		[ ! -d "$d" ] || find "$d" -path '*/root' -prune -o -type f "$@" -print
	done | sort
}

c_files()
{
	find_in_tree -name '*.[ch]' ! -name '*.skel.h'	# made, where the build is in the tree
}

# Scripts are known by their first line: hooks carry no suffix.
scripts()
{
	{ printf '%s\n' quickstart run-tests; find_in_tree ! -name '*.[ch]'; } | tr '\n' '\0' |
		xargs -0 awk '/^#! ?\/(usr\/)?bin\/(env )?(ba)?sh/ { print FILENAME } { nextfile }'
}

skip()
{
	echo "SKIP: $*"
	exit 77
}

# need PROGRAM: skips the gate where it is not installed
need()
{
	command -v "$1" >/dev/null || skip "$1 is not installed"
}

# finish STATUS VIOLATIONS: ends the gate; a checker that broke down is no pass
finish()
{
	[ -z "$2" ] || printf '%s\n' "$2"
	[ "$1" = 0 ] || echo "the checker itself failed with status $1"
	[ "$1" = 0 ] && [ -z "$2" ]
	exit
}
