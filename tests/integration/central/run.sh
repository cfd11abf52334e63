#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# run.sh - run all commands of the manual page nodometer-archive(7), in order, on an overlay of this
# system
packages='rsync zstd mandoc'
namespaces='--mount --pid --fork --net'
. "$(dirname "$0")/../lib.sh"
[ "$(id -u)" = 0 ] || skip 'not root'
mount --make-rprivate / || skip 'no mount namespace'
ip link set lo up || skip 'no network namespace'
root=$scratch/root
overlay "$root"
installed "$root"
kernel_files "$root"
inside() { chroot "$root" env PATH=/usr/sbin:/usr/bin:/sbin:/bin sh -c "$*"; }
host=n1.example.org

# Replace commands that cannot work in this test: starting units, asking Slurm, and logging in to
# n1.
cat >"$root/usr/bin/systemctl" <<'X'
#!/bin/sh
case $* in
daemon-reload) grep -q ReadWritePaths=/central/archive /etc/systemd/system/*/*.conf ;;
'enable --now nodometer-send')
	setpriv --reuid nodometer --regid nodometer --init-groups /usr/sbin/nodometer-send \
		</dev/null >/tmp/send.log 2>&1 &
	echo $! >/tmp/sender ;;
*) exit 1 ;;
esac
X
printf '#!/bin/sh\necho n1\n' >"$root/usr/bin/sinfo"
cat >"$root/usr/bin/ssh" <<'X'
#!/bin/sh
while [ "$1" = -o ]; do shift 2; done
shift
exec sh -c "$*"
X
chmod 755 "$root/usr/bin/systemctl" "$root/usr/bin/sinfo" "$root/usr/bin/ssh"

# Make a node with an archive, and the configuration files that the page shows.
mkdir -p "$root/etc/nodometer/conf.d" "$root/var/lib/nodometer/$host" "$root/central"
rm -rf "$root/central/archive"
printf '[agent]\nhostname = %s\n[send]\nstate-dir = /var/lib/nodometer-send\n' $host \
	>"$root/etc/nodometer/nodometer.conf"
sed -n '/^\.Ss A file system/,/^\.Ss HTTPS/{/^\[sink archive\]/,/^\.Ed/p}' \
	"$top/man/nodometer-archive.7" | grep -v '^\.' >"$root/etc/nodometer/conf.d/archive.conf"
raw=$root/var/lib/nodometer/$host/1700000000
{
	sed -n '1,/^$/p' "$top/tests/formats/export/a.raw" | sed "s/n1.example.org/$host/"
	printf '1700000000 4711\n%%begin 4711\ncpu 0 1 2\n'
	printf '\n1700000600 4711\n%%end 4711\ncpu 0 3 4\n\n1700001200 -\ncpu 0 3 9\n'
} >"$raw"
ln "$raw" "$root/var/lib/nodometer/$host/current"

# Extract the manual page's commands: lines after a prompt, with continued lines and loops.
mandoc -T utf8 -O width=200 "$top/man/nodometer-archive.7" | sed 's/.\x08//g' |
	awk '/^ *[#$] / { sub(/^ *[#$] /, ""); line = ""; on = 1 }
		/^ *> / { sub(/^ *> */, " "); on = 1 }
		on { line = line $0 }
		on && /\\$/ { sub(/\\$/, "", line); next }
		on && line ~ /^for / && line !~ /done$/ { line = line (/do$/ ? "" : ";"); next }
		on { print line; on = 0 }' \
	>"$scratch/commands"
[ "$(wc -l <"$scratch/commands")" -ge 12 ] || die "only $(wc -l <"$scratch/commands") commands"
inside 'userdel nodometer; groupdel nodometer' >"$scratch/log" 2>&1	# if the user exists
# arrived: succeed if all records but the last one are in the central archive. A record of another
# node is complete only when the next record has begun.
arrived() { grep -q '^%end 4711' "$root/central/archive/$host/1700000000" 2>"$scratch/err"; }
# is_silent COMMAND STATUS: succeed if COMMAND is fleet and reports that the node's last record is
# of 2023
is_silent()
{
	case $1 in
	*'nodometer fleet'*) [ "$2" = 2 ] && grep -q '^n1.*silent since 2023' "$scratch/out" ;;
	*) return 1 ;;
	esac
}
while read -r command; do
	case $command in
	'nodometer-send --check')
		inside chown -R nodometer:nodometer /var/lib/nodometer /etc/nodometer
		mkdir -p "$root/var/lib/nodometer-send"
		inside chown nodometer /var/lib/nodometer-send
		;;
	'nodometer check '*) zstd -q "$root/central/archive/$host/1700000000" ;;
	*nodometer-tidy*) touch -d '500 days ago' "$root/central/archive/$host/1600000000.zst" ;;
	esac
	inside "$command" </dev/null >"$scratch/out" 2>"$scratch/err"
	status=$?
	[ $status = 0 ] || [ "$command" = 'nodometer status' ] ||	# no agent runs here
		is_silent "$command" $status ||
		fail "$command: $(cat "$scratch/out" "$scratch/err")"
	case $command in
	'systemctl enable'*)
		wait_until arrived ||
			fail "nothing came: $(cat "$root/tmp/send.log"; ls -lR "$root/central")"
		;;
	'nodometer status')
		grep -q '^sink  *archive' "$scratch/out" || fail "$(cat "$scratch/out")"
		;;
	*gather*) grep -q '^n1: ' "$scratch/out" || fail "gather: $(cat "$scratch/out")" ;;
	*nodometer-tidy*)
		[ ! -e "$root/central/archive/$host/1600000000.zst" ] && arrived ||
			fail 'retention removes something else'
		;;
	esac
	say "$command"
done <"$scratch/commands"
inside nodometer report 4711 --dir /central/archive >"$scratch/out" 2>&1 ||
	fail "report: $(cat "$scratch/out")"
grep -q '^Job 4711' "$scratch/out" || fail "$(cat "$scratch/out")"
finish
