#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# trace.sh - each of the twenty operations through a mount makes a record with the seed's columns
. "$(dirname "$0")/lib.sh"
command -v jq >/dev/null || skip 'jq is not installed'
. "$(dirname "$0")/trace_lib.sh"

# This program does each operation once, without the additional requests of a shell.
cat >"$scratch/work.c" <<'END'
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>
#include <unistd.h>
static void must(int r, const char *what)
{
	if (r < 0) {
		perror(what);
		exit(1);
	}
}
int main(int argc, char **argv)
{
	char text[64], names[64];
	struct stat st;
	struct statvfs vfs;
	must(argc == 2 ? chdir(argv[1]) : -1, "chdir");	/* access X_OK, of a directory */
	must(mkdir("dir", 0755), "mkdir");
	int fd = open("dir/file", O_WRONLY | O_CREAT | O_EXCL, 0644);
	must(fd, "creat");
	must((int)write(fd, "hello, world", 12), "write");
	must(close(fd), "close");
	must(fd = open("dir/file", O_RDONLY), "open");
	must((int)read(fd, text, sizeof(text)), "read");
	must(close(fd), "close");
	must(stat("dir/file", &st), "stat");
	must(access("dir/file", R_OK | W_OK), "access");
	must(setxattr("dir/file", "user.test", "v", 1, 0), "setxattr");
	must((int)getxattr("dir/file", "user.test", text, sizeof(text)), "getxattr");
	must((int)listxattr("dir/file", names, sizeof(names)), "listxattr");
	must(removexattr("dir/file", "user.test"), "removexattr");
	must(chmod("dir/file", 0600), "setattr");
	must(symlink("/the/target", "dir/link"), "symlink");
	must((int)readlink("dir/link", text, sizeof(text)), "readlink");
	must(statvfs(".", &vfs), "statfs");
	DIR *d = opendir("dir");
	must(d && readdir(d) ? 0 : -1, "readdir");
	closedir(d);
	must(rename("dir/file", "dir/odd, \"name\""), "rename");
	must(unlink("dir/odd, \"name\""), "unlink");
	must(unlink("dir/link"), "unlink");
	must(rmdir("dir"), "rmdir");
	return 0;
}
END
${CC:-cc} -o "$scratch/work" "$scratch/work.c" || fail 'cannot compile the program that works'
traced --out "$scratch/csv"
"$scratch/work" "$m" || fail 'the work failed'
untraced
grep '/work,[0-9]*,' "$scratch/csv" >"$scratch/worked"
grep ',root,0,root,0,,0,' "$scratch/csv" >"$scratch/closed" || fail 'nothing is closed by root'

# has REGEX: a record of the work ends with REGEX
has() {
	grep -Eq "$1\$" "$scratch/worked" || {
		sed 's/^/  /' "$scratch/worked"
		fail "no record ends in $1"
	}
}
has "$s,dir,access,X_OK"
has "$s/dir/file,file,access,W_OK\|R_OK"
has "$s/dir,dir,mkdir,0755"
has "$s/dir/file,file,creat,O_WRONLY\|O_CREAT\|O_EXCL,0644"
has "$s/dir/file,file,write,0,12,12"
has "$s/dir/file,file,flush"
has "$s/dir/file,file,open,O_RDONLY,0000"
has "$s/dir/file,file,read,12,0,4096,12"
has "$s/dir/file,file,stat"
has "$s/dir/file,file,setxattr,user.test"
has "$s/dir/file,file,getxattr,user.test"
has "$s/dir/file,file,listxattr,64"
has "$s/dir/file,file,removexattr,user.test"
has "$s/dir/file,file,setattr"
has "$s/dir/link,file,symlink,/the/target"
has "$s/dir/link,file,readlink"
has "$m,dir,statfs"
has "$s/dir,dir,readdir"
has "$s/dir/file,file,rename,\"$s/dir/odd, \"\"name\"\"\""
has "\"$s/dir/odd, \"\"name\"\"\",file,unlink"
has "$s/dir,dir,unlink"
grep -q "$s/dir/file,file,close\$" "$scratch/closed" || fail 'no close of the file'
# C32 C45 C56: only these twenty operations are recorded, and no opendir.
is 'operations' "$("$trace" report --json "$scratch/csv" | jq -r '.operations | keys | length')" 20

# The same as JSON, with only the readings of one process, and with errno.
echo text >"$s/text"
traced --out "$scratch/some.json" --events read,open --result
cat "$m/text" >/dev/null
cat "$m/none" 2>/dev/null
untraced
is 'types' "$(jq -r .op.type "$scratch/some.json" | sort -u | tr '\n' ' ')" \
	'open read '
is 'a reading' "$(jq -c 'select(.op.type == "read") | .op' "$scratch/some.json" | head -n 1)" \
	"{\"type\":\"read\",\"path\":\"$s/text\",\"isdir\":false,\"filesize\":5,\"position\":0,\
\"bytesreq\":4096,\"bytesread\":5,\"result\":0}"

# Users keep their own rights and are named; with --job, operations of other processes are not
# recorded.
chmod 755 "$scratch" "$s"
(cd "$s" && umask 077 && echo secret >secret && mkdir open && chmod 1777 open)
traced --out "$scratch/users" --result --job 77
# CAP_SYS_ADMIN and CAP_SYS_PTRACE are permitted, but not effective in any thread without a request.
for set in CapEff:0x990000df CapPrm:0x992800df CapBnd:0x992800df; do
	threads=$(sed -n "s/^${set%:*}:[[:blank:]]*//p" "/proc/$tracer"/task/*/status)
	for held in $threads; do
		[ $((0x$held & ~${set#*:})) = 0 ] || fail "the tracer has ${set%:*} $held"
	done
done
as_nobody() {
	setpriv --reuid 65534 --regid 65534 --clear-groups \
		env SLURM_JOB_ID="$1" "$scratch/as" "$m" "$2"
}
printf '#!/bin/sh\ncd "$1" && eval "$2"\n' >"$scratch/as" && chmod 755 "$scratch/as"
if as_nobody 77 true 2>/dev/null; then
	as_nobody 77 'cat secret' 2>/dev/null && fail 'nobody read what is root'"'"'s'
	as_nobody 77 'umask 027; echo mine >open/mine' || fail 'nobody cannot write where all may'
	as_nobody 78 'echo >open/other'
	cp "$(command -v cat)" "$scratch/cat" && as_nobody 77 "$scratch/cat open/mine" >/dev/null
	# The file is closed within execve(2), while nobody can read the environment in /proc.
	(as_nobody 77 "perl -e 'open F, q(>), q(open/held); exec q(true)'" && : >"$scratch/done") &
	wait_until 10 test -e "$scratch/done"
	is 'owner and mode' "$(stat -c '%u %g %a' "$s/open/mine")" '65534 65534 640'
	untraced
	opened=",nobody,65534,[^,]*,[0-9]*,$scratch/cat,[0-9]*,$s/open/mine,file,open,"
	grep -q "$opened" "$scratch/users" ||
		fail "the program of another user: $(grep open/mine "$scratch/users")"
	grep -q ',nobody,65534,.*/secret,file,open,O_RDONLY,0000,13$' "$scratch/users" ||
		fail 'the refusal is not recorded'
	! grep -q /open/other "$scratch/users" || fail 'another job is recorded'
else
	untraced	# the folders above are not for all
fi

# The tracer can mount over the directory itself, refuses to trace its own mount, and reports
# errors.
mkdir "$s/below"
"$trace" --shadow "$s" --mount "$s/below" 2>"$scratch/said" && fail 'it mounted inside'
grep -q 'is inside' "$scratch/said" || fail 'it does not say what is inside what'
"$trace" --shadow "$s" --mount "$m" --out "$s/records" 2>"$scratch/said" &&
	fail 'records of records'
grep -q 'is inside the directory that is traced' "$scratch/said" ||
	fail 'it does not say what --out is'
"$trace" --shadow "$s" --mount "$m" --events raed 2>"$scratch/said"
is 'status of wrong usage' $? 2
grep -q '"raed" is no operation' "$scratch/said" || fail 'it does not say what is no operation'
real=$m m=$s
traced --out "$scratch/over" --ro
cat "$m/text" >/dev/null || fail 'nothing is seen over the directory itself'
echo 2>/dev/null >"$m/new" && fail '--ro lets write'
untraced
m=$real
grep -q "$s/text,file,read,5," "$scratch/over" || fail 'nothing was recorded over the directory'

# If records cannot be written, nobody waits, and the number of lost records is reported.
if [ -w /dev/full ]; then
	traced --out /dev/full
	cat "$m/text" >/dev/null || fail 'a full disk stops those who read'
	untraced 1
	grep -q 'records were lost: No space left' "$log" || fail 'it does not say what was lost'
fi

# A file with a size limit, as on a full disk, contains only whole records: some forty here.
longest=$(awk 'length > n { n = length } END { print n + 1 }' "$scratch/over")
cat >"$scratch/limited" <<END
trap '' XFSZ
ulimit -f $((40 * longest / 512 + 1))
exec "\$@"
END
inside="sh $scratch/limited"
traced --out "$scratch/cut"
n=100
while [ $((n -= 1)) -ge 0 ]; do cat "$m/text"; done >/dev/null
untraced 1
inside=
lost=$(sed -n 's/.*: \([0-9]*\) records were lost: File too large.*/\1/p' "$log" | tail -n 1)
[ "${lost:-0}" -gt 0 ] || fail "what was lost: $(cat "$log")"
[ "$(wc -l <"$scratch/cut")" -gt 20 ] || fail "the file: $(cat "$scratch/cut")"
[ -z "$(tail -c 1 "$scratch/cut")" ] || \
	fail "it ends in half a record: $(tail -n 1 "$scratch/cut")"

# A recording contains only records of operations, unless records were lost and it had room to say
# so.
for file in over cut; do
	is "statements of $file" "$(grep -c ',file,lost,' "$scratch/$file")" 0
	"$trace" report --json "$scratch/$file" >"$scratch/report" || fail 'no report'
	is "losses of $file" "$(jq -c '[.has_end, .lost]' "$scratch/report")" '[false,null]'
done

# If mounting is impossible, the message says what is needed.
unshare -m sh -c 'mount --bind /dev/null /dev/fuse && exec "$@"' sh "$trace" --shadow "$s" \
	--mount "$m" 2>"$log" && fail 'mounted without /dev/fuse'
grep -q "$m: cannot be mounted: .*/dev/fuse there, and fusermount3, of package fuse3, " "$log" ||
	fail 'it does not say what a mount needs'
