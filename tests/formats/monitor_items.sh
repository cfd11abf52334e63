#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# monitor_items.sh - nodometer monitor: what each item of each class is made of, on a raw file
# M and a number name the line of the checklist that a case holds.
set -u
: "${NODOMETER:=nodometer}" "${srcdir:=.}"
command -v "$NODOMETER" >/dev/null || { echo "skipped: $NODOMETER was not built"; exit 77; }
command -v python3 >/dev/null || { echo 'skipped: python3 is not installed'; exit 77; }
out=$(mktemp -d -p .) || exit 99
trap 'rm -rf "$out"' EXIT
status=0
fail() { echo "FAIL: $*"; status=1; }

schema='!process state kernel swapped priority uid gid rss shared faults,E cpu,E,U=cs
!process_io syscr,E syscw,E read_bytes,E,U=B write_bytes,E,U=B
!cpu user,E,U=cs nice,E,U=cs system,E,U=cs idle,E,U=cs iowait,E,U=cs irq,E,U=cs softirq,E,U=cs
!cpu_virt steal,E,U=cs guest,E,U=cs guest_nice,E,U=cs
!vm pgpgin,E,U=KB pgpgout,E,U=KB pgfault,E pgmajfault,E
!mem MemFree,U=KB Dirty,U=KB Writeback,U=KB
!block rd_ios,E wr_ios,E time_in_queue,E,U=ms
!net rx_packets,E tx_packets,E
!ip in_delivers,E out_requests,E forwarded,E out_discards,E rcvbuf_errors,E
!locks held waiting files'
c32=E,W=32
storage="!xfs create,$c32 lookup,$c32 remove,$c32 read_calls,$c32 write_calls,$c32 \
trans_sync,$c32 trans_async,$c32 trans_empty,$c32 ig_attempts,$c32 ig_found,$c32
!ext4 es_hits,E es_misses,E
!jbd2 transactions,E
!nfsd calls,E read,E write,E"
lustre='!llite open,E create,E lookup,E unlink,E read,E write,E
!osc ldlm_extent_enqueue,E ldlm_glimpse_enqueue,E ldlm_cancel,E
!mdc ldlm_ibits_enqueue,E ldlm_glimpse_enqueue,E ldlm_cancel,E
!ldlm lock_count lock_unused_count resource_count
!ldlm_cbd ldlm_bl_callback,E
!ib port_xmit_packets,E port_rcv_packets,E port_xmit_data,E,U=4B port_rcv_data,E,U=4B'

rows()
{
	cat <<-'ROWS'
	process 9/kthread 83 1 0 20 0 0 0 0 0 0
	process 7/one 83 0 0 20 1000 100 8192 4096 30 50
	process 8/two 82 0 0 20 70000 100 8192 0 30 50
	process 10/gone 90 0 0 20 0 0 0 0 0 0
	process_io 9/kthread 0 0 0 0
	process_io 7/one 4 6 8192 4096
	process_io 10/gone 0 0 0 0
	process_io 8/two 4 6 8192 4096
	cpu 0 100 20 30 500 40 5 6
	cpu_virt 0 7 60 10
	vm - 4000 8000 100 5
	mem - 40960 400 800
	block sda 50 70 3000
	net eth0 30 40
	ip - 11 12 13 14 15
	locks - 5 1 3
	ROWS
}

lustre_rows()
{
	cat <<-'ROWS'
	llite scratch 7 3 9 2 20 30
	osc o1 4 1 2
	mdc m1 6 2 3
	ldlm work-MDT0000-mdc-ffff8104435c8c00 40 30 20
	ldlm work-OST0000-osc-ffff8104435c8c00 7 6 5
	ldlm_cbd - 9
	ib mlx5_0.1 100 200 512 1024
	ROWS
}

storage_rows()
{
	cat <<-'ROWS'
	xfs sda1 3 9 2 20 30 4 50 6 80 70
	ext4 sdb1 1000 10
	jbd2 sdb1-8 40
	nfsd - 900 300 200
	ROWS
}

head='$hpcperfstats 1.0.2
$hostname n1.example.org
$uptime 1000'
{ echo "$head"; echo "$schema"; printf '\n1700000000 -\n'; rows; printf '\n1700000010 -\n'; rows
  # The clock was set back.
  printf '\n1700000004 -\n'; rows; printf '\n1700000020 -\n'; rows; } >"$out/plain"
{ echo "$head"; echo "$schema"; echo "$lustre"; printf '\n1700000000 -\n'; rows; lustre_rows
  printf '\n1700000010 -\n'; rows; lustre_rows; } >"$out/lustre"

{ echo "$head"; echo "$schema"; echo "$storage"; printf '\n1700000000 -\n'; rows; storage_rows
  printf '\n1700000010 -\n'; rows; storage_rows; } >"$out/storage"

# recorded FILE: what another reader sees of all that can be recorded of it
recorded()
{
	"$NODOMETER" monitor all_classes --input "$out/$1" --record "$out/$1.dat" 2>"$out/err" ||
		fail "$1: $(cat "$out/err")"
	python3 "$srcdir/tests/formats/vms.py" read "$out/$1.dat" >"$out/$1.got" ||
		fail "$1: another reader cannot read it"
}

# has FILE ID LINE: as vms.py shows it; absent items are stored as 0
has()
{
	grep -qxF -- "$3" "$out/$1.got" || fail "$2: no line \"$3\" in $1:
$(grep "^${3%% *} " "$out/$1.got" | head -8)"
}

# absent FILE ID CLASS:ITEMS: the customer record names these
absent()
{
	grep '^customer' "$out/$1.got" | grep -qE -- "[=;,]$3([;,\\\\]|\$)" ||
		fail "$2: $3 is not named as absent: $(grep '^customer' "$out/$1.got" | tail -1)"
}

recorded plain
recorded lustre
recorded storage
t=1700000010.0
has plain M69 "process $t 7 6554600 5 20 one 4096 4096 1 3 30 50 10 7 0 0"
has plain M69 "process $t 8 6619135 14 20 two 0 8192 1 3 30 50 10 8 0 0"	# 70000: no 16 bits
absent plain M69 0:EFWM,RBSTRAN
has plain M70 "class 1 $t 0 0 0 0 1 0 1 0 0 0 0 0 0 1"	# LEF, HIB, CUR; a zombie is none
has plain M71 "cpu $t 0 11 7 30 0 10 40 70 540"
absent plain M71 2:EXEC
has plain M72 "class 3 $t 100 1000 5 2000 0 0 0 0 0 0 0 10240 300"
has plain M73 "class 4 $t 120 70 0 0 0 0 100 1000 5 2000 0 0 10240 300"	# sda, not its partition
has lustre M74 "class 5 $t 0 0 3 20 30 0 0 0 0 9 7 2"
has storage M74 "class 5 $t 0 0 3 20 30 0 0 0 0 9 0 2"
has storage M78 "class 11 $t 0 0 0 0 70 80 0 0 1000 1010 0 0 0 0"
has storage M85 "class 21 $t 900 300 200 0 0 0 0 0 0 0 0 0 0"
absent storage M85 21:FRAGMENT,SPLIT,BUFWAIT,SIZE1,SIZE2,SIZE3,SIZE4,SIZE5,SIZE6,SIZE7
has storage M86 "class 22 $t 100 0 0 94 0 0 0 0 0 0 0 0 0 0"
has plain M76 "class 7 $t 0 0 0 0 0 0 0 0 5 3"
has lustre M76 "class 7 $t 13 0 5 9 0 0 0 0 52 28"
has plain M77 "class 8 $t 11 12 13 14 15"
has plain M79 "disk $t sda 120 3"
has lustre M80 "class 14 $t 0 0 13 0 0 0 0 0 5 0 9 0 0 0 0"
has plain M82 "class 17 $t 168 1 3 100 5 10240 300 120 70"
grep -q '^block 15 ' "$out/lustre.got" || fail 'M81: no block of a port'
grep '^customer' "$out/lustre.got" | grep -q '15:.*MSGSENT' || fail 'M81: MSGSENT is not absent'

# M75 M80 M83 M87: classes of which nothing here can be made have no bit, no record.
grep -q '^header .* | 0 1 2 3 4 7 8 12 17$' "$out/plain.got" || fail "$(head -1 "$out/plain.got")"
grep -q '^header .* | 0 1 2 3 4 5 7 8 12 14 15 17$' "$out/lustre.got" ||
	fail "$(head -1 "$out/lustre.got")"

# M15 M16 M54: stamps are UTC, and stand still where the clock was set back.
[ "$(awk '$1 == "class" && $2 == 3 { printf "%s ", $3 }' "$out/plain.got")" = \
	'1700000000.0 1700000010.0 1700000010.0 1700000020.0 ' ] || fail 'M16: stamps'

# M88: the recording is made of the same reads as the archive, so that both say the same.
for file in plain plain.dat; do
	"$NODOMETER" monitor all_classes --input "$out/$file" --summary \
		>"$out/sum.$file" 2>/dev/null
done
diff "$out/sum.plain" "$out/sum.plain.dat" || fail 'M88: a raw file and its recording differ'

# M71: a CPU that was there for one moment is no part of the later sums.
{ echo "$head"; echo '!cpu user,E,U=cs'
  printf '\n1700000000 -\ncpu 0 0\n\n1700000010 -\ncpu 0 400\ncpu 1 7\n'
  printf '\n1700000020 -\ncpu 0 1000\n\n1700000030 -\ncpu 0 1500\n'; } >"$out/cpus"
"$NODOMETER" monitor modes --input "$out/cpus" --summary >"$out/sum" 2>"$out/err"
[ "$(awk '/^User Mode/ { print $4, $5, $6; exit }' "$out/sum")" = '55.00 50.00 60.00' ] ||
	fail "M71: sum of the CPUs: $(cat "$out/err" "$out/sum")"

# Processes of users come before the kernel's.
"$NODOMETER" monitor processes --input "$out/plain.dat" --end +1 >"$out/processes"
[ "$(awk '/^0000000/ { printf "%s %s ", $1, $4 }' "$out/processes")" = \
	'00000007 one 00000008 two 00000009 kthread ' ] || fail "order: $(cat "$out/processes")"

# M11: disks beyond what a record holds are named once, and once in the recording, here and in what
# is recorded of it.
{ echo "$head"; echo '!block rd_ios,E'
  for t in 0 10 20 30; do
	printf '\n17000000%02d -\n' $t
	seq 900 | sed 's/.*/block sd& 1/'
  done; } >"$out/disks"
recorded disks
cp "$out/disks.dat" "$out/disks2"
[ "$(grep -c '12 elements .* are left out$' "$out/err")" = 1 ] ||
	fail "M11: not said once: $(cat "$out/err")"
recorded disks2
for file in disks disks2; do
	[ "$(grep -c '^customer .*left_out=12:12' "$out/$file.got")" = 1 ] ||
		fail "M11: $file: not stated once: $(grep ^customer "$out/$file.got")"
done

# M94 M95: defaults are what the manual says; SCS shows D_SEND.
"$NODOMETER" monitor --help >"$out/help"
grep -q 'Ends at --end, such as +60, or with Ctrl-C' "$out/help" || fail 'how it ends'
grep -q 'interval S .*(default 3, or as recorded)' "$out/help" || fail 'M94: --interval'
grep -A 1 'flush-interval S' "$out/help" | grep -q '(default 300)$' || fail 'M94: --flush-interval'
"$NODOMETER" monitor scs --input "$out/lustre" --summary >"$out/scs"
grep -qi 'datagrams sent\|D_SEND' "$out/scs" || fail "M95: $(cat "$out/scs")"
exit $status
