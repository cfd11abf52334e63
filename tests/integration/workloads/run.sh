#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# run.sh - for programs with a known fault, the first finding names the cause; healthy programs have
# no finding
#
# The programs run as jobs in a guest, sampled each second, so that nothing else runs beside them.
# By default a third of tests/programs/expected runs; WORKLOADS=all, or a run before a release, runs
# all of it, and WORKLOADS="NAME NAME..." the named programs.
packages='qemu-system-x86 kmod cpio xz-utils zstd'
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../guest.sh"

programs=$top/tests/programs
guest e2fsprogs
${CC:-cc} -O2 -static -pthread -D_GNU_SOURCE -o "$share/programs" "$programs/programs.c" ||
	skip 'no compiler that links static programs'
! is_all || WORKLOADS=all
case ${WORKLOADS-} in
all) grep '^[a-z]' "$programs/expected" ;;
'')
	grep '^[a-z]' "$programs/expected" | grep -v 'seconds=' |
		awk '{ n += !/^work-/ } n % 3 == 0'
	;;
*) for name in $WORKLOADS; do grep "^$name " "$programs/expected"; done ;;
esac >"$share/chosen"
truncate -s 256M "$scratch/disk" && truncate -s 256M "$scratch/swap"
boot -smp 2 -m 1536 -drive "if=none,id=d,format=raw,file=$scratch/disk,throttling.iops-total=200" \
	-device nvme,serial=1,drive=d -drive "if=none,id=s,format=raw,file=$scratch/swap" \
	-device nvme,serial=2,drive=s

# Let findings apply to short jobs, because an emulated processor does a tenth of the work. Raise
# the limit of context switches: the timer of an emulated processor alone causes 600 per second of
# CPU time.
printf '%s\n' 'seconds = 5' 'process-storm = 10' 'switches = 1500' >"$scratch/advice"
first_finding()
{
	"$bin/nodometer" report "$1" --dir "$share/archive" --advice "$scratch/advice" --json |
		sed 's/.*"findings":\[\([^]]*\)\].*/\1/' | sed -n 's/^{"rule":"\([^"]*\)".*/\1/p'
}

right=0 all=0
while read -r number name; do
	want=$(awk -v name="$name" '$1 == name { print $2 }' "$share/chosen")
	got=$(first_finding "$number")
	[ "$want" != any ] || continue
	all=$((all + 1))
	case "|$want|" in
	*"|${got:--}|"*) right=$((right + 1)) ;;
	*)
		echo "$name: the first finding is ${got:-none}, not $want"
		[ "$want" != - ] || accused=1
		"$bin/nodometer" report "$number" --dir "$share/archive" \
			--advice "$scratch/advice" | sed -n '/^Used/,/^Job itself/p'
		;;
	esac
done <"$share/ran"
say "$right of $all first findings name the cause"
[ "$(grep -c . "$share/ran")" = "$(grep -c . "$share/chosen")" ] || die 'some did not run'
[ -z "${accused-}" ] || die 'a healthy one is accused'
[ $((10 * right)) -ge $((9 * all)) ] || die 'fewer than nine of ten'

number_of() { awk -v name="$1" '$2 == name { print $1 }' "$share/ran"; }

# explained NAME SENTENCE: the report must list SENTENCE among the differences from the program
# "work", which does the same. On a busy machine the durations are not compared, because two
# emulated processors then get no more time than one.
explained()
{
	"$bin/nodometer" compare "$(number_of work)" "$(number_of "$1")" --dir "$share/archive" \
		>"$scratch/page" || die "$1 is not compared with work"
	grep -q "^  $2 in B: " "$scratch/page" || die "$1: $(cat "$scratch/page")"
}
[ -z "$(number_of work)" ] || {
	explained work-bound 'Processes waited longer for a CPU'
	explained work-disk 'Its files were in another file system'
	say 'another binding and another file system are explained'
}
