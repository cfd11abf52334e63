#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# inside.sh - test a Grid Engine with one host and an agent, in run.sh's container
set -u
W=/tmp/ge
export SGE_ROOT=/var/lib/gridengine SGE_CELL=test SGE_ND=true
cd /tmp || exit 1
# shellcheck source=../words.sh
. "${words:-/tmp/words.sh}"
as_admin() { setpriv --reuid=sgeadmin --regid=sgeadmin --clear-groups "$@"; }
user() { setpriv --reuid=nobody --regid=nogroup --clear-groups "$@"; }

master()
{
	share=/usr/share/gridengine
	lib=/usr/lib/gridengine
	common=$SGE_ROOT/$SGE_CELL/common
	rm -rf "${SGE_ROOT:?}/$SGE_CELL"
	mkdir -p $W/spool/qmaster/job_scripts $W/spool/execd $W/spool/db "$common"
	sed -e "s#/var/spool/gridengine/spooldb#$W/spool/db#" \
		-e "s#/var/spool/gridengine/qmaster#$W/spool/qmaster#" \
		$SGE_ROOT/default/common/bootstrap >"$common/bootstrap"
	echo gehost >"$common/act_qmaster"
	chown -R sgeadmin:sgeadmin $W/spool "${SGE_ROOT:?}/$SGE_CELL"
	sed -e "s#/var/spool/gridengine/execd#$W/spool/execd#" -e 's#^min_[ug]id.*##' \
		-e 's#^load_report_time.*#load_report_time 00:00:02#' \
		$share/default-configuration >$W/conf
	printf 'min_uid 0\nmin_gid 0\n' >>$W/conf
	as_admin $lib/spoolinit berkeleydb libspoolb $W/spool/db init
	as_admin $lib/spooldefaults configuration $W/conf
	as_admin $lib/spooldefaults complexes $share/util/resources/centry
	as_admin $lib/spooldefaults usersets $share/util/resources/usersets
	as_admin $lib/spooldefaults managers sgeadmin root
	sge_qmaster &
	wait_until qconf -sh || die 'no master'
	qconf -as gehost
	qconf -ah gehost
}

# Print the definition of a queue in the format of qconf(1).
queue()
{
	qconf -ssconf | sed -e 's#^schedule_interval.*#schedule_interval 0:0:1#' \
		-e 's#^flush_\(submit\|finish\)_sec.*#flush_\1_sec 1#' >$W/scheduler
	qconf -Msconf $W/scheduler
	printf '%s\n' 'hostname gehost' 'load_scaling NONE' 'complex_values NONE' \
		'user_lists NONE' 'xuser_lists NONE' 'projects NONE' 'xprojects NONE' \
		'usage_scaling NONE' 'report_variables NONE' >$W/host
	qconf -Ae $W/host
	printf 'group_name @allhosts\nhostlist gehost\n' >$W/group
	qconf -Ahgrp $W/group
	qconf -sq | sed -e 's#^qname.*#qname main.q#' -e 's#^hostlist.*#hostlist @allhosts#' \
		-e 's#^slots.*#slots 4#' -e 's#^shell .*#shell /bin/sh#' \
		-e 's#^pe_list.*#pe_list NONE#' \
		-e 's#^load_thresholds.*#load_thresholds NONE#' >$W/queue
	qconf -Aq $W/queue
	sge_execd &
	wait_until ready || { qstat -f; die 'the queue is not ready'; }
}

ready()
{
	[ -n "$(qstat -f | awk '/^main.q/ && NF == 5')" ]
}

idle()
{
	[ -z "$(qstat -u '*')" ]
}

marks()
{
	cat /var/lib/nodometer/*/[0-9]* | grep '^%' | sed 's/ request=[0-9]*\.[0-9]*//'
}

begin_is_marked()
{
	marks | grep -q "^%begin $1 "
}

ended()
{
	marks | grep -q "^%end $1 "
}

# whole JOB: the archive must have one begin and one end of JOB
whole()
{
	got=$(marks | marks_of "$1")
	[ "$got" = '%begin %end ' ] || fail "marks of job $1: $got"
}

mkdir -p $W
chmod 755 $W
(master; queue) >$W/out 2>&1 || { cat $W/out; exit 1; }
nodometerd 2>>$W/agent &
agent=$!
wait_until nodometer status || die 'no agent'
qconf -sconf global >$W/before
nodometer install-hooks --apply gridengine || fail 'install-hooks'
nodometer install-hooks --apply gridengine | grep -q 'nothing to do' || fail 'install-hooks, again'
qconf -sconf | grep '^prolog'
say 'Grid Engine has a queue, and our hooks'

# The node learns of the new prolog when it sends its next load report; submit jobs until then.
probe()
{
	id=$(user qsub -terse -cwd -o /dev/null -j y -b y true) && sleep 3 && begin_is_marked "$id"
}
wait_until probe || fail 'the prolog does not run'
printf '#!/bin/sh\nsleep 0.2\n' >$W/job
printf '#!/bin/sh\nsleep 100\n' >$W/long
chmod 755 $W/job $W/long
# A prolog that runs as root gets all variables that a user sends with a job: they must have no
# effect.
hostile='PATH=/tmp/evil,BASH_ENV=/tmp/evil/env,LD_PRELOAD=/tmp/evil/lib.so,IFS=x'
one=$(user qsub -terse -cwd -o /dev/null -j y -v "$hostile" $W/job)
user qsub -terse -cwd -o /dev/null -j y -t 1-3 $W/job >$W/array
array=$(cut -d. -f1 $W/array)
long=$(user qsub -terse -cwd -o /dev/null -j y $W/long)
for id in "$one" "$array.1" "$array.2" "$array.3"; do
	wait_until ended "$id"
	whole "$id"
done
wait_until begin_is_marked "$long" || fail 'the long job does not start'
user qdel "$long" >/dev/null
wait_until ended "$long"
whole "$long"
marks | grep -q "^%begin $one source=hook user=nobody queue=main.q$" ||
	{ marks; fail "attributes of job $one"; }
say 'a job with a hostile environment, three tasks, one that is killed'

kill -STOP $agent
hung=$(user qsub -terse -cwd -o /dev/null -j y $W/job)
wait_until ended "$hung" || fail 'no end while the agent hangs'
kill -CONT $agent
whole "$hung"
[ -z "$(qstat -f -qs E)" ] || { qstat -f; fail 'the queue is in error state'; }
wait_until idle || { qstat; fail 'jobs are left'; }
say 'the agent stopped while a job ran'

nodometer install-hooks --remove gridengine >$W/out || fail 'install-hooks --remove'
qconf -sconf global | diff $W/before - || fail 'install-hooks --remove leaves something'
say 'hooks removed: the global configuration is as before'
[ $failures = 0 ] || tail -n 20 $W/agent $W/spool/*/messages $W/spool/execd/*/messages
finish
