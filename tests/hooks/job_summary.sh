#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# job_summary.sh - Slurm's hooks put a job's summary into its AdminComment, and the report below the
# job's output
. "$(dirname "$0")/run_lib.sh"
install_hooks slurm/epilog_slurmctld slurm/task_epilog

# played PROGRAM TEXT: replace PROGRAM, such as sacct, sleep or logger, by a script with TEXT
played()
{
	printf '#!/bin/sh\n%s\n' "$2" >"$here/slurm_bin/$1"
	chmod +x "$here/slurm_bin/$1"
}

# summary FIRST THEN RECORD [VARIABLES]: run slurmctld's epilog. The archive gives FIRST when the
# hook first asks it about the job, and THEN from the second time on; the database has RECORD.
# Arguments of sacctmgr are written to $here/kept, messages to syslog to $here/syslog.
summary()
{
	rm -f "$here/kept" "$here/syslog" "$here/asked"
	fake_is "echo x >>$here/asked; test -s $here/asked.more && cat $here/then || cat $here/first
		cp $here/asked $here/asked.more"
	rm -f "$here/asked.more"
	printf '%s\n' "$1" >"$here/first"
	printf '%s\n' "$2" >"$here/then"
	played sacct "test -e $here/kept && cat $here/now || echo '$3'"
	# shellcheck disable=SC2086 # a list of variables
	env -i PATH="$here/slurm_bin:$PATH" SLURM_JOB_ID=7 SLURM_JOB_NUM_NODES=2 ${4-} \
		sh "$here/slurm/epilog_slurmctld" work || fail "epilog_slurmctld: status $?"
}

if command -v flock >/dev/null && command -v base64 >/dev/null && command -v gzip >/dev/null; then
	mkdir "$here/slurm_bin"
	chmod +x "$here/slurm/epilog_slurmctld"
	played sleep 'exit 0'
	# shellcheck disable=SC2016 # the fake expands them
	played timeout 'echo "$1 $2" >>'"$here/limits; exec $(command -v timeout)"' "$@"'
	played logger "echo \"\$*\" >>$here/syslog"
	# shellcheck disable=SC2016 # it expands them
	played sacctmgr 'echo "$5 ${7%%:*}" >>'"$here/kept"'
		printf "@1|%s\n" "${7#AdminComment=}" >'"$here/now"'
		printf "%s\n" "${7#*JS1:}" | base64 -d | gzip -dc >>'"$here/kept"
	one='{"nodes":{"n1":{"cpus":1}}}' two='{"nodes":{"n1":{"cpus":1},"n2":{"cpus":1}}}'
	summary "$one" "$two" '@1|'
	[ "$(cat "$here/kept")" = "jobid=7 AdminComment=JS1
$two" ] || fail "AdminComment: $(cat "$here/kept" "$here/syslog")"
	[ ! -e "$here/syslog" ] || fail "AdminComment: $(cat "$here/syslog")"
	summary "$one" "$one" '@1|JS1:old' 'SLURM_ARRAY_JOB_ID=7 SLURM_ARRAY_TASK_ID=3'
	[ "$(cat "$here/kept")" = "jobid=7_3 AdminComment=JS1
$one" ] || fail "AdminComment of a task: $(cat "$here/kept" "$here/syslog")"
	summary none none '@1|'
	[ "$(cat "$here/syslog" "$here/kept" 2>/dev/null)" = \
		'-t nodometer AdminComment of job 7: none' ] ||
		fail 'AdminComment of a job without records'
	summary "$two" "$two" '@1|of somebody'
	for file in kept asked; do
		[ ! -e "$here/$file" ] || fail 'AdminComment of somebody is lost'
	done
	summary "$two" "$two" ''
	[ ! -e "$here/kept" ] || fail 'AdminComment of a job that the database does not have'
	played sacctmgr "echo \"\$7\" >>$here/kept; echo '@1|js1:small' >$here/now"
	summary "$two" "$two" '@1|'
	[ "$(tail -n 1 "$here/kept")" = AdminComment= ] || fail 'small letters stay'

	for limit in '60 sacct' '60 sacctmgr' '90 flock'; do
		grep -qx "$limit" "$here/limits" || fail "epilog_slurmctld: no \"timeout $limit\""
	done

	# The hook must not make slurmctld wait for the database or the archive. When the hook ends,
	# slurmctld kills the hook's process group; a background process that starts late may still
	# be in it.
	played sacct 'exec sleep 1000'
	played sleep "echo \$PPID >>$here/waits; exec $(command -v sleep) 1000"
	if command -v setsid >/dev/null && setsid --help 2>&1 | grep -q -e --fork; then
		played setsid "{ $(command -v sleep) 0.3; exec $(command -v setsid) \"\$@\"; } &"
		setsid env -i PATH="$here/slurm_bin:$PATH" SLURM_JOB_ID=7 \
			sh "$here/slurm/epilog_slurmctld" >"$here/said" 2>&1 &
		wait $! || fail "slurmctld gets status $?"
		kill -KILL "-$!" 2>/dev/null
		out=$(cat "$here/said")
		[ -z "$out" ] || fail "epilog_slurmctld: $out"
		for _ in $(seq 600); do [ ! -s "$here/waits" ] || break; sleep 0.1; done
		pid=$(sed -n 's/^PPid:[[:space:]]*//p' "/proc/$(cat "$here/waits")/status")
		kill "$pid" || fail 'no process waits for the records'
		grep -qxF -e '-k 5' "$here/limits" || fail 'epilog_slurmctld: work without a limit'
	fi
else
	echo 'skipped: AdminComment: no flock, base64 or gzip'
fi

# The report follows the output of a batch script, but not of other steps.
fake_is 'echo "page of $3"; echo no >&2'
page()
{
	{ env -i SLURM_JOB_ID=7 "$@" sh "$here/slurm/task_epilog" >/dev/null; } 2>&1
}
[ "$(page)$(page SLURM_STEP_ID=4294967291)$(page SLURM_STEP_ID=0)" = 'page of 7page of 7' ] ||
	fail "the page of a job: $(page)"
fake_is 'exit 1'
page || fail "task_epilog: status $?"
[ $failed = 0 ]
