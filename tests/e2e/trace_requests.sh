#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# trace_requests.sh - a traced mount needs few requests, records processes that the tracer cannot
# see, and appends to existing files
#
# C and a number name a line of the checklist of cluefs's format (tests/gates/seeds.sh). Each line
# needs a test.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/trace_lib.sh"
command -v jq >/dev/null || skip 'jq is not installed'

# C34: "ls -l" causes only readdir requests, because attributes come with the names and the kernel
# caches them for a second. If "ls" is delayed for longer, it requests them again, so list several
# folders: at least one must need no such request.
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

# The kernel reads ahead in requests of 1 MiB, if the tracer can set this in sysfs.
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

# C50: records of a process that the tracer cannot see have a user, but pid 0 and no program name.
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

# A file that was opened with O_TMPFILE, and so has no name, can be written, read and linked as
# without the tracer.
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
	is 'the link of one' "$(grep -c "$s/nameless,file,link,$s/nameless/named,0\$" \
		"$scratch/nameless.csv")" 1
fi

# The record of a link(2) that fails has the path of the existing file, like the record of one that
# succeeds.
chmod 755 "$scratch" "$s"
: >"$s/mine" && chown 65534 "$s/mine" && mkdir -m 755 "$s/locked" || fail 'no file to link'
nobody='setpriv --reuid 65534 --regid 65534 --clear-groups'
recorded --events link --result
if $nobody test -e "$m/mine"; then
	$nobody ln "$m/mine" "$m/locked/new" 2>/dev/null && fail 'nobody links into a locked folder'
	untraced
	is 'a link that cannot be made' "$(records '.op | [.path, .new, .result]')" \
		"[\"$s/mine\",\"$s/locked/new\",13]"
else
	untraced	# user nobody may not enter the folders above the mount
fi

# If each process reads its own part of a file in sequence, this is no jump; if a process leaves a
# gap, it is.
for i in 0 1 2 4; do
	for pid in 101 102; do
		t=2026-01-01T00:00:0$i
		echo "$t.000000000Z,$t.000001000Z,1000,u,1,g,1,/bin/x,$pid,/f,file,\
read,90000,$((pid % 100 * 20000 + i * 4096)),4096,4096"
	done
done >"$scratch/ranks.csv"
is 'jumps of two ranks' "$("$trace" report --json "$scratch/ranks.csv" | jq .jumps)" 2

# C57: records are appended to an existing file; a new file is private; the file's name selects the
# format.
rm -f "$scratch/new.json"
for round in 1 2; do
	traced --events open --out "$scratch/new.json"
	cat "$m/full/$round"
	untraced
done
is 'two runs' "$(jq -r .op.type "$scratch/new.json" | tr '\n' ' ')" 'open open '
is 'mode' "$(stat -c %a "$scratch/new.json")" 640

# A mount that is left from a killed tracer is reported, with the remedy.
recorded --events open
kill -9 "$tracer"
wait "$tracer" 2>/dev/null
lanes=
"$trace" --shadow "$s" --mount "$m" >"$scratch/said" 2>&1
is 'status over a dead mount' $? 1
grep -q 'its tracer is gone; umount it' "$scratch/said" || fail 'it does not say what to do'
umount "$m"
