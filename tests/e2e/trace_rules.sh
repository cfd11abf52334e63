#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# trace_rules.sh - nodometer trace records operations by the rules of cluefs's format
#
# C and a number name a line of the checklist of cluefs's format (tests/gates/seeds.sh). Each line
# needs a test.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/trace_lib.sh"
command -v jq >/dev/null || skip 'jq is not installed'

${CC:-cc} -o "$scratch/work" "$srcdir/tests/e2e/trace_rules.c" ||
	fail 'cannot compile the program that works'
works() {
	rm -rf "${s:?}"/*
	recorded "$@"
	"$scratch/work" "$m" &
	work=$!
	wait $work || fail 'the work failed'
	sync -f "$m"	# also write data that was changed through mmap(2)
	untraced
}
works --result

# C24: the kernel does not name the process that closes; each open has one close.
is 'who closes' "$(records 'select(.op.type == "close" and .op.isdir == false).hdr |
	"\(.usr) \(.uid) \(.grp) \(.gid) \(.pid) \(.proc)."')" 'root 0 root 0 0 .'
# C27: a flush names the process that closed the file.
is 'who flushes' "$(records 'select(.op.type == "flush").hdr.pid')" "$work"
# C29 C30: a record has the requested size, and the mode after applying the umask.
is 'listxattr' "$(records 'select(.op.type == "listxattr").op.size')" 0
is 'mkdir' "$(records 'select(.op.type == "mkdir").op | [.mode, .isdir]')" '["0750",true]'
is 'creat' "$(records 'select(.op.type == "creat").op.perm')" '0640'
# C33 C51: a read is recorded with the size of the file at that time.
is 'sizes' "$(records 'select(.op.type == "read" and .hdr.pid != 0).op.filesize' | sort -nu |
	tail -n 1)" 8192
# C37 C47: a record says if its object is a directory, also for a rename and for listxattr.
is 'rename' "$(records 'select(.op.type == "rename").op |
	[(.old | sub(".*/"; "")), .isdir, (.new | sub(".*/"; ""))]')" '["made",true,"grows"]'
is 'listxattr of a directory' "$(records 'select(.op.type == "listxattr").op.isdir')" true
# C39: a missing name is recorded as a file, and its errno says that it is missing.
is 'a missing name' "$(records 'select(.op.type == "stat" and (.op.path | endswith("/missing")))
	.op | [.isdir, .result]')" '[false,2]'
# C46: the mount serves operations that cluefs does not name, but does not record them.
is 'strangers' "$(records .op.type | grep -cE 'fsync|link$|mknod|fallocate|lseek|copy')" 0
# C49: each write is recorded at once, with the process that wrote.
is 'writes' "$(records "select(.op.type == \"write\" and .hdr.pid == $work).op |
	[.position, .bytesreq, .byteswritten]" | tr '\n' ' ')" \
	'[0,100,100] [100,100,100] [200,100,100] '
# C54: the record of data that is written back from mmap(2) after the close has no process.
is 'who writes back' "$(records "select(.op.type == \"write\" and .op.bytesreq > 100).hdr |
	\"\(.pid) \(.proc).\"" | sort -u)" '0 .'
cmp -s -n 50 "$s/made" - <<END || fail 'what mmap(2) wrote is not there'
mmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmm
END
# C52: records name the user, the user group and the program of a process even if it has ended long
# ago.
is 'who worked' "$(records "select(.hdr.pid == $work).hdr | [.usr, .grp, .proc]" | sort -u)" \
	"[\"root\",\"root\",\"$scratch/work\"]"
# C5: the end time of a record is its start time plus its duration, to the nanosecond.
is 'ends that are not' "$(records 'def ns: capture("^(?<s>[^.]*?)([.](?<f>[0-9]+))?Z$") |
	{ s: (.s + "Z" | fromdate), f: (((.f // "") + "000000000")[0:9] | tonumber) };
	.hdr | (.start | ns) as $a | (.end | ns) as $b |
	select(($b.s - $a.s) * 1000000000 + $b.f - $a.f != .nselaps)')" ''

few=$(records 'select(.op.type == "stat" and (.op.path | endswith("/linked")))' | wc -l)
works --owner --stat all --events stat,close,link,mknod,fsync

# C24 C39 C46: with these options, a traced mount no longer follows the three rules above with these
# numbers.
is 'who opened' "$(records 'select(.op.type == "close" and .op.isdir == false).hdr.pid')" "$work"
many=$(records 'select(.op.type == "stat" and (.op.path | endswith("/linked")))' | wc -l)
[ "$few" -lt 5 ] && [ "$many" -ge 5 ] || fail "--stat all: $many, without it $few"
is 'strangers by name' "$(records .op.type | sort -u | tr '\n' ' ')" \
	'close fsync link mknod stat '
