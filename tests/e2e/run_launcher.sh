#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# run_launcher.sh - nodometer run finds ranks and nodes, whether it starts a launcher or a launcher
# starts it
. "$(dirname "$0")/run_lib.sh"

# With a launcher, each rank finds its number and its node's name in the environment.
mkdir bin
cat >bin/srun <<'SRUN'
#!/bin/sh
# this fake launcher starts -n RANKS ranks on two nodes
[ "$1" = -n ] || exit 99
n=$2 i=0
shift 2
export SLURM_JOB_ID=4711 SLURM_STEP_ID=3 SLURM_STEP_NUM_NODES=2
export SLURM_STEP_TASKS_PER_NODE="$((n / 2))(x2)"
echo "$*" >srun.words
while [ $i -lt "$n" ]; do
	SLURM_PROCID=$i SLURM_NODEID=$((i % 2)) SLURMD_NODENAME=n$((i % 2)) "$@" &
	i=$((i + 1))
done
wait
find wrapped -path '*/.run-*/*/*' ! -name .began >srun.left 2>/dev/null
SRUN
chmod 755 bin/srun
PATH=$PWD/bin:$PATH
for_receivers .
# shellcheck disable=SC2016
run -i 50ms -o wrapped -- srun -n 8 sh -c '
	perl -e "1 while (times)[0] < 0.03"; echo $SLURM_PROCID' >out 2>page
is 'launched: status' $? 0
is 'launched: ranks' "$(sort out | tr '\n' ' ')" '0 1 2 3 4 5 6 7 '
grep -q -- ' --rank-of srun-.* -- sh -c ' srun.words || fail "launched: $(cat srun.words)"
# The report waits until the samplers of both nodes have ended. The host of the launcher has no
# sampler.
[ ! -s srun.left ] || fail "launched: at the launcher's end there was $(cat srun.left)"
is 'launched: pages' "$(grep -c '^Job [^i]' page)" 1
grep -q '^  nodes  *2.*: n0, n1' page || fail "launched: $(cat page)"
is 'launched: begins, ends' "$(begins wrapped) $(ends wrapped)" '2 2'
awk -v cpu="$(value wrapped job.cpu)" 'BEGIN { exit !(cpu > 0.22 && cpu < 4) }' ||
	fail "launched: CPU time $(value wrapped job.cpu) s"
# shellcheck disable=SC2086
srun -n 6 $as "$bin/nodometer" run -i 50ms -o ranks -- \
	sh -c 'sleep 0.$SLURM_PROCID; [ $SLURM_PROCID != 2 ] || exit 5' >out 2>page
is 'ranks: pages' "$(grep -c '^Job [^i]' page)" 1
grep -q '^Job 4711.3\( \|$\)' page || fail "ranks: $(cat page)"
is 'ranks: begins, ends' "$(begins ranks) $(ends ranks)" '2 2'
is 'ranks: one of a node fails' \
	"$(cat ranks/n[01]/[0-9]* | grep -ao 'exit=[0-9:]* state=[A-Z]*' | tr '\n' ' ')" \
	'exit=5:0 state=FAILED exit=0:0 state=COMPLETED '
[ -z "$(find ranks wrapped -name '.run*')" ] || fail 'ranks: something is left'
# If the launcher has an unknown option, which may take a value or not, its command line is not
# changed.
printf '#!/bin/sh\necho "$@"\n' >bin/mpirun && chmod 755 bin/mpirun
is 'unknown option' "$(run -q -o unknown mpirun --new-option 5 ./a 2>page)" '--new-option 5 ./a'
grep -q 'unknown option' page || fail "unknown option: $(cat page)"
is 'known options' "$(run -q -o known mpirun -np 4 --mca a b -x V=1 --host=x ./a : -n 2 ./b |
	sed 's,[^ ]*/nodometer-run --rank-of [^ ]* --dir [^ ]* --,RUN,g')" \
	'-np 4 --mca a b -x V=1 --host=x RUN ./a : -n 2 RUN ./b'
