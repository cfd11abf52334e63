#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# run.sh - hooks harm no job: status 0, at most 3 seconds, no child, nothing foreign run
#
# Each hook runs with every shell that may be /bin/sh, with a fake nodometer in the place that
# installing writes into it. Its output is read to its end, as slurmd does it: a child that was left
# behind and keeps a descriptor would be waited for.
set -u
: "${srcdir:=$(dirname "$0")/../..}"
here=$(mktemp -d) || exit 99
trap 'rm -rf "$here"' EXIT
fake=$here/bin/nodometer
failed=0
mkdir "$here/bin" "$here/evil" "$here/shells"

fail()
{
	echo "FAIL: $*"
	failed=$((failed + 1))
}

# fake_is TEXT: what nodometer does from now on
fake_is()
{
	printf '#!/bin/sh\n%s\n' "$1" >"$fake"
	chmod +x "$fake"
}

words='nodometer timeout env sh test [ echo true printf command exec unset set exit'

clean()
{
	env -i "$@"
}

# Every word that a hook's text could mean, as a program and as an exported function.
hostile()
{
	for word in $words; do
		set -- "BASH_FUNC_$word%%=() { : >$here/owned; }" "$@"
	done
	env -i PATH="$here/evil" IFS=/ CDPATH=/tmp ENV="$here/evil/env" BASH_ENV="$here/evil/env" \
		LD_LIBRARY_PATH="$here/evil" "$@"
}

# hook SHELL NAME VERB JOB: runs it in the $environment, clean or hostile
hook()
{
	case $2 in
	generic/*) $environment "$1" "$here/$2" "$3" "$4" 2>&1 ;;
	*) $environment SLURM_JOB_ID="$4" "$1" "$here/$2" 2>&1 ;;
	esac
}

# Marks VERB, whatever the environment and however odd the job's id.
check_marks()
{
	shell=$1 name=$2 verb=$3
	# shellcheck disable=SC2016 # the fake expands them
	fake_is 'printf "%s|" "$@" >'"$here/said"'; /usr/bin/env >'"$here/environment"
	for id in 1981063 '12_[3]' "a b;\$(: >$here/owned)\`: >$here/owned\`'\"" '--help' '*'; do
		rm -f "$here/said"
		out=$(hook "$shell" "$name" "$verb" "$id") || fail "$name: status $?"
		[ -z "$out" ] || fail "$name: says \"$out\" of job $id"
		said=$(cat "$here/said" 2>/dev/null)
		[ "$said" = "$verb|--|$id|" ] || fail "$name: ran nodometer with \"$said\""
	done
	! grep -E 'evil|LD_|BASH' "$here/environment" || fail "$name: passes its environment on"
	[ ! -e "$here/owned" ] || fail "$name: ran something of the user's"
	rm -f "$here/owned"
}

check_missing()
{
	rm -f "$fake"
	out=$(hook "$1" "$2" "$3" 1) || fail "$2: status $? without nodometer"
	[ -n "$out" ] || fail "$2: does not say that nodometer is missing"
}

# In the background, several at once: a line in $here/slow if it was not as it should be.
check_hang()
{
	began=$(date +%s%N)
	out=$(hook "$1" "$2" "$3" 1) || echo "$2: status $? of a hanging nodometer" >>"$here/slow"
	took=$((($(date +%s%N) - began) / 1000000))
	[ "$took" -lt 3000 ] || echo "$2: took $took ms" >>"$here/slow"
}

for name in slurm/prolog slurm/epilog generic/nodometer-hook; do
	mkdir -p "$here/${name%/*}"
	sed "s|/usr/bin/nodometer|$fake|" "$srcdir/hooks/$name" >"$here/$name"
done
for shell in sh dash bash busybox; do
	program=$(command -v $shell) || continue
	mkdir "$here/shells/$shell"
	ln -s "$program" "$here/shells/$shell/sh"
done

for word in $words; do
	printf '#!/bin/sh\n: >"%s/owned"\n' "$here" >"$here/evil/$word"
	chmod +x "$here/evil/$word"
done
for shell in "$here"/shells/*/sh; do
	for environment in clean hostile; do
		check_marks "$shell" slurm/prolog begin
		check_marks "$shell" slurm/epilog end
		check_marks "$shell" generic/nodometer-hook begin
		check_marks "$shell" generic/nodometer-hook end
	done
	environment=clean
	check_missing "$shell" slurm/prolog begin
	check_missing "$shell" generic/nodometer-hook end
done

environment=clean
fake_is 'trap "" TERM INT HUP; echo $$ >>'"$here/pids"'; sleep 60; sleep 60'
check_hang "$here/shells/sh/sh" slurm/prolog begin &
check_hang "$here/shells/sh/sh" slurm/epilog end &
check_hang "$here/shells/sh/sh" generic/nodometer-hook end &
wait
[ ! -e "$here/slow" ] || fail "$(cat "$here/slow")"
[ "$(wc -l <"$here/pids")" = 3 ] || fail 'the hanging nodometer was not run'
while read -r pid; do
	# A zombie is dead: it waits for whatever is process 1 here.
	! grep -qs '^State:.[^Z]' "/proc/$pid/status" || fail "process $pid was left behind"
done <"$here/pids"

out=$(env -i sh "$here/generic/nodometer-hook" destroy 1 2>&1) || fail 'status of wrong usage'
case $out in usage:*) ;; *) fail "wrong usage: \"$out\"" ;; esac
[ $failed = 0 ]
