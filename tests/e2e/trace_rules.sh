#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# trace_rules.sh - rules for records in cases that the kernel's request leaves open
#
# Each paragraph names the lines of the seed's checklist that it tests (C24 and so on).
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/trace_lib.sh"
command -v jq >/dev/null || skip 'jq is not installed'

# recorded OPTIONS...: trace, and write records
recorded() {
	: >"$scratch/records"
	traced --json --out "$scratch/records" "$@"
}

# records FILTER: filter the records with jq
records() {
	jq -rc "$1" "$scratch/records"
}

cat >"$scratch/work.c" <<'END'
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>
static void must(long r, const char *what)
{
	if (r < 0) {
		perror(what);
		exit(1);
	}
}
int main(int argc, char **argv)
{
	char text[100] = "";
	struct stat st;
	int fd;
	must(argc == 2 ? chdir(argv[1]) : -1, "chdir");
	umask(027);
	must(mkdir("made", 0777), "mkdir");
	must(listxattr("made", NULL, 0), "listxattr");
	must(fd = open("grows", O_RDWR | O_CREAT, 0666), "open");
	for (int i = 0; i < 3; i++)
		must(pwrite(fd, text, sizeof(text), i * 100), "write");
	must(fsync(fd), "fsync");
	must(pread(fd, text, sizeof(text), 0), "read");
	must(ftruncate(fd, 8192), "truncate");
	must(pread(fd, text, sizeof(text), 4096), "read");
	char *map = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	must(map == MAP_FAILED ? -1 : 0, "mmap");
	must(close(fd), "close");
	memset(map, 'm', 50);
	must(munmap(map, 4096), "munmap");
	must(link("grows", "linked"), "link");
	must(mknod("pipe", S_IFIFO | 0666, 0), "mknod");
	must(renameat2(AT_FDCWD, "made", AT_FDCWD, "grows", RENAME_EXCHANGE), "rename");
	for (int i = 0; i < 5; i++)
		must(stat("linked", &st), "stat");
	return stat("missing", &st) == 0;
}
END
${CC:-cc} -o "$scratch/work" "$scratch/work.c" || fail 'cannot compile the program that works'
works() {
	rm -rf "${s:?}"/*
	recorded "$@"
	"$scratch/work" "$m" &
	work=$!
	wait $work || fail 'the work failed'
	sync -f "$m"	# what was written by mmap(2), too
	untraced
}
works --result

# C24: the kernel does not name the process that closes; each open has one close.
is 'who closes' "$(records 'select(.op.type == "close" and .op.isdir == false).hdr |
	"\(.usr) \(.uid) \(.grp) \(.gid) \(.pid) \(.proc)."')" 'root 0 root 0 0 .'
# C27: a flush names the process that closed.
is 'who flushes' "$(records 'select(.op.type == "flush").hdr.pid')" "$work"
# C29 C30: the requested size, and the mode after the umask.
is 'listxattr' "$(records 'select(.op.type == "listxattr").op.size')" 0
is 'mkdir' "$(records 'select(.op.type == "mkdir").op | [.mode, .isdir]')" '["0750",true]'
is 'creat' "$(records 'select(.op.type == "creat").op.perm')" '0640'
# C33 C51: a read is recorded with the size of the file at that time.
is 'sizes' "$(records 'select(.op.type == "read" and .hdr.pid != 0).op.filesize' | sort -nu |
	tail -n 1)" 8192
# C37 C47: a renamed or examined object is recorded as a directory if it is one.
is 'rename' "$(records 'select(.op.type == "rename").op |
	[(.old | sub(".*/"; "")), .isdir, (.new | sub(".*/"; ""))]')" '["made",true,"grows"]'
is 'listxattr of a directory' "$(records 'select(.op.type == "listxattr").op.isdir')" true
# C39: a missing name is recorded as a file, and its errno says that it is missing.
is 'a missing name' "$(records 'select(.op.type == "stat" and (.op.path | endswith("/missing")))
	.op | [.isdir, .result]')" '[false,2]'
# C46: operations that the seed does not name are served but not recorded.
is 'strangers' "$(records .op.type | grep -cE 'fsync|link$|mknod|fallocate|lseek|copy')" 0
# C49: each write is recorded at once, with the process that wrote.
is 'writes' "$(records "select(.op.type == \"write\" and .hdr.pid == $work).op |
	[.position, .bytesreq, .byteswritten]" | tr '\n' ' ')" \
	'[0,100,100] [100,100,100] [200,100,100] '
# C54: data that mmap(2) writes after the close has no process.
is 'who writes back' "$(records "select(.op.type == \"write\" and .op.bytesreq > 100).hdr |
	\"\(.pid) \(.proc).\"" | sort -u)" '0 .'
cmp -s -n 50 "$s/made" - <<END || fail 'what mmap(2) wrote is not there'
mmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmm
END
# C52: names are those of a process that ended long ago.
is 'who worked' "$(records "select(.hdr.pid == $work).hdr | [.usr, .grp, .proc]" | sort -u)" \
	"[\"root\",\"root\",\"$scratch/work\"]"
# C5: the end is the start plus the duration, to the nanosecond.
is 'ends that are not' "$(records 'def ns: capture("^(?<s>[^.]*?)([.](?<f>[0-9]+))?Z$") |
	{ s: (.s + "Z" | fromdate), f: (((.f // "") + "000000000")[0:9] | tonumber) };
	.hdr | (.start | ns) as $a | (.end | ns) as $b |
	select(($b.s - $a.s) * 1000000000 + $b.f - $a.f != .nselaps)')" ''

few=$(records 'select(.op.type == "stat" and (.op.path | endswith("/linked")))' | wc -l)
works --owner --stat all --events stat,close,link,mknod,fsync

# C24 C39 C46: each of these is an option.
is 'who opened' "$(records 'select(.op.type == "close" and .op.isdir == false).hdr.pid')" "$work"
many=$(records 'select(.op.type == "stat" and (.op.path | endswith("/linked")))' | wc -l)
[ "$few" -lt 5 ] && [ "$many" -ge 5 ] || fail "--stat all: $many, without it $few"
is 'strangers by name' "$(records .op.type | sort -u | tr '\n' ' ')" \
	'close fsync link mknod stat '

# C34: listing names with attributes is only readdir. The kernel caches attributes for a second: if
# "ls" is delayed for longer, it requests them again, so another folder is listed.
rm -rf "${s:?}"/*
recorded --events readdir,stat
for n in $(seq 20); do
	mkdir "$s/full$n"
	for i in 1 2 3 4 5; do : >"$s/full$n/$i"; done
	ls -l "$m/full$n" >/dev/null
done
untraced
records 'select(.op.type == "readdir").op | [(.path | sub(".*/"; "")), .isdir]' | sort -u \
	>"$scratch/read"
is 'folders read' "$(grep -c '^."full[0-9]*",true.$' "$scratch/read")" 20
is 'and nothing else' "$(wc -l <"$scratch/read")" 20
asked=$(records 'select(.op.type == "stat").op.path' |
	sed -n 's|.*/\(full[0-9]*\)/.*|\1|p' | sort -u | wc -l)
[ "$asked" -lt 20 ] || fail 'attributes did not come with the names'

mv "$s/full1" "$s/full"

# Sequential reads are read in MiB, if sysfs lets the tracer request it.
head -c 4194304 /dev/zero >"$s/large"
recorded --events read
ahead=/sys/class/bdi/$(mountpoint -d "$m")/read_ahead_kb
if [ -w "$ahead" ]; then
	is 'KiB ahead' "$(cat "$ahead")" 1024
	cat "$m/large" >/dev/null
fi
untraced
! grep -q '"type":"read"' "$scratch/records" ||
	is 'the largest read' "$(records '.op.bytesreq // 0' | sort -n | tail -n 1)" 1048576

# C50: a process that the tracer cannot see has no number and no name, but a user.
if unshare -pf true 2>/dev/null; then
	inside='unshare -pf'
	recorded --events open
	cat "$m/full/1" || fail 'who is outside cannot read'
	untraced
	inside=
	is 'an unseen process' \
		"$(records 'select(.op.type == "open").hdr |
			"\(.usr) \(.pid) \(.proc)."' | sort -u)" 'root 0 .'
fi

# C53: the report explains which requests it counts.
"$trace" report "$scratch/records" | grep -q 'requests that reached the file system' ||
	fail 'the report does not say what a request is'

# A file without a name can be written, read and linked, as without the tracer.
cat >"$scratch/nameless.py" <<'END'
import os, sys
fd = os.open(sys.argv[1], os.O_TMPFILE | os.O_RDWR, 0o640)
os.write(fd, b'text')
os.fchmod(fd, 0o600)
st = os.fstat(fd)
print(os.pread(fd, 9, 0), st.st_nlink, st.st_size, oct(st.st_mode), len(os.listdir(sys.argv[1])))
os.link('/proc/self/fd/%d' % fd, sys.argv[1] + '/named', src_dir_fd=os.open('/', 0))
os.write(fd, b' more')
print(open(sys.argv[1] + '/named').read(), os.fstat(fd).st_nlink)
os.close(os.open(sys.argv[1], os.O_TMPFILE | os.O_WRONLY))
END
mkdir "$s/nameless" || fail 'no folder'
if python3 "$scratch/nameless.py" "$s/nameless" >"$scratch/below" 2>/dev/null &&
	pkg-config --atleast-version=3.13 fuse3 2>/dev/null &&
	[ "$(printf '6.1\n%s\n' "$(uname -r)" | sort -V | head -n 1)" = 6.1 ]; then
	rm "$s/nameless/named"
	traced --events all --result --out "$scratch/nameless.csv"
	python3 "$scratch/nameless.py" "$m/nameless" >"$scratch/above" ||
		fail 'O_TMPFILE is refused'
	untraced
	is 'a file without a name' "$(cat "$scratch/above")" "$(cat "$scratch/below")"
	is 'records of them' \
		"$(grep -c "$s/nameless,file,creat,.*,0\$" "$scratch/nameless.csv")" 2
fi

# Processes that each read one part of a file in sequence do not seek; a process that leaves a gap
# does.
for i in 0 1 2 4; do
	for pid in 101 102; do
		t=2026-01-01T00:00:0$i
		echo "$t.000000000Z,$t.000001000Z,1000,u,1,g,1,/bin/x,$pid,/f,file,\
read,90000,$((pid % 100 * 20000 + i * 4096)),4096,4096"
	done
done >"$scratch/ranks.csv"
is 'jumps of two ranks' "$("$trace" report --json "$scratch/ranks.csv" | jq .jumps)" 2

# C57: records are appended to a file that is private; the file name selects the format.
rm -f "$scratch/new.json"
for round in 1 2; do
	traced --events open --out "$scratch/new.json"
	cat "$m/full/$round"
	untraced
done
is 'two runs' "$(jq -r .op.type "$scratch/new.json" | tr '\n' ' ')" 'open open '
is 'mode' "$(stat -c %a "$scratch/new.json")" 640

# A mount that a killed tracer left is reported, with the remedy.
recorded --events open
kill -9 "$tracer"
wait "$tracer" 2>/dev/null
lanes=
"$trace" --shadow "$s" --mount "$m" >"$scratch/said" 2>&1
is 'status over a dead mount' $? 1
grep -q 'its tracer is gone; umount it' "$scratch/said" || fail 'it does not say what to do'
umount "$m"
