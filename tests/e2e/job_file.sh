#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# job_file.sh - the agent takes the job from the one-line job file that sites write themselves
. "$(dirname "$0")/lib.sh"

job_file=$scratch/stats/jobid
mkdir "$scratch/stats"
write_config "job-file = $job_file"

soon_marks_are() {
	wait_until 5 marks_say "$1"
}
mark_is() {
	[ "$(marks | tail -n 1)" = "$1" ]
}
marks_say() {
	[ "$(marks | tr '\n' ' ')" = "$1 " ]
}
last_jobs_are() {
	is "jobs" "$(last_jobs)" "$1"
}

start_agent
is "marks" "$(marks)" ""
echo 301 >"$job_file"
soon_marks_are "%begin 301"
last_jobs_are 301

# Writing the same id again makes no mark; a new id ends the previous job in the record group that
# begins the new job.
echo 301 >"$job_file"
expect 0 nodometer collect
n=$(groups | wc -l)
echo 302 >"$job_file"
soon_marks_are "%begin 301 %end 301 %begin 302"
is "groups" "$(groups | wc -l)" $((n + 1))
last_jobs_are 301,302
expect 0 nodometer collect
last_jobs_are 302

# "-" in the job file ends the file's job, but not a job that a hook began.
expect 0 nodometer begin 303
echo - >"$job_file"
soon_marks_are "%begin 301 %end 301 %begin 302 %begin 303 %end 302"
expect 0 nodometer collect
last_jobs_are 303
expect 0 nodometer end 303

# The job file may be replaced by rename, may lack a newline, and may be removed.
printf 304 >"$job_file.new"
mv "$job_file.new" "$job_file"
wait_until 5 mark_is "%begin 304"
rm "$job_file"
wait_until 5 mark_is "%end 304"

# A file that was moved away counts as removed.
echo 308 >"$job_file"
wait_until 5 mark_is "%begin 308"
mv "$job_file" "$job_file.old"
wait_until 5 mark_is "%end 308"
expect 0 nodometer collect
last_jobs_are -

# Garbage of any length is no job, and the agent continues.
n=$(groups | wc -l)
awk 'BEGIN { for (i = 0; i < 3000; i++) printf "%c", i % 255 + 1 }' >"$job_file"
echo 'a,b' >"$job_file"
printf '\n\n' >"$job_file"
: >"$job_file"
awk 'BEGIN { for (i = 0; i < 1000000; i++) printf "7" }' >"$job_file"
printf '%0128d\n' 5 >"$job_file"
expect 0 nodometer collect
is "groups" "$(groups | wc -l)" $((n + 1))
last_jobs_are -
echo 305 >"$job_file"
wait_until 5 mark_is "%begin 305"
awk 'BEGIN { for (i = 0; i < 1000000; i++) printf "7" }' >"$job_file"
wait_until 5 mark_is "%end 305"

# The job file may be a link to a file that the link's owner cannot read: no text of that file may
# become a mark.
echo 299 >"$scratch/secret"
ln -s "$scratch/secret" "$job_file.new"
mv "$job_file.new" "$job_file"
expect 0 nodometer collect
rm "$job_file"
echo 307 >"$job_file"
wait_until 5 mark_is "%begin 307"
is "marks of what a link leads to" "$(count 299)" 0
echo - >"$job_file"
wait_until 5 mark_is "%end 307"

# A job in the job file when the agent starts owns this node.
stop_agent
echo 306 >"$job_file"
start_agent
wait_until 5 mark_is "%begin 306"
stop_agent
echo - >"$job_file"
start_agent
wait_until 5 mark_is "%end 306"
stop_agent

# A job file that a reload adds to the configuration is read at once.
write_config
echo 309 >"$job_file"
start_agent
expect 0 nodometer collect
mark_is "%end 306" || fail "marks: $(marks)"
write_config "job-file = $job_file"
kill -s HUP "$agent"
wait_until 5 mark_is "%begin 309"
stop_agent
whole_archive
