#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# install.sh - nodometer install-hooks --apply adds the missing lines to slurm.conf, and changes no
# other byte
. "$(dirname "$0")/install_lib.sh"

unended='# nodometer install-hooks: the line above had no newline at its end'
has 'a plain file' 'ClusterName=a\n'; apply 0; grown ''
what='a second time'; apply 0; same
hooks 0 --at "$conf" slurm
[ "$(grep -c ': nothing to do$' "$here/out")" = 2 ] || fail "printed once done: $(cat "$here/out")"
printf 'ClusterName=a\n' >"$conf"
hooks 0 --at "$conf" slurm
[ "$(head -n 4 "$here/out")" = "in $conf:

$(lines | sed 's/^/    /')" ] || fail "printed: $(cat "$here/out")"
has 'no newline at its end' 'ClusterName=a'; apply 0; grown "\n$unended\n"
has 'empty lines at its end' 'ClusterName=a\n\n\n \n'; apply 0; grown ''
has 'a continued line at its end' 'Nodes=a \\\n'; apply 0; grown '\n'
has 'binary bytes' 'a\0b\377\n'; apply 0; grown ''
has 'an empty file' ''; apply 0; grown ''
has 'comments and longer names' \
	'#Prolog=/x\n # Epilog = /x\nPrologFlags=Alloc\nX=1 # Prolog=/y\nprologslurmctld=/z\n'
apply 0; grown ''
for line in 'Prolog=/other' ' prolog = /other' 'X=1 PROLOG=/other' 'Epilog=/other'; do
	has "\"$line\"" '%s\n' "$line"; apply 1; says "$line"; same
done
has 'options after the scheduler' ''
hooks 0 slurm --at "$conf" --apply
lines | cmp -s - "$conf" || fail "$what: nothing was added"

has 'included files' 'include %s/more.conf\nInclude less.conf\n' "$here"
printf 'Prolog=/other\n' >"$here/more.conf"
printf 'Epilog=/other\nInclude slurm.conf\n' >"$here/less.conf"
apply 1; says 'Prolog=/other'; says 'Epilog=/other'; same
lines >"$here/more.conf"; : >"$here/less.conf"
what='the lines in an included file'; apply 0; same
rm -rf "$conf"; what='no file'; apply 1; [ ! -e "$conf" ] || fail "$what: made one"
has 'a symbolic link' 'A=1\n'
mv "$conf" "$here/real.conf" && ln -s real.conf "$conf"; chmod 660 "$here/real.conf"
apply 0; grown ''
[ -L "$conf" ] || fail "$what: replaced"
[ "$(stat -c %a "$here/real.conf")" = 660 ] || fail "$what: other permissions"

if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
	has 'a file without write permission' 'A=1\n'
	cat "$conf" >"$here/before"
	chmod 755 "$here"; chmod 644 "$conf"
	setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=-all --bounding-set=-all \
		"$here/nodometer" install-hooks --apply --at "$conf" slurm >"$here/out" 2>&1
	[ $? = 1 ] || fail "$what: $(cat "$here/out")"
	same
fi

# If slurm.conf names programs by a pattern, the hook is linked into the pattern's folder under a
# name that matches.
mkdir "$here/prolog.d" "$here/epilog.d"
has 'patterns' 'Prolog=%s/prolog.d/*\nEpilog=%s/epilog.d/*.sh\n' "$here" "$here"
apply 0; same
for link in prolog.d/nodometer epilog.d/nodometer.sh; do
	case $(readlink "$here/$link") in
	/usr/libexec/nodometer/hooks/slurm/"${link%%.*}") ;;
	*) fail "$what: no $link" ;;
	esac
done
apply 0; says 'nothing to do'
rm "$here"/*log.d/nodometer*
has 'relative patterns' 'Prolog=prolog.d/*\nEpilog=epilog.d/*.sh\n'
apply 0; same
for link in prolog.d/nodometer epilog.d/nodometer.sh; do
	[ -L "$here/$link" ] || fail "$what: no $link in the folder of slurm.conf"
done
has 'a relative path' 'Prolog=site.relative\n'
echo /usr/libexec/nodometer/hooks/slurm/prolog >"$here/site.relative"
apply 0; says "^$here/site.relative runs .*: nothing to do"
has 'a pattern that "nodometer" does not match' 'Prolog=%s/prolog.d/[0-9]*\n' "$here"
apply 1

# Jobs of several nodes need PrologFlags=Alloc; the output says so if it is missing.
has 'no PrologFlags' 'A=1\n'; apply 0; says 'PrologFlags=Alloc'
for flags in Alloc Contain,DeferBatch X11; do
	has "PrologFlags=$flags" 'PrologFlags=%s\n' "$flags"; apply 0
	! grep -q 'PrologFlags=Alloc' "$here/out" || fail "$what: said all the same"
done

# --summary adds two more lines; --remove removes them, too, without the option --summary.
has 'a task epilog of the site' 'A=1\nTaskEpilog=/x\n'
"$here/nodometer" install-hooks --summary --at "$conf" slurm >"$here/out" 2>&1
says 'slurm/task_epilog "$@"'
has 'a summary' 'A=1\n'
cp "$conf" "$here/before"
hooks 0 --summary --apply --at "$conf" slurm
for line in EpilogSlurmctld=epilog_slurmctld TaskEpilog=task_epilog; do
	grep -qx "${line%=*}=/usr/libexec/nodometer/hooks/slurm/${line#*=}" "$conf" ||
		fail "$what: $(cat "$conf")"
done
remove 0 slurm "$conf"; same
hooks 2 --summary flux
[ $failed = 0 ]
