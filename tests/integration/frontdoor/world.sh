# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# world.sh - make the files, servers and jobs that the manual pages' commands expect on the node
# where inside.sh runs
#
# The node is n1. It also has folders of n2, n3 and storage1, and answers ssh to these nodes, vm,
# and collector.example.org. Fakes replace sacct, which needs a database, and the programs of a
# site.
export MAKEFLAGS=-j2 CFLAGS=-O0 SLURM_JOB_ID=95 SLURM_JOB_USER=ann USER=ann SLURM_JOB_STDOUT=/home/ann/out

# program NAME: make an executable script NAME, a program of the site, from standard input
program()
{
	{ echo '#!/bin/sh'; cat; } >"$1"
	chmod 755 "$1"
}

# slurm: start a Slurm controller for nodes that do not exist, so that sinfo lists them
slurm()
{
	mkdir -p /etc/slurm-llnl /etc/slurm /var/spool/slurmctld
	cat >/etc/slurm/slurm.conf <<-'CONF'
	ClusterName=test
	SlurmctldHost=localhost
	SlurmUser=root
	AuthType=auth/munge
	SlurmctldLogFile=/var/log/slurmctld.log
	StateSaveLocation=/var/spool/slurmctld
	SlurmctldPidFile=/run/slurmctld.pid
	NodeName=n[1-3] NodeHostname=n[1-3] NodeAddr=127.0.0.1
	PartitionName=all Nodes=n[1-3] Default=YES
	CONF
	cp /etc/slurm/slurm.conf /etc/slurm-llnl/slurm.conf
	systemctl start munge && slurmctld && wait_until timeout 2 sinfo -h || {
		tail /var/log/slurmctld.log
		return 1
	}
}

# ssh_to_all: let root log in to each node by ssh with a key
ssh_to_all()
{
	mkdir -p -m 700 /root/.ssh /run/sshd
	ssh-keygen -q -t ed25519 -N '' -f /root/.ssh/id_ed25519
	cp /root/.ssh/id_ed25519.pub /root/.ssh/authorized_keys
	printf 'Host *\nStrictHostKeyChecking no\nLogLevel ERROR\n' >/root/.ssh/config
	systemctl start ssh
	wait_until ssh n1 true
}

world()
{
	ip link set lo up
	# Slurm requires an address that is not a loopback address
	ip address add 10.77.0.1/24 dev lo
	echo '127.0.0.1 localhost n1 n2 n3 storage1 vm collector.example.org' >/etc/hosts
	useradd -m ann
	chmod 755 /root
	git clone -q file:///srv/nodometer /root/clone || return 1
	mkdir -p /scratch/7 /scratch/4711 /data
	program /usr/local/bin/send2monitor <<<'exec cat >/tmp/monitored'
	program /usr/local/bin/sendmail <<<'exec cat >/tmp/mail'
	program ./program <<<'exec sleep 1'
	program /usr/local/bin/sacct <<-'END'
	echo 'JobID|JobIDRaw|JobName|User|Account|Partition|State|ExitCode'
	for job in 4711 1981063; do echo "$job|$job|solver|ann|physics|all|COMPLETED|0:0"; done
	END
	victoria-metrics -storageDataPath=/var/tmp/vm -retentionPeriod=100y 2>/dev/null &
	ssh_to_all && slurm && wait_until curl -s http://vm:8428/
}

# recorded: make hour.dat, a recording with two of MONITOR's classes
recorded() { nodometer monitor modes,disk --record hour.dat --interval 1 --end +2 2>/dev/null; }

# The following functions are work for commands that run until they are ended.
connecting() { for _ in $(seq 10); do curl -s http://vm:8428/ >/dev/null && sleep 0.2; done; }

# in_job ID COMMAND...: run COMMAND in the cgroup of Slurm job ID
in_job()
(
	export SLURM_JOB_ID=$1
	group=/sys/fs/cgroup/system.slice/slurmstepd.scope/job_$1/step_0/user/task_0
	shift
	mkdir -p "$group" && echo $BASHPID >"$group/cgroup.procs" && exec "$@"
)

# working FOLDER [JOB]: write and read files in FOLDER as soon as it is traced
working()
{
	wait_until mountpoint -q "$1" &&
		in_job "${2:-97}" sh -ec 'echo text >"$1/file"; cat "$1/file" >/dev/null' - "$1" &&
		umount "$1" && wait_until ended
}
ended() { ! kill -0 "$pid"; }

# receiving FOLDER: call working FOLDER once a receiver runs
receiving() { wait_until bound 26CA && working "$1"; }

# topping: let a job use CPU time until top has shown two pages; when top ends, jq gets them
topping()
{
	in_job 97 sh -c 'while :; do :; done' & job=$!
	nodometer begin --strict 97 && sleep 25
	kill $job && pkill -x nodometer-top && sleep 0.5
}

# received: wait until the receiver in the background of the page's command has data
received()
{
	wait_until grep -q '"filename":"/data/file"' "$out" || problem 'nothing received'
	pkill -x nodometer-xroot
	wait_until unbound 26CA
}

# delivered: check that VictoriaMetrics has data of n1
delivered()
{
	curl -s http://vm:8428/internal/force_flush
	curl -s http://vm:8428/api/v1/export -d 'match[]={host="n1"}' -d start=0 | grep -q cpu ||
		problem 'nothing is there'
}

# accessing: as XRootD server server1, send an identification and the open and close of a file by
# user ann
accessing() { wait_until bound 26CA && packets && wait_until taken 26CA; }
capturing() { wait_until grep -q 'listening on' "$err" && packets && sleep 1; }
packets()
{
	perl -MSocket -e '
		socket(my $s, PF_INET, SOCK_DGRAM, 0) or die;
		my $ident = pack("N", 0) . "ann.1:2\@server1.example.org\n&pgm=xrootd&ver=5.5&inst=a&port=1094&site=X";
		my $user = pack("N", 3) . "xroot/ann.1:2\@client\n&p=xroot&n=ann&h=client&o=&r=&g=&m=&I=4";
		my $time = pack("CCnnnNNQ>", 2, 1, 24, 0, 2, time - 5, time, 2);
		my $open = pack("CCnNQ>Na8", 1, 1, 28, 7, 5, 3, "/f/7");
		my $close = pack("CCnNQ>Q>Q>", 0, 0, 32, 7, 700, 0, 0);
		for (["=", $ident], ["u", $user], ["f", $time . $open . $close]) {
			my ($code, $text) = @$_;
			send($s, pack("aCnN", $code, 0, 8 + length($text), 1) . $text, 0,
				pack_sockaddr_in(9930, INADDR_LOOPBACK)) or die;
		}'
}

# summarizing: send a summary packet of an XRootD server
summarizing()
{
	wait_until bound 0D05 || return 1
	printf '%s' '<statistics tod="1795132800" ver="v5.5.3" src="server1:1094" tos="1795132000"' \
		' pgm="xrootd" ins="a" pid="7" site="X"><stats id="info"><host>server1</host>' \
		'<port>1094</port><name>a</name></stats></statistics>' >/dev/udp/127.0.0.1/3333
	wait_until test -s /tmp/monitored
}

# PORT is hexadecimal. bound PORT: the port is open; unbound PORT: it is closed; taken PORT: its
# socket has nothing left to read.
taken() { awk -v port=":$1\$" '$2 ~ port && $5 !~ /:0+$/ { exit 1 }' /proc/net/udp /proc/net/udp6; }
bound() { grep -q ":$1 " /proc/net/udp /proc/net/udp6; }

unbound() { ! bound "$1"; }

# The following functions prepare for a command.
begun() { nodometer begin --strict "${1:-$SLURM_JOB_ID}"; }
unknown()
{
	systemctl stop nodometerd && userdel -f "$1"
	! getent group "$1" >/dev/null || groupdel "$1"
}

# known: make the user that a command created the owner of the archive, and start the agent
known()
{
	chown -R nodometer:nodometer /var/lib/nodometer /central/archive &&
		systemctl start nodometerd
}

# sink: configure the sink that the first display of nodometer-archive(7) shows
sink() { cp "$share/commands.text/nodometer-archive.7.1" /etc/nodometer/conf.d/sink.conf; }
arrives() { wait_until test -s "/central/archive/n1/$(newest)" || problem 'nothing arrives'; }
newest() { basename "$(ls -t /var/lib/nodometer/n1/[0-9]* | grep -v zst | head -n 1)"; }
# summed: send an access, and wait until its minute is over
summed()
{
	timeout 5 nodometer xrootd -p 9930 --raw --final -o /var/lib/nodometer-xrootd/ 2>/dev/null &
	receiver=$!
	accessing
	wait $receiver
	[ $? = 124 ]
}
aged() { touch -d '500 days ago' /central/archive/n1/1600000000.zst; }
silent() { mkdir -p /central/archive/gone && touch -d '2 days ago' /central/archive/gone; }
