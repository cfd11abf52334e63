#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# install_remove.sh - install-hooks --apply makes all changes or none, and --remove undoes them
. "$(dirname "$0")/install_lib.sh"

has 'lines' 'A=1\nB=2\n'
apply 0
remove 0 slurm "$conf"; same
remove 0 slurm "$conf"; same
for text in A=1 'A=1\nB=\377\0\377'; do
	has 'no newline at its end' "$text"
	apply 0
	cp "$here/before" "$here/first"
	apply 0
	remove 0 slurm "$conf"
	cmp "$here/first" "$conf" || fail "$what: not restored"
done
mkdir "$here/prolog.d" "$here/epilog.d"
has 'links' 'Prolog=%s/prolog.d/*\nEpilog=%s/epilog.d/*.sh\n' "$here" "$here"
apply 0
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
[ -s "$here/undone/50-nodometer" ] || fail "$what: removed a changed file"
what='Torque'
apply 0 torque "$here/undone"
rm "$here/undone/prologue"
echo mine >"$here/undone/prologue"
remove 0 torque "$here/undone"
[ "$(ls "$here/undone")" = '50-nodometer
prologue' ] || fail "$what: $(ls "$here/undone")"

# If the last step of --apply fails, its earlier steps are undone.
what='a step that fails'
mkdir "$here/bin" "$here/torque.d"
# shellcheck disable=SC2016 # the program expands them
printf '#!/bin/sh\necho >>"%s"\n[ $(wc -l <"%s") -lt 4 ] && exec /bin/ln "$@"\n' \
	"$here/links" "$here/links" >"$here/bin/ln"
chmod +x "$here/bin/ln"
PATH=$here/bin:$PATH apply 1 torque "$here/torque.d"
[ -z "$(ls "$here/torque.d")" ] || fail "$what: leaves $(ls "$here/torque.d")"
[ "$(wc -l <"$here/links")" = 4 ] || fail "$what: not tried"
rm "$here/bin/ln"

# For other schedulers, --apply makes links and files, but never replaces existing ones.
what='Torque, Flux, HTCondor'
mkdir "$here/torque" "$here/htcondor" "$here/flux"
for scheduler in torque htcondor torque htcondor; do apply 0 $scheduler "$here/$scheduler"; done
apply 1 flux "$here/flux"	# status 1: an administrator must set per-rank
[ -L "$here/flux/prolog.d/nodometer" ] || fail 'Flux: no link'
[ -L "$here/torque/epilogue.parallel" ] || fail 'Torque: no link'
ln -sf nowhere "$here/torque/prologue"
ln -sf nowhere "$here/htcondor/50-nodometer"
for scheduler in torque htcondor; do apply 1 $scheduler "$here/$scheduler"; done
[ "$(readlink "$here/torque/prologue")" = nowhere ] || fail 'Torque: a link was replaced'
[ "$(readlink "$here/htcondor/50-nodometer")" = nowhere ] || fail 'HTCondor: a link was replaced'
[ $failed = 0 ]
