#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# verify.sh - install-hooks --verify slurm counts only marks of hooks, although a cgroup also makes
# marks
#
# tests/integration/verify runs the whole command on a real Slurm. This test runs only the check of
# one node, with a fake nodometer that names an archive.
set -u
: "${srcdir:=$(dirname "$0")/../..}"
here=$(mktemp -d) || exit 99
trap 'rm -rf "$here"' EXIT
failed=0
fail()
{
	echo "FAIL: $*"
	failed=$((failed + 1))
}
mkdir "$here/bin" "$here/n1"
cat >"$here/bin/nodometer" <<FAKE
#!/bin/sh
printf 'health  OK\nagent  runs\ncurrent file  $here/n1/1\n'
FAKE
chmod +x "$here/bin/nodometer"
for hook in prolog epilog; do
	sed "s|^nodometer=[^[:space:]]*|nodometer=$here/bin/nodometer|" \
		"$srcdir/hooks/slurm/$hook" >"$here/$hook"
	chmod +x "$here/$hook"
done
prolog=$here/prolog epilog=$here/epilog

# look WHAT MARK...: run the check of node n1 for job 7, whose records have these marks; the output
# is in $here/said
look()
{
	what=$1
	shift
	printf '\n1795968000 7\n' >"$here/n1/1"
	printf '%%%s\n' "$@" >>"$here/n1/1"
	PATH=$here/bin:$PATH SLURMD_NODENAME=n1 SLURM_CONF=$here/none \
		sh "$srcdir/hooks/slurm/verify" --look 7 "$prolog" "$epilog" yes n1 \
		>"$here/said" 2>&1
}

says()
{
	for line; do
		grep -qxF -e "$line" "$here/said" ||
			fail "$what: no \"$line\" in: $(cat "$here/said")"
	done
}

marked='n1: begin and end of job 7 are marked'
apply='nodometer install-hooks --apply slurm'

look 'marks of both hooks' 'begin 7 source=hook user=ann' 'end 7 source=hook exit=0:0'
says "$marked" 'looked n1 0'
look 'a job that its control group began' 'begin 7 source=cgroup' \
	'attributes 7 source=hook user=ann' 'end 7 source=hook exit=0:0'
says "$marked" 'looked n1 0'
look 'marks of another job' 'begin 77 source=hook' 'end 77 source=hook'
says 'looked n1 2'

printf '#!/bin/sh\nexit 0\n' >"$here/site"
chmod +x "$here/site"
prolog=$here/site
look 'a prolog of the site, and a control group' 'begin 7 source=cgroup' 'end 7 source=hook'
prints='install-hooks slurm prints what it needs'
says "n1: no begin: Prolog=$here/site runs no hook of nodometer: $prints" 'looked n1 1'

prolog=''
look 'no prolog, and a control group' 'begin 7 source=cgroup' 'end 7 source=cgroup'
says "n1: no begin: Slurm has no Prolog: $apply" 'looked n1 1'
epilog=''
look 'no hooks' 'begin 70 source=hook'
says "n1: no begin: Slurm has no Prolog: $apply" "n1: no end: Slurm has no Epilog: $apply" \
	'looked n1 2'
look 'no hooks, and a control group' 'begin 7 source=cgroup' 'end 7 source=cgroup'
says "n1: no begin: Slurm has no Prolog: $apply" "n1: no end: Slurm has no Epilog: $apply" \
	'looked n1 2'

# Slurm 24.05 and later numbers several values and omits an empty list.
functions=$(sed '/^case \${1-} in/,$d' "$srcdir/hooks/slurm/verify")
# in_use LINE...: print the Prolog, Epilog and PrologFlags that the script gets if "scontrol show
# config" prints these lines
in_use()
{
	(
		eval "$functions"
		# shellcheck disable=SC2034 # in_force reads it
		config=$(printf '%s\n' "$@")
		echo "$(in_force Prolog)|$(in_force Epilog)|$(in_force PrologFlags)"
	)
}
old=$(in_use 'Epilog       = /e' 'Prolog         = (null)' 'PrologFlags = Alloc,Contain')
[ "$old" = '|/e|Alloc,Contain' ] || fail "Slurm 22.05: $old"
new=$(in_use 'Epilog[0]    = /e' 'Epilog[1]    = /d/*' 'PrologFlags = (null)')
[ "$new" = '|/e /d/*|' ] || fail "Slurm 24.05: $new"
# differs WRITTEN USED: succeed if slurmctld, which uses USED, does not use the last of the values
# WRITTEN in slurm.conf
differs() { (eval "$functions"; differ "$1" "$2"); }
differs '/a /b' '/a /b' && fail 'all values of slurm.conf are used'
differs '/a /b' /b && fail 'the last value is used'
differs '/a /b' /a || fail 'only the first value is used'
[ $failed = 0 ]
