#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# send_reload.sh - a reload of nodometer-send applies a good configuration, refuses a bad one, and
# loses no record; each sink is a process
. "$(dirname "$0")/send_lib.sh"

receive
sends
launch_sender
wait_until 5 grep -q 'waiting for it' "$log"
file 620
sent 620
echo 'types = vn' >>"$conf"
kill -s HUP "$sender"
wait_until 5 grep -q 'the new configuration is not used; the old one stays in force' "$log"
group 640
sent 620 640
! grep -q 'configuration reloaded' "$log" || fail 'a wrong configuration is taken'
sends 'types = block'
kill -s HUP "$sender"
wait_until 5 grep -q 'configuration reloaded: 1 sinks' "$log"
: >"$taken"
group 650
sent 650
! grep '^vm' "$taken" || fail 'the types are as they were before the reload'
expect 0 "$bin/nodometer-send" --config "$conf" --dry-run >"$scratch/said"

# Two senders would deliver each record twice, so the second one waits until the first one ends.
first=$sender
launch_sender
wait_until 5 grep -q 'another nodometer-send delivers these records' "$log"
end_sender
sender=$first
group 660
sent 650 660
end_sender

# A reload while the folder of --root is missing is refused, and the sender continues unchanged.
: >"$taken"
: >"$log"
mkdir "$scratch/root"
launch_sender --root "$scratch/root"
group 670
sent 670
mv "$scratch/root" "$scratch/away"
kill -s HUP "$sender"
wait_until 5 grep -q 'the new configuration is not used; the old one stays in force' "$log"
grep -q "$scratch/root: No such file" "$log" || fail 'not said why it is refused'
group 680
sent 670 680
mv "$scratch/away" "$scratch/root"
kill -s HUP "$sender"
wait_until 5 grep -q 'configuration reloaded' "$log"
group 690
sent 670 680 690
end_sender

# A sink whose process hangs does not delay another sink; a sink whose process dies is started
# again.
: >"$taken"
{ echo '[sink xrootd second]'; echo "destination = 127.0.0.1:$port"; } >>"$conf"
child() {	# NAME
	grep -lx "Name:[[:blank:]]*$1" /proc/[0-9]*/status 2>/dev/null |
		sed 's|/proc/\([0-9]*\)/.*|\1|' | while read -r p; do
			! grep -q "^PPid:[[:blank:]]*$sender\$" "/proc/$p/status" || echo "$p"
		done
}
has_child() { [ "$(child "$1")" ]; }
launch_sender
wait_until 10 has_child 'xrootd'
wait_until 10 has_child 'xrootd second'
wait_until 10 test -e "$cursor.second"
second=$(child 'xrootd second')
kill -s STOP "$second"
group 710
sent 710
saved 710
! grep -q '^time_us 710' "$cursor.second" || fail 'a process that is stopped has sent'
kill -s CONT "$second"
sent 710 710
cursor=$cursor.second
saved 710
kill -s KILL "$second"
wait_until 5 grep -q 'xrootd second. its process was killed by signal 9; restarting it' "$log"
end_sender
! kill -0 "$second" 2>/dev/null || fail 'a process is left'

# A reload with an unusable state-dir changes nothing; a reload with a good one takes effect.
cursor=$state/$host/xrootd
: >"$taken"
sends
launch_sender
group 720
sent 720
saved 720
: >"$state/file"
sed -i "s|^state-dir = .*|state-dir = $state/file/state|" "$conf"
kill -s HUP "$sender"
wait_until 10 grep -q "$state/file/state/$host: .*state-dir" "$log"
group 721
sent 720 721
saved 721
sed -i "s|^state-dir = .*|state-dir = $state/other|" "$conf"
kill -s HUP "$sender"
wait_until 10 test -e "$state/other/$host/xrootd"
group 722
cursor=$state/other/$host/xrootd
saved 722
end_sender
