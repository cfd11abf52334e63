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
	[ -z "$(find "$here" -name '*.nodometer-new')" ] || fail "$what: leaves a file over"
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

unended='# nodometer install-hooks: the line above had no newline at its end'

# begins with WHAT: the text of the file is stdin
has()
{
	what=$1
	rm -rf "$conf"
	cat >"$conf"
}

printf 'ClusterName=a\n' | has 'a plain file'; apply 0; grown ''
what='a second time'; apply 0; same
printf 'ClusterName=a' | has 'no newline at its end'; apply 0; grown "\n$unended\n"
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

# A pattern in place of one program: ours is linked to where it is found.
mkdir "$here/prolog.d" "$here/epilog.d"
printf 'Prolog=%s/prolog.d/*\nEpilog=%s/epilog.d/*.sh\n' "$here" "$here" | has 'patterns'
apply 0; same
for link in prolog.d/nodometer epilog.d/nodometer.sh; do
	case $(readlink "$here/$link") in
	/usr/libexec/nodometer/hooks/slurm/"${link%%.*}") ;;
	*) fail "$what: no $link" ;;
	esac
done
apply 0; grep -q 'is so already' "$here/out" || fail "$what: a second time"
printf 'Prolog=%s/prolog.d/[0-9]*\n' "$here" | has 'a pattern that our name does not match'; apply 1

# What a job of several nodes needs is said where it is missing.
printf 'A=1\n' | has 'no PrologFlags'; apply 0
grep -q 'PrologFlags=Alloc' "$here/out" || fail "$what: not said"
for flags in Alloc Contain,DeferBatch X11; do
	printf 'PrologFlags=%s\n' "$flags" | has "PrologFlags=$flags"; apply 0
	! grep -q 'PrologFlags=Alloc' "$here/out" || fail "$what: said all the same"
done

# remove STATUS SCHEDULER PATH
remove()
{
	sh "$srcdir/hooks/install-hooks" --remove --at "$3" "$2" >"$here/out" 2>&1
	got=$?
	[ $got = "$1" ] || fail "$what: --remove: status $got, not $1: $(cat "$here/out")"
	[ -z "$(find "$here" -name '*.nodometer-new')" ] || fail "$what: leaves a file over"
}

# Whatever --apply did is undone, and nothing else.
printf 'A=1\nB=2\n' | has 'lines'
apply 0
remove 0 slurm "$conf"
same
remove 0 slurm "$conf"
same
for text in A=1 'A=1\nB=\377\0\377'; do
	# shellcheck disable=SC2059 # it is a format
	printf "$text" | has 'no newline at its end'
	apply 0
	cp "$here/before" "$here/first"
	apply 0
	remove 0 slurm "$conf"
	cmp "$here/first" "$conf" || fail "$what: not restored"
done
printf 'Prolog=%s/prolog.d/*\nEpilog=%s/epilog.d/*.sh\n' "$here" "$here" | has 'links'
touch "$here/prolog.d/other"
remove 0 slurm "$conf"
[ "$(find "$here/prolog.d" "$here/epilog.d" ! -type d)" = "$here/prolog.d/other" ] ||
	fail "$what: $(find "$here/prolog.d" "$here/epilog.d")"
mkdir "$here/undone"
what='HTCondor'
apply 0 htcondor "$here/undone"
remove 0 htcondor "$here/undone"
[ -z "$(ls "$here/undone")" ] || fail "$what: not removed"
apply 0 htcondor "$here/undone"
echo '# mine' >>"$here/undone/50-nodometer"
remove 1 htcondor "$here/undone"
[ -s "$here/undone/50-nodometer" ] || fail "$what: removed what was changed"
what='Torque'
apply 0 torque "$here/undone"
rm "$here/undone/prologue"
echo mine >"$here/undone/prologue"
remove 0 torque "$here/undone"
[ "$(ls "$here/undone")" = '50-nodometer
prologue' ] || fail "$what: $(ls "$here/undone")"

# A misspelt word: what was meant.
for word in slrum:slurm torq:torque fluxx:flux --aply:--apply; do
	sh "$srcdir/hooks/install-hooks" "${word%:*}" slurm >"$here/out" 2>&1
	sh "$srcdir/hooks/install-hooks" "${word%:*}" >>"$here/out" 2>&1
	[ $? = 2 ] || fail "$word: no wrong usage"
	grep -q "did you mean ${word#*:}?" "$here/out" || fail "$word: $(cat "$here/out")"
done
sh "$srcdir/hooks/install-hooks" --apply --remove slurm >/dev/null 2>&1
[ $? = 2 ] || fail 'both --apply and --remove'

# Grid Engine: qconf shows long lines broken by backslashes, and takes whole ones.
mkdir "$here/bin"
cat >"$here/bin/qconf" <<'END'
#!/bin/sh
case $1 in
-sconf) sed 's/ \(\/usr\/libexec\|\$job_id\)/ \\\n                             \1/g' "$QCONF" ;;
-Mconf) cat "$2" >"$QCONF" ;;
esac
END
chmod +x "$here/bin/qconf"
QCONF=$conf
export QCONF
with_qconf()
{
	PATH=$here/bin:$PATH sh "$srcdir/hooks/install-hooks" "$@" gridengine >"$here/out" 2>&1
	got=$?
}
printf 'a  1\nprolog  none\nepilog  NONE\nb  2\n' | has 'Grid Engine'
with_qconf --apply
[ "$got $(cut -d' ' -f1 "$conf" | tr '\n' ' ')" = '0 a prolog epilog b ' ] ||
	fail "$what: $(cat "$conf")"
grep -q '^prolog root@.*/prolog .job_id ' "$conf" || fail "$what: no prolog"
cp "$conf" "$here/before"
with_qconf --apply; same
grep -q 'is so already' "$here/out" || fail "$what: a second time: status $got"
with_qconf --remove
printf 'a  1\nprolog none\nepilog none\nb  2\n' >"$here/before"; same
with_qconf --remove; same
[ $got = 0 ] || fail "$what: removed twice"
printf 'prolog  root@/usr/bin/env -i /usr/libexec/other\nepilog  none\n' |
	has "Grid Engine with another's prolog"
cp "$conf" "$here/before"
with_qconf --apply; same
[ $got = 1 ] || fail "$what: status $got"
with_qconf --remove; same

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
