#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# inside.sh - in run.sh's copy of this system, make mistakes one by one; install-hooks --verify must
# report each mistake
set -u
nodes='n1 n2'
export cpus=4
S=/tmp/slurm
export SLURM_CONF=$S/slurm.conf
cd /tmp || exit 1
# shellcheck source=../words.sh
. "${words:-/tmp/words.sh}"
# shellcheck source=../slurm.sh
. "${slurm:-/tmp/slurm.sh}"

# as_it_should_be: write a configuration of Slurm that has no mistake
as_it_should_be()
{
	configure "$with_hooks"
}
changed() { sed -i "$1" $SLURM_CONF; }
# ready: succeed if no job is left and all nodes are idle. Set a drained node to "down" and back,
# which ends all jobs on it.
ready()
{
	states=$(sinfo -h -N -o '%N %T' | sort -u)
	for n in $(echo "$states" | awk '$2 ~ /^(drain|down)/ { print $1 }'); do
		scontrol update NodeName="$n" State=DOWN Reason=mended
		scontrol update NodeName="$n" State=RESUME
		stop_daemon "$n"
		daemon "$n"
	done
	[ "$states" = $'n1 idle\nn2 idle' ] && [ -z "$(squeue -h)" ]
}

# reconfigured: restart slurmd, so that it reads its configuration; it may miss a request to read it
# again
reconfigured()
{
	for n in $nodes; do stop_daemon "$n"; done
	scontrol reconfigure
	for n in $nodes; do daemon "$n"; done
	wait_until ready || { sinfo -N -o '%N %T %E'; squeue; die 'Slurm has no idle nodes'; }
}

# verified STATUS: install-hooks --verify must exit with STATUS; its output is in $S/said
verified()
{
	before=$(date +%s)
	timeout 100 nodometer install-hooks --verify slurm >$S/said 2>&1
	got=$?
	[ $got = "$1" ] || { cat $S/said; fail "$what: status $got, not $1"; }
	! squeue -h -o %t 2>/dev/null | grep -v CG || { squeue; fail "$what: it leaves a job"; }
	say "$what: $(($(date +%s) - before)) s"
}

# names PATTERN...: install-hooks --verify must fail and print a line for each PATTERN
names()
{
	verified 1
	for pattern; do
		grep -q "$pattern" $S/said || { cat $S/said; fail "$what: does not say: $pattern"; }
	done
}

# do not look at cgroups: another Slurm of this machine may have jobs with the same ids
agents 'job-cgroups = no'
munge_up
start "$with_hooks"
say 'Slurm has two idle nodes'

what='nothing wrong'
verified 0
for n in $nodes; do
	grep -q "^$n: begin and end of job" $S/said || { cat $S/said; fail "$what: $n not named"; }
done

what='slurm.conf has no Prolog'
changed '/^Prolog=/d'
reconfigured
names "^$SLURM_CONF has no Prolog: nodometer install-hooks --apply slurm" \
	'^n1: no begin: Slurm has no Prolog' '^n2: no begin: Slurm has no Prolog'
! grep -q 'are marked\|no end' $S/said || { cat $S/said; fail "$what: more than a begin"; }

what='the controller has not read the Prolog'
as_it_should_be
names "^$SLURM_CONF has Prolog=$hooks/prolog, slurmctld uses none: scontrol reconfigure"

what='slurm.conf has no Epilog'
changed '/^Epilog=/d'
reconfigured
names "^$SLURM_CONF has no Epilog: nodometer install-hooks --apply slurm" \
	'^n1: no end: Slurm has no Epilog' '^n2: no end: Slurm has no Epilog'
! grep -q 'are marked\|no begin' $S/said || { cat $S/said; fail "$what: more than an end"; }

what='PrologFlags lacks Alloc'
as_it_should_be
changed '/^PrologFlags=/d'
reconfigured
names '^n2: no begin: PrologFlags lacks Alloc'
! grep -q '^n1: no' $S/said || fail "$what: something about n1"

what='a misspelt path'
as_it_should_be
changed 's|^Prolog=.*|Prolog=/usr/libexec/nodometer/hooks/slurm/prologue|'
reconfigured
names 'prologue: no such file'

what='a hook that may not be executed'
as_it_should_be
chmod 644 $hooks/epilog
reconfigured
names 'is not executable'
chmod 755 $hooks/epilog

# site LINE...: write the site's own prolog with these lines
site()
{
	printf '%s\n' '#!/bin/sh' "$@" >/tmp/prolog
	chmod 755 /tmp/prolog
	as_it_should_be
	changed 's|^Prolog=.*|Prolog=/tmp/prolog|'
	reconfigured
}

what="a site's prolog without a line of ours"
site 'exit 0'
names '^n1: no begin: Prolog=/tmp/prolog runs no hook of nodometer' \
	'^n2: no begin: Prolog=/tmp/prolog runs no hook of nodometer'

what="a site's prolog that ends before our line"
site 'test "$SLURMD_NODENAME" = n1 || exit 0' "if [ -x $hooks/prolog ]; then $hooks/prolog; fi"
names "^n2: no begin: /tmp/prolog did not reach the line that runs $hooks/prolog"
! grep -q '^n1: no' $S/said || fail "$what: something about n1"

what='a hook that does not run as root'
site "setpriv --reuid=65534 --regid=65534 --clear-groups $hooks/prolog"
names '^n1: no begin: the agent refused it to user 65534: hooks must run as root'

what='a copy of the hook that looks for nodometer elsewhere'
sed 's|^nodometer=[^[:space:]]*|nodometer=/opt/bin/nodometer|' $hooks/prolog >/tmp/copy
chmod 755 /tmp/copy
site 'exec /tmp/copy'
names '^n1: no begin: /tmp/copy runs /opt/bin/nodometer, which does not exist'
! grep -q 'no end' $S/said || fail "$what: something about the epilog"

as_it_should_be
reconfigured
what='no agent on a node'
stop_agent n2
names '^n2: no agent is running: systemctl start nodometerd'
! grep -q '^n1: no' $S/said || fail "$what: something about n1"

what='an agent that reads another configuration'
cp /etc/nodometer/n2.conf $S/other.conf
sed -i 's|^runtime-dir.*|runtime-dir = /run/other|' $S/other.conf
agent n2 $S/other.conf
names '^n2: no agent uses /etc/nodometer/n2.conf, the configuration of the hooks' \
	"one runs with --config $S/other.conf"
stop_agent n2
agent n2

what='a node whose slurm.conf is an old one'
sed '/^Epilog=/d' $SLURM_CONF >$S/old.conf
stop_daemon n2
daemon n2 $S/old.conf
wait_until ready
names "^n2: no end: $S/old.conf of this node has no Epilog=$hooks/epilog: copy slurm.conf to it"

what='a slurmd that has not read slurm.conf'
stop_daemon n2
changed '/^Epilog=/d'
daemon n2
wait_until ready
as_it_should_be
stop_daemon slurmctld
daemon slurmctld
wait_until ready
names "^n2: no end: slurmd does not run $hooks/epilog yet: scontrol reconfigure"

what='a node that is down'
reconfigured
stop_daemon n2	# otherwise n2 would become idle when it registers again: ReturnToService
scontrol update NodeName=n2 State=DOWN Reason='broken fan'
timeout 100 nodometer install-hooks --verify slurm -w n2 >$S/said 2>&1 && fail "$what: status 0"
grep -q '^n2: down: broken fan' $S/said || { cat $S/said; fail "$what: not said"; }
daemon n2
wait_until ready

what='all mended'
verified 0
what='no controller'
stop_daemon slurmctld
timeout 30 nodometer install-hooks --verify slurm >$S/said 2>&1
got=$?; [ $got = 1 ] || fail "$what: status $got"
grep -q '^install-hooks: slurmctld does not answer' $S/said || { cat $S/said; fail "$what"; }
say "$what"
finish
