#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# inside.sh - in the container, run the playbook, then with changes that a site would make, and with
# a mistake
# shellcheck source=../words.sh
. /share/words.sh
cd /share/ansible || exit 1
export ANSIBLE_NOCOLOR=1 ANSIBLE_LOCALHOST_WARNING=0 HOME=/root
printf '[compute]\nlocalhost ansible_connection=local\n' >/tmp/inventory
mkdir -p /etc/slurm && echo ClusterName=c >/etc/slurm/slurm.conf
conf=/etc/nodometer/conf.d/site.conf

# play [OPTION...]: run the example playbook; $changed is the number of tasks that changed something
play()
{
	ansible-playbook -i /tmp/inventory nodes.yml "$@" >/tmp/said 2>&1
	status=$?
	changed=$(sed -n 's/^localhost .* changed=\([0-9]*\).*/\1/p' /tmp/said)
	return $status
}

say 'the playbook on a system without nodometer'
play || { cat /tmp/said; journalctl -qu nodometerd | tail -n 20; die 'the first time'; }
systemctl is-active --quiet nodometerd || fail 'no agent'
systemctl is-enabled --quiet nodometerd || fail 'no agent after the next start'
wait_until nodometer status || fail 'the agent does not answer'
grep -qx 'retain-size = 10G' $conf || fail 'no configuration'
grep -q '^Prolog=/usr/libexec/nodometer/' /etc/slurm/slurm.conf || fail 'no hook'

say 'again'
play || { cat /tmp/said; die 'the second time'; }
[ "$changed" = 0 ] || { cat /tmp/said; fail "the second time changed $changed"; }

say 'another interval'
pid=$(systemctl show -p MainPID --value nodometerd)
play -e '{"nodometer_config": {"agent": {"interval": "1min"}}}' ||
	{ cat /tmp/said; fail 'a change'; }
says_interval() { nodometer status | grep -Eq '^ *interval.* (1 min|60|0:01:00)'; }
wait_until says_interval || { nodometer status; fail 'the agent has the old interval'; }
[ "$(systemctl show -p MainPID --value nodometerd)" = "$pid" ] || fail 'the agent was started anew'

say 'a typing error'
cp $conf /tmp/before
! play -e '{"nodometer_config": {"agent": {"intervall": "1min"}}}' || fail 'it is taken'
grep -q intervall /tmp/said || { cat /tmp/said; fail 'the message does not name it'; }
cmp $conf /tmp/before || fail 'the configuration was replaced'
finish
