#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# terminal.sh - names that other users choose cannot control a terminal, a spreadsheet or a reader
# of the output
. "$(dirname "$0")/lib.sh"
command -v script >/dev/null || skip 'there is no script(1), which makes a terminal'

# Hostile names contain ESC and BEL, the C1 control CSI, or a right-to-left override; a job name is
# a formula.
esc=$(printf '\033]0;owned\007') csi=$(printf '\302\2332J') rlo=$(printf '\342\200\256txt.exe')
hostile=$(printf '\033\\|\007\\|\302\233\\|\342\200\256')
mkdir -p "$archive/n1"
cat >"$archive/n1/1700000000" <<END
\$hpcperfstats 1.0.2
\$hostname n1
\$uname Linux x86_64 6.1.0
\$uptime 1000
!cpu user,E,U=cs idle,E,U=cs
!net rx_bytes,E,U=B
!proc Uid VmHWM,U=kB VmRSS,U=kB Threads

1700000000 =7
%begin =7 user=ann$rlo
cpu 0 100 100
net $esc 1
net $csi 1
net $rlo 1
proc $esc/11/0-1/0 1000 2048 1024 1
proc $csi/12/0-1/0 1000 2048 1024 1
proc $rlo/13/0-1/0 1000 2048 1024 1
proc =cmd/14/0-1/0 1000 2048 1024 1

1700001000 =7
%end =7 exit=0:$esc
cpu 0 200 200
net $esc 2
proc $esc/11/0-1/0 1000 2048 1024 1
END

# on_terminal NAME COMMAND...: on a terminal, COMMAND must print a hostile name without its control
# characters
on_terminal() {
	name=$1
	shift
	NO_COLOR=1 script -qec "$* 2>/dev/null" /dev/null >"$scratch/shown" 2>&1 </dev/null
	grep -q "$sign" "$scratch/shown" || fail "$name: $(cat -v "$scratch/shown")"
	! LC_ALL=C grep "$hostile" "$scratch/shown" | cat -v | grep . ||
		fail "$name commands the terminal"
}

file=$archive/n1/1700000000 sign=owned
on_terminal cat "$bin/nodometer-cat" "$file"
on_terminal 'cat --csv' "$bin/nodometer-cat" --csv "$file"
on_terminal 'cat --wide' "$bin/nodometer-cat" --wide --type proc "$file"
on_terminal convert "$bin/nodometer-cat" --to raw "$file"
for to in raw influx prometheus jsonl csv; do
	on_terminal "export --to $to" "$bin/nodometer-cat" --monotonic --to $to "$file"
done
on_terminal 'jobs --used' "$bin/nodometer-jobs" --dir "$archive" --used
on_terminal report "$bin/nodometer-report" =7 --dir "$archive"

# In files, too, control characters and overrides of the text direction are replaced, because people
# also read files.
for form in --csv --json ''; do
	# shellcheck disable=SC2086 # none is no word
	"$bin/nodometer-jobs" --dir "$archive" --used $form >"$scratch/jobs" || fail "jobs $form"
	grep -q =7 "$scratch/jobs" || fail "jobs $form: $(cat "$scratch/jobs")"
	! LC_ALL=C grep "$hostile" "$scratch/jobs" || fail "jobs $form has what commands a terminal"
done

# Text that a spreadsheet would take for a formula is quoted; with --exact, programs get the
# unchanged text.
for program in "jobs --csv --dir $archive" "cat --wide --type proc $file" \
	"cat --csv --type proc $file"; do
	# shellcheck disable=SC2086 # words of a command
	"$bin"/nodometer-$program >"$scratch/safe" 2>/dev/null
	# shellcheck disable=SC2086
	"$bin"/nodometer-$program --exact >"$scratch/exact" 2>/dev/null
	! grep -q '^=\|,=' "$scratch/safe" || fail "$program: $(cat "$scratch/safe")"
	grep -q "^'=\|,'=" "$scratch/safe" || fail "$program: $(cat "$scratch/safe")"
	grep -q '^=\|,=' "$scratch/exact" || fail "$program --exact: $(cat "$scratch/exact")"
	sed "s/^'=/=/; s/,'=/,=/g" "$scratch/safe" | cmp - "$scratch/exact" || fail "$program"
done

# The tracer replaces control characters in file names.
. "$(dirname "$0")/trace_lib.sh"
: >"$s/$rlo"
on_mount="$trace --shadow $s --mount $m --out -"
NO_COLOR=1 script -qefc "$on_mount" "$scratch/shown" >/dev/null 2>&1 </dev/null &
lanes=$!
wait_until 20 grep -q "$m " /proc/mounts
: >"$m/$esc"
cat "$m/$rlo"
wait_until 20 grep -q owned "$scratch/shown"
umount "$m"
wait "$lanes"
lanes=
! LC_ALL=C grep "$hostile" "$scratch/shown" | cat -v | grep . ||
	fail 'trace commands the terminal'
