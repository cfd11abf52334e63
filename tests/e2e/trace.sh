#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# trace.sh - each of the twenty operations through a mount makes a record with the columns of cluefs
. "$(dirname "$0")/lib.sh"
command -v jq >/dev/null || skip 'jq is not installed'
. "$(dirname "$0")/trace_lib.sh"

${CC:-cc} -o "$scratch/work" "$srcdir/tests/e2e/trace_operations.c" ||
	fail 'cannot compile the program that works'
traced --out "$scratch/csv"
"$scratch/work" "$m" || fail 'the work failed'
untraced
grep '/work,[0-9]*,' "$scratch/csv" >"$scratch/worked"
grep ',root,0,root,0,,0,' "$scratch/csv" >"$scratch/closed" || fail 'nothing is closed by root'

# has REGEX: fail unless a record of the test program "work" ends with REGEX
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
# Lines C32, C45 and C56 of the checklist of cluefs's format (tests/gates/seeds.sh): only these
# twenty operations are recorded, and opendir is not.
is 'operations' "$("$trace" report --json "$scratch/csv" | jq -r '.operations | keys | length')" 20

# Records in JSON have the same values as in CSV. --events selects operations, and --result adds
# errno.
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

# Users of the mount keep their own rights, and records name them; with --job 77, operations of
# other jobs are not recorded.
chmod 755 "$scratch" "$s"
(cd "$s" && umask 077 && echo secret >secret && mkdir open && chmod 1777 open)
traced --out "$scratch/users" --result --job 77
# While no request is served, no thread has CAP_SYS_ADMIN or CAP_SYS_PTRACE effective, only
# permitted.
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
	as_nobody 770 'echo >open/other'
	cp "$(command -v cat)" "$scratch/cat" && as_nobody 77 "$scratch/cat open/mine" >/dev/null
	# execve(2) closes this file at a moment at which the process's environment in /proc cannot
	# be read.
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
	untraced	# user nobody may not enter the folders above the mount
fi
