#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# install_usage.sh - install-hooks accepts other names of schedulers, and explains what is wrong
# with arguments
. "$(dirname "$0")/install_lib.sh"

# With a wrong value of --at, nothing is written, and the message says what the value should be.
mkdir "$here/place"
for scheduler in slurm torque htcondor flux pbs gridengine lsf; do
	for option in --apply --remove ''; do
		what="$scheduler $option --at"
		# shellcheck disable=SC2086 # no word, or one
		hooks 1 $option --at "$here/place/none" $scheduler
		case $(cat "$here/out") in
		"install-hooks: --at $here/place/none: not "*) ;;
		*) fail "$what: $(cat "$here/out")" ;;
		esac
	done
done
[ -z "$(ls "$here/place")" ] || fail "a wrong --at: $(ls "$here/place")"
what='a folder for slurm.conf'
hooks 1 --apply --at "$here/place" slurm
says 'for slurm, name slurm.conf itself'

for word in sge:gridengine ge:gridengine SGE:gridengine condor:htcondor HTCondor:htcondor \
	openpbs:pbs pbspro:pbs slurmctld:slurm flux-core:flux; do
	what=$word
	hooks 0 "${word#*:}"
	mv "$here/out" "$here/usual"
	hooks 0 "${word%:*}"
	cmp -s "$here/usual" "$here/out" || fail "${word%:*}: $(cat "$here/out")"
done

for word in slrum:slurm torq:torque fluxx:flux opnpbs:openpbs condr:condor grid_engine:gridengine \
	--aply:--apply --verfy:--verify; do
	what=$word
	"$here/nodometer" install-hooks "${word%:*}" slurm >"$here/more" 2>&1
	hooks 2 "${word%:*}"
	cat "$here/more" >>"$here/out"
	says "did you mean ${word#*:}?"
done
what='two of a kind'
hooks 2 --apply --remove slurm
hooks 2 slurm pbs
[ $failed = 0 ]
