#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# install_site_scripts.sh - if a site has its own prolog, install-hooks prints a line for it that
# runs the hook
. "$(dirname "$0")/install_lib.sh"
rooted_at "$here/moved"

# printed OPTIONS...: print the line that install-hooks OPTIONS tells the user to paste
printed()
{
	"$here/moved/nodometer" install-hooks "$@" 2>&1 |
		sed -n '/before anything/,$s/^    //p' | head -n 1
}

# The line is in the language of the site's prolog. Before the line is pasted, --apply changes
# nothing; afterwards, it adds the epilog.
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
	has "$what" 'Prolog=%s\n' "$site"
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
	says "$site runs $ours: remove that line"
	same
done
# A comment in the site's prolog that has the hook's path does not count as a call of the hook.
printf '#!/bin/sh\n# run %s later\n' "$ours" >"$here/site.sh"
has 'a comment' 'Prolog=%s\n' "$here/site.sh"
"$here/moved/nodometer" install-hooks --apply --at "$conf" slurm >/dev/null 2>&1
[ $? = 1 ] || fail "$what: taken for a call"

# The words after --verify slurm reach sbatch unchanged.
what='options of sbatch'
printf '#!/bin/sh\nprintf "%%s|" "$@"\n' >"$here/hooks/slurm/verify"
chmod +x "$here/hooks/slurm/verify"
got=$("$here/moved/nodometer" install-hooks --verify slurm -p debug --at 'a b' -- -w 'n[1-4]')
[ "$got" = '-p|debug|--at|a b|--|-w|n[1-4]|' ] || fail "$what: $got"
hooks 2 --verify --at "$conf" slurm
[ $failed = 0 ]
