#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# inside.sh - in run.sh's copy of this system, test nodometer run and fleet over ssh, with hosts n1
# and n2
set -u
# shellcheck source=../words.sh
. "${words:-/tmp/words.sh}"
unset "${!SLURM@}" "${!OMPI@}"

# host NAME ADDRESS: start an sshd that is host NAME
host()
{
	# shellcheck disable=SC2016 # for the shell that is there
	unshare -n -u bash -c 'hostname "$1"; ip link set lo up; echo $$ >"/run/$1.pid"
		until ip address add "$2/24" dev "$1" 2>/dev/null; do sleep 0.05; done
		ip link set "$1" up
		exec /usr/sbin/sshd -D -e -f /etc/ssh/test' - "$1" "$2" 2>"/tmp/sshd.$1" &
	wait_until test -s "/run/$1.pid" || die "no namespaces of $1"
	ip link add "to-$1" type veth peer name "$1"
	ip link set "to-$1" master br0 up
	ip link set "$1" netns "$(cat "/run/$1.pid")"
	echo "$2 $1" >>/etc/hosts
}
# user COMMAND...: run a command as an ordinary user
user()
{
	setpriv --reuid=jane --regid=jane --init-groups env HOME=/home/jane USER=jane "$@"
}

mkdir -p /run/sshd
chmod 755 /run/sshd
useradd -m -s /bin/bash -p '*' jane || die 'no user'
printf '10.77.1.1 login\n' >>/etc/hosts
ip link set br0 up
ip address add 10.77.1.1/24 dev br0
ssh-keygen -q -t ed25519 -N '' -f /etc/ssh/test_key
printf '%s\n' 'HostKey /etc/ssh/test_key' 'UsePAM no' 'PidFile none' 'PasswordAuthentication no' \
	>/etc/ssh/test
cd /home/jane || exit 1
user mkdir -m 700 .ssh
user ssh-keygen -q -t ed25519 -N '' -f .ssh/id_ed25519
user cp .ssh/id_ed25519.pub .ssh/authorized_keys
host n1 10.77.1.11
host n2 10.77.1.12
printf 'n1,n2 %s\n' "$(cat /etc/ssh/test_key.pub)" >.ssh/known_hosts
for n in n1 n2; do
	wait_until user ssh -o BatchMode=yes "$n" true ||
		{ tail -n 5 "/tmp/sshd.$n"; die "no ssh to $n"; }
done
say 'two hosts, and a user who reaches them'

# did NAME STATUS OUTPUT NODES COMMAND...: run COMMAND, which records to folder NAME, as the user.
# It must exit with STATUS, print the lines of OUTPUT in any order, and give one report of NODES,
# with one begin and one end on each.
did()
{
	name=$1 want=$2 output=$3 on=$4
	shift 4
	user "$@" >"$name.out" 2>"$name.page" </dev/null
	got=$?
	[ $got = "$want" ] || { cat "$name.page"; fail "$name: status $got, not $want"; }
	got=$(sort "$name.out" | tr '\n' ' ')
	[ "$got" = "$output" ] || fail "$name: output $got"
	[ "$(grep -c '^Job [^i]' "$name.page")" = 1 ] ||
		{ cat "$name.page"; fail "$name: pages"; }
	got=$(find "$name" -mindepth 1 -maxdepth 1 -printf '%f\n' | sort | tr '\n' ' ')
	[ "$got" = "$on" ] || fail "$name: folders $got"
	for n in $on; do
		got=$(cat "$name/$n"/[0-9]* | grep -a '^%' | cut -d ' ' -f 1 | tr '\n' ' ')
		[ "$got" = '%begin %end ' ] || fail "$name: marks of $n: $got"
	done
	# shellcheck disable=SC2086 # a list of names
	set -- $on
	grep -q "^  nodes  *$#: $1" "$name.page" || fail "$name: nodes of the page"
	say "$name: status, output, page, records"
}
printf '%s\n' '#!/bin/sh' 'hostname' 'sleep 0.5' 'exit ${1:-0}' >x
chmod 755 x
did there 7 'n1 ' 'n1 ' ssh n1 nodometer run -i 100ms -o there -- ./x 7
# The user's shell on the host must get the same command as from ssh alone: the words are joined,
# and only quotes that the user wrote remain.
did before 5 "home it's jane n2 " 'n2 ' nodometer run -i 100ms -o before -- \
	ssh -o BatchMode=yes n2 'cd / && echo "it'"'"'s"; echo' 'home; cd; basename "$PWD"' \
	'; ./x 5'
did quoted 0 'a  b ' 'n1 ' nodometer run -i 100ms -o quoted -- ssh n1 -- 'echo "a  b"'
# Run a script that starts a rank on each host; the host of the script is sampled, too.
cat >loop <<'LOOP'
#!/bin/sh
for host in n1 n2; do
	ssh $host nodometer run --rank-of "$NODOMETER_RUN" -o loop.d -- ./x &
done
wait
LOOP
chmod 755 loop
did loop.d 0 'n1 n2 ' 'login n1 n2 ' nodometer run -o loop.d -- ./loop
# mpirun of Open MPI starts its own program on each host by ssh.
did mpi 0 'n1 n1 n2 n2 ' 'n1 n2 ' nodometer run -o mpi -- mpirun --host n1:2,n2:2 ./x
did below 0 'n1 n1 n2 n2 ' 'n1 n2 ' mpirun --host n1:2,n2:2 nodometer run -o below -- ./x
# nodometer fleet --ssh reports nodes without an agent, with an unknown name, and stopped ones.
mkdir -p archive/n1 archive/n2
printf '%s\n' n1 n2 n3 >nodes
kill -STOP "$(cat /run/n2.pid)"
user nodometer fleet --dir archive --nodes nodes --ssh >fleet.out 2>&1
[ $? = 2 ] || fail 'fleet: status'
kill -CONT "$(cat /run/n2.pid)"
for want in 'n1 .*; the agent does not run$' 'n2 .*no answer: .*timed out' \
	'n3 .*no answer: .*n3'; do
	grep -q "^$want" fleet.out || fail "fleet: no $want in $(cat fleet.out)"
done
say 'fleet --ssh'

# If an option makes ssh start nothing or not wait, nothing is recorded.
user nodometer run -q -o unknown -- ssh -f n1 ./x >unknown.out 2>&1
grep -q 'ssh: unknown option -f,' unknown.out ||
	fail "unknown: $(cat unknown.out)"
finish
