# SPDX-License-Identifier: BSD-3-Clause
# bash.awk - make the completion for bash from the rows of tables.sh
BEGIN { FS = "\t" }
$1 == "command" && $2 !~ / / { commands = commands " " $2 }
$1 == "option" {
	options[$2] = options[$2] " " $4
	if ($5 != "none")
		what[$2 " " $4] = $5
	if ($3 && $5 != "none")
		what[$2 " -" $3] = $5
}
$1 == "operand" { operands[$2] = operands[$2] " " $3; if (!($2 in options)) options[$2] = "" }
$1 == "type" { types = types " " $2 }

function put_case(name, of,    k)
{
	printf "%s()\n{\n\tcase $1 in\n", name
	for (k in of)
		printf "\t%c%s%c) echo %c%s%c ;;\n", 39, k, 39, 39, substr(of[k], of[k] ~ /^ / ? 2 : 1), 39 | "LC_ALL=C sort"
	close("LC_ALL=C sort")
	print "\tesac\n}\n"
}

END {
	print "# shellcheck shell=bash\n# SPDX-License-Identifier: BSD-3-Clause"
	print "# nodometer - made when it was built, of what the programs have\n"
	fflush()
	put_case("_nodometer_options", options)
	put_case("_nodometer_operands", operands)
	put_case("_nodometer_what", what)
	print "_nodometer()\n{"
	printf "\tlocal commands=%c%s%c types=%c%s%c\n", 39, substr(commands, 2), 39, 39, substr(types, 2), 39
	print "\tlocal word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}"
	print "\tlocal command='' what w words=''\n"
	print "\tfor w in \"${COMP_WORDS[@]:1:COMP_CWORD-1}\"; do"
	print "\t\tif [[ -z $command ]]; then"
	print "\t\t\t[[ \" $commands \" != *\" $w \"* ]] || command=$w"
	print "\t\telif [[ -n $(_nodometer_options \"$command $w\") ]]; then"
	print "\t\t\tcommand=\"$command $w\""
	print "\t\tfi\n\tdone"
	print "\twhat=$(_nodometer_what \"$command $previous\")"
	print "\tif [[ -z $what && $word = -* ]]; then"
	print "\t\twhat=$(_nodometer_options \"$command\")"
	print "\telif [[ -z $what && -z $command ]]; then"
	print "\t\twhat=$commands"
	print "\telif [[ -z $what ]]; then"
	print "\t\twhat=$(_nodometer_operands \"$command\")"
	print "\t\t[[ $command != help ]] || what=$commands"
	print "\tfi"
	print "\tfor w in $what; do"
	print "\t\tcase $w in"
	print "\t\tfile | dir) compopt -o filenames ;;&"
	print "\t\tfile) mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -f -- \"$word\") ;;"
	print "\t\tdir) mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -d -- \"$word\") ;;"
	print "\t\ttype) words+=\" $types\" ;;"
	print "\t\tany) ;;"
	print "\t\t*) words+=\" $w\" ;;"
	print "\t\tesac\n\tdone"
	print "\tmapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -W \"$words\" -- \"$word\")"
	print "}\ncomplete -F _nodometer nodometer"
}
