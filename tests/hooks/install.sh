#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# install.sh - nodometer install-hooks --apply adds what is missing, all or nothing, and loses no
# byte
set -u
: "${srcdir:=$(dirname "$0")/../..}"
here=$(mktemp -d) || exit 99
trap 'rm -rf "$here"' EXIT
cp nodometer nodometer-commands "$here" && install "$srcdir/hooks/install-hooks" \
	"$here/nodometer-install-hooks" || exit 99	# as installed: side by side
conf=$here/slurm.conf
failed=0 what=
fail()
{
	echo "FAIL: $*"
	failed=$((failed + 1))
}

# apply STATUS [SCHEDULER]: of --apply to $conf, whose text before is in $here/before
apply()
{
	cat "$conf" >"$here/before" 2>/dev/null
	"$here/nodometer" install-hooks --apply --at "${3-$conf}" "${2-slurm}" >"$here/out" 2>&1
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
"$here/nodometer" install-hooks --at "$conf" slurm >"$here/out"
[ "$(grep -c ': nothing to do$' "$here/out")" = 2 ] || fail "printed once done: $(cat "$here/out")"
printf 'ClusterName=a\n' >"$conf"
"$here/nodometer" install-hooks --at "$conf" slurm >"$here/out"
[ "$(head -n 4 "$here/out")" = "in $conf:

$(lines | sed 's/^/    /')" ] || fail "printed: $(cat "$here/out")"
lines >>"$conf"
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
	same
done

# A script of the site is to run ours: by a line in its language, and both hooks or none.
mkdir "$here/hooks"
mkdir "$here/moved"
cp nodometer nodometer-commands "$here/moved"
sed "s|^hooks=.*|hooks=$here/hooks|" "$srcdir/hooks/install-hooks" \
	>"$here/moved/nodometer-install-hooks"
chmod +x "$here/moved/nodometer-install-hooks"
# printed OPTIONS...: the line that is to be pasted
printed()
{
	"$here/moved/nodometer" install-hooks "$@" 2>&1 |
		sed -n '/before anything/,$s/^    //p' | head -n 1
}
ours=$here/hooks/slurm/prolog
for language in sh python3 perl tcsh; do
	what="a prolog in $language"
	if ! command -v $language >/dev/null; then
		case $language in sh | perl) fail "$what: no $language" ;; esac
		continue
	fi
	rm -rf "$here/hooks/slurm"
	site=$here/site.$language
	printf '#!%s\n' "$(command -v $language)" >"$site"
	chmod +x "$site"
	printf 'Prolog=%s\n' "$site" | has "$what"
	cp "$conf" "$here/before"
	line=$(printed --at "$conf" slurm)
	[ "$(printed --apply --at "$conf" slurm)" = "$line" ] ||
		fail "$what: another line with --apply"
	same
	printf '%s\n' "$line" >>"$site"
	"$site" a 'b c' || fail "$what: status $? where the hook is missing"
	mkdir "$here/hooks/slurm"
	# shellcheck disable=SC2016 # the hook expands them
	printf '#!/bin/sh\necho "$SLURM_JOB_ID:$1:$2" >"%s"\n' "$here/ran" >"$ours"
	chmod +x "$ours"
	SLURM_JOB_ID=7 "$site" a 'b c' || fail "$what: status $?"
	[ "$(cat "$here/ran")" = '7:a:b c' ] || fail "$what: $line"
	rm "$here/ran"
	"$here/moved/nodometer" install-hooks --apply --at "$conf" slurm >"$here/out" 2>&1 ||
		fail "$what: refused after the line was pasted: $(cat "$here/out")"
	{ cat "$here/before"; echo "Epilog=$here/hooks/slurm/epilog"; } | cmp - "$conf" ||
		fail "$what"
	"$here/moved/nodometer" install-hooks --remove --at "$conf" slurm >"$here/out" 2>&1
	[ $? = 1 ] || fail "$what: --remove does not say that the line is still there"
	grep -q "$site runs $ours: remove that line" "$here/out" ||
		fail "$what: $(cat "$here/out")"
	same
done
# A comment is no call.
printf '#!/bin/sh\n# run %s later\n' "$ours" >"$here/site.sh"
printf 'Prolog=%s\n' "$here/site.sh" | has 'a comment'
"$here/moved/nodometer" install-hooks --apply --at "$conf" slurm >/dev/null 2>&1
[ $? = 1 ] || fail "$what: taken for a call"
printf 'include %s/more.conf\nInclude less.conf\n' "$here" | has 'included files'
printf 'Prolog=/other\n' >"$here/more.conf"
printf 'Epilog=/other\nInclude slurm.conf\n' >"$here/less.conf"
apply 1; same
lines >"$here/more.conf"; : >"$here/less.conf"
what='ours in an included file'; apply 0; same
rm -rf "$conf"; what='no file'; apply 1; [ ! -e "$conf" ] || fail "$what: made one"
printf 'A=1\n' | has 'a symbolic link'
mv "$conf" "$here/real.conf" && ln -s real.conf "$conf"; chmod 660 "$here/real.conf"
apply 0; grown ''
[ -L "$conf" ] || fail "$what: replaced"
[ "$(stat -c %a "$here/real.conf")" = 660 ] || fail "$what: other permissions"

if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
	printf 'A=1\n' | has 'a file that may not be written'
	cat "$conf" >"$here/before"
	chmod 755 "$here"; chmod 644 "$conf"
	setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=-all --bounding-set=-all \
		"$here/nodometer" install-hooks --apply --at "$conf" slurm >"$here/out" 2>&1
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
apply 0; grep -q 'nothing to do' "$here/out" || fail "$what: a second time"
rm "$here"/*log.d/nodometer*
printf 'Prolog=prolog.d/*\nEpilog=epilog.d/*.sh\n' | has 'relative patterns'
apply 0; same
for link in prolog.d/nodometer epilog.d/nodometer.sh; do
	[ -L "$here/$link" ] || fail "$what: no $link in the folder of slurm.conf"
done
printf 'Prolog=site.relative\n' | has 'a relative path'
echo /usr/libexec/nodometer/hooks/slurm/prolog >"$here/site.relative"
apply 0
grep -q "^$here/site.relative runs .*: nothing to do" "$here/out" ||
	fail "$what: $(cat "$here/out")"

# The words after --verify slurm are of sbatch, and reach it as they are.
what='options of sbatch'
printf '#!/bin/sh\nprintf "%%s|" "$@"\n' >"$here/hooks/slurm/verify"
chmod +x "$here/hooks/slurm/verify"
got=$("$here/moved/nodometer" install-hooks --verify slurm -p debug --at 'a b' -- -w 'n[1-4]')
[ "$got" = '-p|debug|--at|a b|--|-w|n[1-4]|' ] || fail "$what: $got"
"$here/nodometer" install-hooks --verify --at "$conf" slurm >"$here/out" 2>&1
[ $? = 2 ] || fail "--verify with --at"

# Options may stand after the scheduler.
printf '' | has 'options after the scheduler'
"$here/nodometer" install-hooks slurm --at "$conf" --apply >"$here/out" 2>&1 ||
	fail "$what: $(cat "$here/out")"
lines | cmp -s - "$conf" || fail "$what: nothing was added"
"$here/nodometer" install-hooks slurm pbs >/dev/null 2>&1
[ $? = 2 ] || fail "$what: two schedulers"

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
	"$here/nodometer" install-hooks --remove --at "$3" "$2" >"$here/out" 2>&1
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

# The last step fails: those before it are taken back.
what='a step that fails'
mkdir "$here/bin" "$here/torque.d"
# shellcheck disable=SC2016 # it expands them
printf '#!/bin/sh\necho >>"%s"\n[ $(wc -l <"%s") -lt 4 ] && exec /bin/ln "$@"\n' \
	"$here/links" "$here/links" >"$here/bin/ln"
chmod +x "$here/bin/ln"
PATH=$here/bin:$PATH apply 1 torque "$here/torque.d"
[ -z "$(ls "$here/torque.d")" ] || fail "$what: leaves $(ls "$here/torque.d")"
[ "$(wc -l <"$here/links")" = 4 ] || fail "$what: not tried"
rm "$here/bin/ln"

# Where --at is wrong, that is said and nothing is made.
mkdir "$here/place"
for scheduler in slurm torque htcondor flux pbs gridengine lsf; do
	for option in --apply --remove ''; do
		# shellcheck disable=SC2086 # no word, or one
		"$here/nodometer" install-hooks $option --at "$here/place/none" $scheduler \
			>"$here/out" 2>&1
		[ $? = 1 ] || fail "$scheduler $option --at: no refusal"
		case $(cat "$here/out") in
		"install-hooks: --at $here/place/none: for $scheduler that is not "*) ;;
		*) fail "$scheduler $option --at: $(cat "$here/out")" ;;
		esac
	done
done
[ -z "$(ls "$here/place")" ] || fail "a wrong --at: $(ls "$here/place")"
out=$("$here/nodometer" install-hooks --apply --at "$here/place" slurm 2>&1) &&
	fail 'a folder for slurm.conf'
case $out in *"name slurm.conf itself"*) ;; *) fail "a folder for slurm.conf: $out" ;; esac

# Other names of the same.
for word in sge:gridengine ge:gridengine SGE:gridengine condor:htcondor HTCondor:htcondor \
	openpbs:pbs pbspro:pbs slurmctld:slurm flux-core:flux; do
	for name in "${word%:*}" "${word#*:}"; do
		"$here/nodometer" install-hooks "$name" 2>&1
		echo $?
	done >"$here/out"
	[ "$(head -n $(($(wc -l <"$here/out") / 2)) "$here/out")" = \
		"$(tail -n $(($(wc -l <"$here/out") / 2)) "$here/out")" ] ||
		fail "${word%:*}: $(cat "$here/out")"
	[ "$(tail -n 1 "$here/out")" = 0 ] || fail "${word#*:}: status"
done

# A misspelt word: what was meant.
for word in slrum:slurm torq:torque fluxx:flux opnpbs:openpbs condr:condor grid_engine:gridengine \
	--aply:--apply --verfy:--verify; do
	"$here/nodometer" install-hooks "${word%:*}" slurm >"$here/out" 2>&1
	"$here/nodometer" install-hooks "${word%:*}" >>"$here/out" 2>&1
	[ $? = 2 ] || fail "$word: no wrong usage"
	grep -q "did you mean ${word#*:}?" "$here/out" || fail "$word: $(cat "$here/out")"
done
"$here/nodometer" install-hooks --apply --remove slurm >/dev/null 2>&1
[ $? = 2 ] || fail 'both --apply and --remove'

# Grid Engine: qconf shows long lines broken by backslashes, and takes whole ones.
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
	PATH=$here/bin:$PATH "$here/nodometer" install-hooks "$@" gridengine >"$here/out" 2>&1
	got=$?
}
printf 'a  1\nprolog  none\nepilog  NONE\nb  2\n' | has 'Grid Engine'
with_qconf --apply
[ "$got $(cut -d' ' -f1 "$conf" | tr '\n' ' ')" = '0 a prolog epilog b ' ] ||
	fail "$what: $(cat "$conf")"
grep -q '^prolog root@.*/prolog .job_id ' "$conf" || fail "$what: no prolog"
cp "$conf" "$here/before"
with_qconf --apply; same
grep -q 'nothing to do' "$here/out" || fail "$what: a second time: status $got"
with_qconf --remove
printf 'a  1\nprolog none\nepilog none\nb  2\n' >"$here/before"; same
with_qconf --remove; same
[ $got = 0 ] || fail "$what: removed twice"
printf 'prolog  root@/usr/bin/env -i /usr/libexec/other\nepilog  none\n' |
	has "Grid Engine with another's prolog"
cp "$conf" "$here/before"
with_qconf --apply; same
[ $got = 1 ] || fail "$what: status $got"
grep -q '; into /usr/libexec/other, ' "$here/out" || fail "$what: $(cat "$here/out")"
with_qconf --remove; same
# ... which runs ours: then only the epilog is missing.
printf 'prolog  root@%s x\nepilog  none\n' "$here/sge" | has "$what and ours"
with_qconf --apply
sed -n 's/^    if/if/p' "$here/out" >"$here/sge"
grep -q '/gridengine/prolog "[$]JOB_ID"' "$here/sge" || fail "$what: $(cat "$here/out")"
with_qconf --apply
[ "$got $(sed -n 's/ root@.* -i / /p' "$conf" | cut -d' ' -f1,2)" = \
	'0 epilog /usr/libexec/nodometer/hooks/gridengine/epilog' ] ||
	fail "$what: $got $(cat "$conf")"

# With --summary two lines more, which --remove knows without it.
printf 'A=1\nTaskEpilog=/x\n' | has 'a task epilog of the site'
"$here/nodometer" install-hooks --summary --at "$conf" slurm >"$here/out" 2>&1
grep -q 'slurm/task_epilog "$@"' "$here/out" || fail "$what: $(cat "$here/out")"
printf 'A=1\n' | has 'a summary'
cp "$conf" "$here/before"
"$here/nodometer" install-hooks --summary --apply --at "$conf" slurm >"$here/out" 2>&1 ||
	fail "$what: $(cat "$here/out")"
for line in EpilogSlurmctld=epilog_slurmctld TaskEpilog=task_epilog; do
	grep -qx "${line%=*}=/usr/libexec/nodometer/hooks/slurm/${line#*=}" "$conf" ||
		fail "$what: $(cat "$conf")"
done
"$here/nodometer" install-hooks --remove --at "$conf" slurm >"$here/out" 2>&1
same
"$here/nodometer" install-hooks --summary flux >"$here/out" 2>&1
[ $? = 2 ] || fail 'a summary of Flux'

# Links and files of other schedulers: made once, never replaced.
what='Torque, Flux, HTCondor'
for scheduler in torque htcondor; do
	mkdir "$here/$scheduler"
	apply 0 $scheduler "$here/$scheduler"
	apply 0 $scheduler "$here/$scheduler"
done
mkdir "$here/flux"
apply 1 flux "$here/flux"	# per-rank is left to a person
[ -L "$here/flux/prolog.d/nodometer" ] || fail 'Flux: no link'
[ -L "$here/torque/epilogue.parallel" ] || fail 'Torque: no link'
ln -sf nowhere "$here/torque/prologue"
ln -sf nowhere "$here/htcondor/50-nodometer"
for scheduler in torque htcondor; do apply 1 $scheduler "$here/$scheduler"; done
[ "$(readlink "$here/torque/prologue")" = nowhere ] || fail 'Torque: a link was replaced'
[ "$(readlink "$here/htcondor/50-nodometer")" = nowhere ] || fail 'HTCondor: a link was replaced'
[ $failed = 0 ]
