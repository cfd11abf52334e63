#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# install.sh - nodometer install-hooks --apply adds what is missing, once, and loses no byte
set -u
: "${srcdir:=$(dirname "$0")/../..}"
here=$(mktemp -d) || exit 99
trap 'rm -rf "$here"' EXIT
conf=$here/slurm.conf
failed=0
fail()
{
	echo "FAIL: $*"
	failed=$((failed + 1))
}

# apply STATUS [SCHEDULER]: of --apply to $conf, whose text before is in $here/before
apply()
{
	cat "$conf" >"$here/before" 2>/dev/null
	sh "$srcdir/hooks/install-hooks" --apply --at "${3-$conf}" "${2-slurm}" >"$here/out" 2>&1
	got=$?
	[ $got = "$1" ] || fail "$what: status $got, not $1: $(cat "$here/out")"
	[ -z "$(find "$here" -name '*.nodometer-new')" ] || fail "$what: leaves a file behind"
}

lines()
{
	hooks=/usr/libexec/nodometer/hooks/slurm
	printf 'Prolog=%s/prolog\nEpilog=%s/epilog\n' $hooks $hooks
}

# grown BETWEEN: the file is what it was, these bytes, and our two lines
grown()
{
	{ cat "$here/before"; printf %b "$1"; lines; } | cmp -s - "$conf" ||
		fail "$what: $(od -c "$conf" | tail -n 20)"
}
same()
{
	cmp -s "$here/before" "$conf" || fail "$what: the file has changed"
}

# begins with WHAT: the text of the file is stdin
has()
{
	what=$1
	rm -rf "$conf"
	cat >"$conf"
}

printf 'ClusterName=a\n' | has 'a plain file'; apply 0; grown ''
what='a second time'; apply 0; same
printf 'ClusterName=a' | has 'no newline at its end'; apply 0; grown '\n'
printf 'ClusterName=a\n\n\n \n' | has 'empty lines at its end'; apply 0; grown ''
printf 'Nodes=a \\\n' | has 'a line that goes on'; apply 0; grown '\n'
printf 'a\0b\377\n' | has 'bytes that are no text'; apply 0; grown ''
printf '' | has 'an empty file'; apply 0; grown ''
printf '#Prolog=/x\n # Epilog = /x\nPrologFlags=Alloc\nX=1 # Prolog=/y\nprologslurmctld=/z\n' |
	has 'comments and longer names'; apply 0; grown ''
for line in 'Prolog=/other' ' prolog = /other' 'X=1 PROLOG=/other' 'Epilog=/other'; do
	printf '%s\n' "$line" | has "\"$line\""
	apply 1
	grep -q "$line" "$here/out" || fail "$what: it does not say what is there"
	case $line in Epilog*) ;; *) ! grep -q '^Prolog=.*nodometer' "$conf" || fail "$what" ;; esac
done
printf 'include %s/more.conf\nInclude less.conf\n' "$here" | has 'included files'
printf 'Prolog=/other\n' >"$here/more.conf"
printf 'Epilog=/other\nInclude slurm.conf\n' >"$here/less.conf"
apply 1; same
lines >"$here/more.conf"; : >"$here/less.conf"
what='ours in an included file'; apply 0; same
rm -rf "$conf"; what='no file'; apply 1; [ ! -e "$conf" ] || fail "$what: made one"
printf 'A=1\n' | has 'a symbolic link'
mv "$conf" "$here/real.conf" && ln -s real.conf "$conf"; chmod 640 "$here/real.conf"
apply 0; grown ''
[ -L "$conf" ] || fail "$what: replaced"
[ "$(stat -c %a "$here/real.conf")" = 640 ] || fail "$what: other permissions"

if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
	printf 'A=1\n' | has 'a file that may not be written'
	cat "$conf" >"$here/before"
	chmod 755 "$here"; chmod 644 "$conf"
	cp "$srcdir/hooks/install-hooks" "$here/program"
	setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=-all --bounding-set=-all \
		sh "$here/program" --apply --at "$conf" slurm >"$here/out" 2>&1
	[ $? = 1 ] || fail "$what: $(cat "$here/out")"
	same
fi

# Links and files of other schedulers: made once, never replaced.
what='Torque, Flux, HTCondor'
for scheduler in torque htcondor; do
	mkdir "$here/$scheduler"
	apply 0 $scheduler "$here/$scheduler"
	apply 0 $scheduler "$here/$scheduler"
done
apply 1 flux "$here/flux"	# per-rank is left to a person
[ -L "$here/flux/prolog.d/nodometer" ] || fail 'Flux: no link'
[ -L "$here/torque/epilogue.parallel" ] || fail 'Torque: no link'
ln -sf nowhere "$here/torque/prologue"
ln -sf nowhere "$here/htcondor/50-nodometer"
for scheduler in torque htcondor; do apply 1 $scheduler "$here/$scheduler"; done
[ "$(readlink "$here/torque/prologue")" = nowhere ] || fail 'Torque: a link was replaced'
[ "$(readlink "$here/htcondor/50-nodometer")" = nowhere ] || fail 'HTCondor: a link was replaced'
[ $failed = 0 ]
