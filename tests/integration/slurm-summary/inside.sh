#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# inside.sh - test a Slurm of two nodes with its database, and jobs with and without records, in
# run.sh's container
set -u
nodes='n1 n2' cpus=$(nproc)
S=/tmp/slurm
export SLURM_CONF=$S/slurm.conf
cd /tmp || exit 1
# shellcheck source=../words.sh
. "${words:-/tmp/words.sh}"
# shellcheck source=../slurm.sh
. "${slurm:-/tmp/slurm.sh}"

# database: start MariaDB and slurmdbd, which read slurm.conf
database()
{
	mkdir -p $S/sql /run/mysqld
	mariadb-install-db --user=root --datadir=$S/sql --auth-root-authentication-method=socket \
		>$S/sql.log 2>&1 || die "$(cat $S/sql.log)"
	mariadbd --no-defaults --user=root --datadir=$S/sql --skip-networking \
		--socket=/run/mysqld/mysqld.sock --innodb-buffer-pool-size=64M >>$S/sql.log 2>&1 &
	wait_times 3 timeout 10 mariadb -e 'create database slurm_acct_db' ||
		die "$(cat $S/sql.log)"
	cat >$S/slurmdbd.conf <<-CONF
	AuthType=auth/munge
	AuthInfo=socket=$S/munge/socket
	DbdHost=localhost
	DbdPort=16819
	SlurmUser=root
	StorageType=accounting_storage/mysql
	StorageUser=root
	StorageLoc=slurm_acct_db
	PidFile=$S/slurmdbd.pid
	LogFile=$S/log/slurmdbd
	CONF
	chmod 600 $S/slurmdbd.conf
	slurmdbd -D >>$S/out 2>&1 &
	configure "$1"
	wait_times 3 timeout 10 sacctmgr -i add cluster test || die "$(cat $S/log/slurmdbd $S/out)"
}

comment() { sacct -nXPj "$1" -o AdminComment; }
has_answer() { [ -n "$(comment "$1")" ] || grep -q "job $1:" "$S/syslog"; }
has_comment() { comment "$1" | grep -q '^JS1:'; }

# shellcheck disable=SC2154 # of slurm.sh
lines="$(printf '%s\n' "$with_hooks" | grep -v '^Prolog=\|^Epilog=')
AccountingStorageType=accounting_storage/slurmdbd
AccountingStorageHost=localhost
AccountingStoragePort=16819
AccountingStoragePass=$S/munge/socket"
agents 'interval = 1s'
munge_up
database "$lines"
configure "$lines"
nodometer install-hooks --summary --apply --at $SLURM_CONF slurm >$S/applied ||
	die "$(cat $S/applied)"
for daemon in slurmctld $nodes; do daemon "$daemon"; done
wait_until idle || { tail $S/log/* $S/out; die 'no Slurm'; }
mkdir -p /run/nodometer
systemd-socket-activate --accept --inetd -l /run/nodometer/answer \
	/usr/libexec/nodometer/nodometer-answer 2>>$S/answer &
wait_until test -S /run/nodometer/answer || die 'no socket'
chmod 666 /run/nodometer/answer
say 'Slurm has a database and two idle nodes'

mkdir -p /etc/slurm /etc/slurm-llnl
# slurmctld does not tell its hook where slurm.conf is
ln -sf $SLURM_CONF /etc/slurm/slurm.conf

# works: succeed if an epilog_slurmctld is still running in the background
works() { pgrep -f 'epilog_slurmctld work' >/dev/null; }
rests() { ! works; }

# of_jobstats JOB: succeed if the job's comment has jobstats' format, with all CPUs of both nodes.
# Without cgroups, the CPU time is known only for a job that has whole nodes.
of_jobstats()
{
	comment "$1" | python3 /tmp/decode.py >$S/decoded || return 1
	[ "$(cut -d ' ' -f 1,2 $S/decoded | tr '\n' ' ')" = "n1 $cpus n2 $cpus " ] ||
		{ cat $S/decoded; false; }
}

# sacctmgr_that_keeps_letters: replace sacctmgr, because that of 22.05 changes the comment to lower
# case (job_functions.c, strip_quotes)
sacctmgr_that_keeps_letters()
{
	cat >/tmp/letters.c <<-'C'
	int tolower(int c) { return c; }
	const int **__ctype_tolower_loc(void)
	{
		static int all[384];
		static const int *from = all + 128;
		for (int c = -128; c < 256; c++)
			all[c + 128] = c;
		return &from;
	}
	C
	cc -O1 -fno-builtin -shared -fPIC -o /tmp/letters.so /tmp/letters.c || die 'no compiler'
	printf '#!/bin/sh\nLD_PRELOAD=/tmp/letters.so exec /usr/bin/sacctmgr "$@"\n' \
		>/usr/local/bin/sacctmgr
	chmod +x /usr/local/bin/sacctmgr
}
printf '#!/bin/sh\necho "$@" >>%s/syslog\n' $S >/usr/local/bin/logger
chmod +x /usr/local/bin/logger
: >$S/syslog

# Memory is known only from samples between the marks, and on a busy machine agents may be late. So
# each job runs until /tmp/sampled.JOB exists, for at most two minutes.

# sampled JOB: succeed if both nodes have two samples of the job after the sample of its begin mark
sampled()
{
	for n in $nodes; do
		[ "$(cat "/var/lib/nodometer/$n"/[0-9]* |
			grep -cE "^[0-9.]+ ([^ ]*,)?$1(,|$)")" -ge 3 ] || return 1
	done
}
while sleep 0.5; do
	for job in $(squeue -h -t R -o %A); do
		! sampled "$job" || touch "/tmp/sampled.$job"
	done
done &
watcher=$!
cat >/tmp/busy <<'X'
timeout 2 sh -c 'while :; do :; done'
for _ in $(seq 240); do
	[ ! -e "/tmp/sampled.$SLURM_JOB_ID" ] || break
	sleep 0.5
done
echo its own words
X
two=$(sbatch --parsable -N2 --exclusive --uid=nobody --chdir=/ -o /tmp/out.%j \
	--wrap "srun sh /tmp/busy") ||
	die 'no job'
settle 180
wait_times 8 has_answer "$two"	# the queue may be empty before the hook has begun
wait_times 3 rests || fail "hooks still work: $(pgrep -af epilog_slurmctld)"
case $(comment "$two")$(cat $S/syslog) in
"-t nodometer AdminComment of job $two: removed: sacctmgr of this Slurm changes the text") ;;
JS1:*) of_jobstats "$two" || fail 'not the form of jobstats' ;;
*) fail "job $two: $(comment "$two"); $(cat $S/syslog)" ;;
esac
sacctmgr_that_keeps_letters
array=$(submit --array=7,9%1 -N2 --exclusive -- "srun sh /tmp/busy") || die 'no job'
settle 300
kill $watcher
for task in 7 9; do
	# The hook looks for the records 1, 3, 7, 15, 31, 63, 127 and 255 s after the end.
	wait_times 15 has_comment "${array}_$task" ||
		fail "task $task: $(nodometer report --jobstats -- "${array}_$task" 2>&1);" \
			"$(cat $S/syslog); $(comment "${array}_$task"); $(
			pgrep -af epilog_slurmctld); $(nodometer report -- "$array" | head -n 40)"
	of_jobstats "${array}_$task" || fail "task $task: not the form of jobstats"
done
say 'AdminComment is what jobstats would have put there'

page=$(sed -n '/^Job [0-9]/,$p' "/tmp/out.$two")
case $page in
"Job $two"*'  (nobody'*) ;;
*) fail "no page: $(cat "/tmp/out.$two")" ;;
esac
[ "$(grep -c '^Job [0-9]' "/tmp/out.$two")" = 1 ] || fail 'not one page after all tasks'
[ "$(sed '/^Job [0-9]/,$d' "/tmp/out.$two" | grep -c 'its own words')" = 2 ] ||
	fail 'the page is not after its output'
say 'the page of the job is at the end of its output, for its user'

theirs=$(submit -w n1 -- sleep 3)
wait_until running "$theirs" || fail 'no other job'
scontrol update JobId="$theirs" AdminComment=mine || fail 'no comment of an administrator'
settle 60
wait_times 8 grep -q "$theirs: not stored: the job already has another comment" $S/syslog ||
	fail 'nothing in syslog of them'
wait_times 3 rests || fail "hooks still work: $(pgrep -af epilog_slurmctld)"
[ "$(comment "$theirs")" = mine ] || fail "an administrator's words: $(comment "$theirs")"

nodometer install-hooks --remove --at $SLURM_CONF slurm >$S/removed || fail "$(cat $S/removed)"
! grep -i 'epilog=\|prolog=\|epilogslurmctld' $SLURM_CONF || fail 'hooks are left in slurm.conf'
finish
