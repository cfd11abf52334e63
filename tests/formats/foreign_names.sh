#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# foreign_names.sh - every command reads a file with the names of HPCPerfStats 3.0 like a file with
# nodometer's names
set -u
out=$(mktemp -d -p .) || exit 99
trap 'rm -rf "$out"' EXIT
status=0
fail() { echo "FAIL: $*"; status=1; }

mkdir -p "$out/theirs/n1" "$out/ours/n1"
theirs=$out/theirs/n1/1700000000 ours=$out/ours/n1/1700000000
cat >"$theirs" <<'END'
$hpcperfstats 3.0
$hostname n1
$uname Linux x86_64 5.0 #1 SMP
$uptime 1000
!host_cpu user,E,U=cs nice,E,U=cs system,E,U=cs idle,E,U=cs iowait,E,U=cs irq,E,U=cs softirq,E,U=cs
!host_mem mem_total,U=KB mem_free,U=KB mem_used,U=KB file_pages,U=KB anon_pages,U=KB
!host_net rx_bytes,E,U=B tx_bytes,E,U=B rx_packets,E tx_packets,E
!host_block rd_ios,E rd_sectors,E,U=512B wr_ios,E wr_sectors,E,U=512B time_in_queue,E,U=ms
!host_vm pgpgin,E,U=KB pgpgout,E,U=KB pgfault,E pgmajfault,E
!host_proc uid vm_hwm,U=kB vm_rss,U=kB threads
!lustre_llite vfs_read_bytes,E,U=B vfs_write_bytes,E,U=B vfs_open_ops,E vfs_new_ops,E
END
for i in 0 1 2; do
	[ $i = 0 ] && mark='%begin 7'
	[ $i = 1 ] && mark='#'
	[ $i = 2 ] && mark='%end 7'
	cat >>"$theirs" <<-END

	$((1700000000 + 60 * i)) 7 n1
	$mark
	host_cpu 0 $((100 + 3000 * i)) 0 $((50 + 1000 * i)) $((1000 + 2000 * i)) 0 0 0
	host_mem 0 1000000 $((500000 - i)) $((500000 + i)) 100000 200000
	host_net eth0 $((1000 + 60000 * i)) $((2000 + 120000 * i)) $((10 + 60 * i)) 20
	host_block sda $((100 + 600 * i)) $((800 + 4800 * i)) 50 $((400 + 4800 * i)) 10
	host_vm - $((4000 + 6000 * i)) 8000 $((100 + 6000 * i)) 5
	host_proc a.out/12/0/0 1000 $((5000 + i)) 4000 2
	lustre_llite /scratch $((1000000 + 60000000 * i)) 2000000 $((10 + 60 * i)) 3
	END
done
sed -e 's/^\(!*\)host_/\1/' -e 's/^\(!*\)lustre_/\1/' \
	-e '/^!mem/{ s/mem_/Mem/g; s/Memt/MemT/; s/Memf/MemF/; s/Memu/MemU/; }' \
	-e '/^!mem/{ s/file_p/FileP/; s/anon_p/AnonP/; }' \
	-e 's/^!proc .*/!proc Uid VmHWM,U=kB VmRSS,U=kB Threads/' \
	-e 's/^!llite .*/!llite read_bytes,E,U=B write_bytes,E,U=B open,E new,E/' "$theirs" >"$ours"

# same PROGRAM ARGUMENT...: PROGRAM must print the same for both files, and not nothing
bin=$PWD
same() {
	program=$1
	shift
	for whose in theirs ours; do
		(cd "$out/$whose" && "$bin/$program" "$@") >"$out/$whose.out" 2>"$out/err" ||
			fail "$program $* of $whose: $(cat "$out/err")"
	done
	[ -s "$out/ours.out" ] || fail "$program $* prints nothing"
	cmp "$out/theirs.out" "$out/ours.out" || fail "$program $*: $(head -3 "$out/theirs.out")"
}

file=n1/1700000000
encodings=$(./nodometer-cat --help | sed -n '/^FORMAT/,/^$/s/^  \([a-z-]*\) .*/\1/p' |
	grep -vx monitor)
[ "$encodings" ] || fail 'no encodings'
for to in $encodings; do
	same nodometer-cat --monotonic --to "$to" $file
done
same nodometer-cat --monotonic --to csv --types cpu,llite $file
same nodometer-cat --to raw $file
same nodometer-cat $file
same nodometer-cat --type cpu,llite $file
same nodometer-cat --schema $file
[ ! -x "$bin/nodometer-monitor" ] || same nodometer-monitor modes,disk,page --input $file --summary
same nodometer-report 7 --dir .
same nodometer-report 7 --json --dir .
same nodometer-jobs --used --dir .
same nodometer-plot 7 llite:read_bytes llite:new proc --dir . --output -

# Options accept names of HPCPerfStats, too.
for command in 'cat --type host_cpu' 'cat --monotonic --to csv --types host_cpu' \
	'plot 7 lustre_llite:vfs_open_ops --output - --dir'; do
	# shellcheck disable=SC2086 # several words
	./nodometer-$command "$theirs" >"$out/got" || fail "$command"
	grep -qE 'cpu|open' "$out/got" || fail "$command: $(cat "$out/got")"
done
exit $status
