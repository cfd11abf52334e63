#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# fleet_ssh.sh - nodometer fleet --ssh asks each node for its status
. "$(dirname "$0")/fleet_lib.sh"
few
printf '%s\n' c001 c002 c003 c004 c005 c006 c007 c009 c012 c015 missing >"$work/list"
cat >"$work/want" <<END
c002 a prolog without an epilog: job 8
c005 nodometer 0.0.9, most nodes have nodometer 0.1.0
missing no folder in the archive
END

# This script replaces ssh: it prints the answer of each node.
mkdir "$work/bin"
cat >"$work/bin/ssh" <<'SSH'
#!/bin/sh
[ "$1 $2 $3 $5 $#" = '-oBatchMode=yes -oConnectTimeout=5 -- nodometer status --check 5' ] || exit 99
case $4 in
c001) echo 'Warning: a new key' >&2; echo 'NODOMETER WARNING - refused: line 3 | age=1'; exit 1 ;;
c003) echo 'NODOMETER CRITICAL - nothing is written: it is full | age=1'; exit 2 ;;
c004) echo 'ssh: connect to host c004: refused' >&2; exit 255 ;;
c006) echo 'sh: nodometer: not found' >&2; exit 127 ;;
c007) head -c 100000 /dev/zero | tr '\0' x; exit 0 ;;
c009 | mute*) exit 0 ;;
hung) exec sleep 1000 ;;
*) echo 'NODOMETER OK - last sample 0.1 s ago | age=1' ;;
esac
SSH
chmod +x "$work/bin/ssh"
# fleet gives up a node that hangs after ten seconds; the test checks this result at its end.
echo hung |
	PATH=$work/bin:$PATH timeout 60 "$bin/nodometer-fleet" --dir "$archive" --nodes - --ssh \
		>"$work/hung" 2>&1 &
hung=$!
{
	cat "$work/want"
	echo 'c001 refused: line 3$'
	echo 'c003 nothing is written: it is full$'
	echo 'c004 no answer: ssh: connect to host c004: refused$'
	echo 'c006 no answer: sh: nodometer: not found$'
	echo 'c007 no answer: '
	echo 'c009 no answer: no output$'
} >"$work/asked"
PATH=$work/bin:$PATH asks 2 --dir "$archive" --nodes "$work/list" --ssh
compare "$work/asked"
PATH=$work/bin:$PATH asks 1 --dir "$archive" --nodes - --ssh <<END
c001
c012
c015
END
# fleet asks 64 nodes at a time; the answer of a node must not count for a node that is asked later.
{ seq -f fine%g 64; seq -f mute%g 8; } >"$work/many"
PATH=$work/bin:$PATH asks 2 --dir "$archive" --nodes "$work/many" --ssh
is=$(grep -c '^mute[0-9]* .*no answer: no output$' "$work/out")
[ "$is" = 8 ] || fail "$is of 8 nodes without an answer: $(cat "$work/out")"
! grep -q '^fine[0-9]* .*no answer' "$work/out" || fail "an answer is lost: $(cat "$work/out")"
PATH=$work/bin:$PATH asks 2 --json --dir "$archive" --ssh
says '"node":"c001","last":[0-9.]*,"faults":{"status":"refused: line 3"}'
says '"node":"c003","last":[0-9.]*,"faults":{"failing":"nothing'
wait $hung
grep -q 'hung .*no answer: timed out' "$work/hung" || fail "hung: $(cat "$work/hung")"
PATH=$work/none asks 3 --dir "$archive" --ssh
grep -q -e '--ssh: cannot find ssh in PATH' "$work/said" ||
	fail "no ssh: $(cat "$work/said")"
exit $failed
