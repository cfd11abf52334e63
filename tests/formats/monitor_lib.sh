# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh
# monitor_lib.sh - what tests of nodometer monitor share: a folder with recordings, and checks of
# the output
set -u
: "${NODOMETER:=nodometer}" "${srcdir:=.}"
command -v "$NODOMETER" >/dev/null || { echo "skipped: $NODOMETER was not built"; exit 77; }
command -v python3 >/dev/null || { echo 'skipped: python3 is not installed'; exit 77; }
vms=$srcdir/tests/formats/vms.py
out=$(mktemp -d -p .) || exit 99
trap 'rm -rf "$out"' EXIT
status=0
fail() { echo "FAIL: $*"; status=1; }
monitor() { "$NODOMETER" monitor "$@" 2>"$out/err"; }


# has WHAT LINE...: the output in $out/got must have these lines, with each run of blanks replaced
# by one blank
has() {
	what=$1
	shift
	for line; do
		tr -s ' ' <"$out/got" | sed 's/ $//' | grep -qxF -- "$line" ||
			{ fail "$what: no line \"$line\" in:"; head -30 "$out/got" "$out/err"; }
	done
}

# says WHAT TEXT: fail unless the last error message has TEXT
says() {
	grep -qF -- "$2" "$out/err" || fail "$1: does not say \"$2\": $(cat "$out/err")"
}

# written KIND...: let vms.py write recordings of these kinds, as OpenVMS and other programs write
# them
written() {
	for kind; do python3 "$vms" write "$kind" "$out/$kind" || exit 99; done
}
