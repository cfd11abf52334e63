#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# run.sh - nodometer trace without a mount records each call that strace sees in the same run
#
# strace(1) is traced together with the command that it starts, so both see the same processes.
packages='strace git gcc libc6-dev python3 coreutils util-linux bpftool'
. "$(dirname "$0")/../lib.sh"
trace=$bin/nodometer-trace
[ -x "$trace" ] || skip 'built without libfuse3'
work=$scratch/work
mkdir -p "$work/dir" || exit 1
cd "$work" || exit 1
"$trace" -- true >/dev/null 2>"$scratch/log" || skip "$(sed 's/.*traced: //' "$scratch/log")"

calls=$(python3 "$here/compare.py" --calls)

# same NAME COMMAND...: nodometer trace and strace must record the same calls of COMMAND
same()
{
	name=$1
	shift
	rm -rf "$scratch/csv" "$scratch/strace"
	mkdir "$scratch/strace"
	"$trace" --events all --result --out "$scratch/csv" -- strace -ff -yy -xx -s 4200 -v \
		-e signal=none -e trace="$calls" -o "$scratch/strace/s" "$@" >"$scratch/said" 2>&1
	python3 "$here/compare.py" "$scratch/csv" "$scratch"/strace/s.* >"$scratch/compared" ||
		fail "$name differs"
	say "$name: $(tail -n 5 "$scratch/compared")"
}

cp /etc/passwd /etc/group .
cat >hello.c <<'C'
#include <stdio.h>
int main(void) { return printf("hello\n") < 0; }
C
same cat cat passwd none
same cp cp passwd group dir
# shellcheck disable=SC2016 # for the shell that is traced
same 'a script' sh -c 'exec 5<passwd; cat <&5 | sort >sorted; while read -r l; do echo "$l"; done \
	<sorted >>all; cd dir; for f in *; do [ -s "$f" ] && mv "$f" "./moved $f"; done
	ls -la . | wc -l; (cd ..; head -c 10 group) >out 2>&1; rm -f out none; mkdir a && rmdir a'
same cc cc -O1 -o hello hello.c
git init -q repo
git -C repo config user.email nobody@localhost
git -C repo config user.name nobody
for i in 1 2 3; do
	echo "$i" >"repo/$i"
	git -C repo add . && git -C repo commit -qm "$i" || die 'no commit'
done
same 'git clone' git clone -q --no-local repo clone
same python "$(command -v python3)" "$here/operations.py"

# If the reader of the records waits until all file reads are done, each file read is either
# recorded or counted as lost.
mkfifo "$scratch/records"
head -c 4096 /dev/zero >zeros
reads=600000
(until [ -e "$work/done" ]; do sleep 0.2; done; exec cat) <"$scratch/records" >"$scratch/csv" &
reader=$!
"$trace" --events read --out "$scratch/records" -- python3 -S -c "import os
f = os.open('zeros', os.O_RDONLY)
for i in range($reads): os.pread(f, 1, 0)
open('done', 'w').close()" 2>"$scratch/log"
[ $? = 1 ] || fail 'a loss is not in the status'
wait $reader
lost=$(sed -n 's/.*: \([0-9]*\) calls were lost.*/\1/p' "$scratch/log")
have=$(grep -c '/zeros,file,read,' "$scratch/csv")
total=$(grep -vc ',file,lost,' "$scratch/csv")	# a lost call has no record
say "of $reads reads $have are recorded, ${lost:-0} calls lost"
[ "${lost:-0}" -gt 0 ] || fail 'nothing was lost'
[ $((have + ${lost:-0})) -ge $reads ] || fail 'a loss is not said'
[ $((have + ${lost:-0})) -le $((reads + 200)) ] || fail 'more losses are said than there were'
stated=$(awk -F, '$12 == "lost" { n += $13 } END { print n + 0 }' "$scratch/csv")
[ "$stated" = "${lost:-0}" ] || fail "the recording states $stated losses, the end $lost"
grep -q "^nodometer trace: $total records" "$scratch/log" || fail 'the number of records'

# A killed tracer has recorded its losses until then. To cause losses, stop it while calls are made.
rm -f ready
background "$trace" --events read --out "$scratch/killed" -- python3 -S -c "import os, time
f = os.open('zeros', os.O_RDONLY)
for i in range($reads): os.pread(f, 1, 0)
open('ready', 'w').close()
time.sleep(600)" 2>"$scratch/log"
tracer=$started
reading() { grep -q ',read,' "$scratch/killed" 2>/dev/null; }
wait_until reading || die 'no read is recorded'
reader=$(pgrep -P "$tracer")
kill -STOP "$tracer"
wait_until test -e ready
kill -CONT "$tracer"
# counted: print the number of recorded reads and of reads stated as lost
counted()
{
	awk -F, '$12 == "lost" { n += $13 } $12 == "read" && $10 ~ /zeros/ { n++ }
		END { print n + 0 }' "$scratch/killed"
}
all_counted() { [ "$(counted)" -ge $reads ]; }
wait_until all_counted
kill -9 "$tracer" "$reader"
wait "$tracer" 2>/dev/null
sum=$(counted)
grep -q ',,file,lost,[1-9]' "$scratch/killed" || fail 'what is lost is not stated while recording'
say "of $reads reads $sum are recorded, or stated to be lost, when the tracer is killed"
[ "$sum" -ge $reads ] && [ "$sum" -le $((reads + 200)) ] || fail 'not all losses are stated'

# The tracer's BPF programs are loaded only while something is traced.
ours() { bpftool prog show 2>/dev/null | grep -q 'tracing  *name calls_on_enter'; }
none() { ! ours; }
if bpftool prog show >/dev/null 2>&1; then
	wait_until none || skip 'another process is tracing'
	background sleep 60
	sleeper=$started
	background "$trace" --pid "$sleeper" --out "$scratch/sleeps" 2>"$scratch/log"
	wait_until grep -q 'end with Ctrl-C' "$scratch/log"
	ours || fail 'no program is there while a process is traced'
	stop "$sleeper"
	wait_until none || fail 'programs stay after the end'
fi

# Print the CPU time of a read(2) without the tracer, with it, and while another process is traced.
# The numbers are not checked.
cat >reads.c <<'C'
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	struct timespec a, b;
	char *to = aligned_alloc(4096, 4096);
	int direct = argc > 2 ? O_DIRECT : 0, n = direct ? 5000 : 200000;
	int fd = open(argv[1], O_RDONLY | direct);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &a);
	for (int i = 0; i < n; i++)
		if (pread(fd, to, 4096, 0) != 4096)
			return 1;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &b);
	fprintf(stderr, "%.0f ns\n", ((b.tv_sec - a.tv_sec) * 1e9 + (b.tv_nsec - a.tv_nsec)) / n);
	return 0;
}
C
cc -O2 -o reads reads.c || die 'reads.c does not compile'
for how in '' direct; do
	plain=$(./reads zeros $how 2>&1)
	traced=$("$trace" --out "$scratch/cost" -- ./reads zeros $how 2>&1 | grep ns)
	say "a read of 4 KiB ${how:-from the page cache}: $plain, traced $traced"
done
background "$trace" --out "$scratch/others" -- sleep 600 2>/dev/null
sleeper() { pgrep -P "$started" sleep >"$scratch/sleeper"; }
wait_until sleeper || die 'nothing is traced'
say "a read from the page cache while another process is traced: $(./reads zeros 2>&1)"
kill "$(cat "$scratch/sleeper")"
finish
