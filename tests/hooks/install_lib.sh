# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh
# install_lib.sh - what tests of nodometer install-hooks share: write a slurm.conf, change it, and
# check the change
set -u
: "${srcdir:=$(dirname "$0")/../..}"
here=$(mktemp -d) || exit 99
trap 'rm -rf "$here"' EXIT
# As in an installation, all programs are in the same folder.
cp nodometer nodometer-commands "$here" && install "$srcdir/hooks/install-hooks" \
	"$here/nodometer-install-hooks" || exit 99
conf=$here/slurm.conf
failed=0 what=
fail()
{
	echo "FAIL: $*"
	failed=$((failed + 1))
}

# hooks STATUS ARGUMENTS...: run install-hooks ARGUMENTS, which must exit with STATUS
hooks()
{
	want=$1
	shift
	"$here/nodometer" install-hooks "$@" >"$here/out" 2>&1
	got=$?
	[ $got = "$want" ] || fail "$what: $*: status $got, not $want: $(cat "$here/out")"
	[ -z "$(find "$here" -name '*.nodometer-new')" ] || fail "$what: $*: leaves a file over"
}

# apply STATUS [SCHEDULER PATH]: save the text of $conf as $here/before, then run install-hooks
# --apply for SCHEDULER at PATH, by default for slurm at $conf
apply()
{
	cat "$conf" >"$here/before" 2>/dev/null
	hooks "$1" --apply --at "${3-$conf}" "${2-slurm}"
}

# remove STATUS SCHEDULER PATH: run install-hooks --remove, which must exit with STATUS
remove() { hooks "$1" --remove --at "$3" "$2"; }

# says PATTERN: fail unless a line of install-hooks' last output matches PATTERN
says() { grep -q -- "$1" "$here/out" || fail "$what: no \"$1\": $(cat "$here/out")"; }

# lines: print the lines that install-hooks must add to slurm.conf
lines()
{
	hooks=/usr/libexec/nodometer/hooks/slurm
	printf 'Prolog=%s/prolog\nEpilog=%s/epilog\n' $hooks $hooks
}

# grown BETWEEN: $conf must have its previous text, then the bytes BETWEEN, then the added lines
grown()
{
	{ cat "$here/before"; printf %b "$1"; lines; } | cmp -s - "$conf" ||
		fail "$what: $(od -c "$conf" | tail -n 20)"
}
same() { cmp -s "$here/before" "$conf" || fail "$what: the file has changed"; }

# has WHAT FORMAT [WORD...]: begin the test case named WHAT, and write $conf by printf FORMAT
# WORD...
has()
{
	what=$1
	shift
	rm -rf "$conf"
	# shellcheck disable=SC2059 # the format is a parameter
	printf "$@" >"$conf"
}

# rooted_at FOLDER: install the programs in FOLDER; they look for hooks in $here/hooks
rooted_at()
{
	mkdir "$here/hooks" "$1"
	cp nodometer nodometer-commands "$1"
	sed "s|^hooks=.*|hooks=$here/hooks|" "$srcdir/hooks/install-hooks" \
		>"$1/nodometer-install-hooks"
	chmod +x "$1/nodometer-install-hooks"
}
