# SPDX-License-Identifier: BSD-3-Clause
# zsh.awk - make the completion for zsh from the rows of tables.sh
BEGIN { FS = "\t" }
# Quote a text: zsh must not interpret its brackets and colons.
function plain(text)
{
	gsub(/\\/, "", text)
	gsub(/'/, "'\\''", text)
	gsub(/\[/, "\\[", text)
	gsub(/\]/, "\\]", text)
	gsub(/:/, "\\:", text)
	return text
}
function action(what)
{
	if (what == "file")
		return "_files"
	if (what == "dir")
		return "_files -/"
	return what == "any" ? "" : what == "type" ? "(" types ")" : "(" what ")"
}
$1 == "type" { types = types (types ? " " : "") $2 }
$1 == "command" { text[$2] = $3; order[++n] = $2 }
$1 == "option" { row[++m] = $0 }
$1 == "operand" { operands[$2] = operands[$2] (operands[$2] ? "\t" : "") $3 }
function option(f)
{
	value = f[5] == "none" ? "" : ":value:" action(f[5])
	printf "\t\t%c*%s[%s]%s%c \\\n", 39, f[4] (value ? "=" : ""), plain(f[6]), value, 39
	if (f[3])
		printf "\t\t%c*-%s[%s]%s%c \\\n", 39, f[3], plain(f[6]), value, 39
}
function arguments(name,    i, f, k, part)
{
	print "\t_arguments \\"
	for (i = 1; i <= m; i++) {
		split(row[i], f, "\t")
		if (f[2] == name)
			option(f)
	}
	k = split(operands[name], part, "\t")
	if (!k) {
		print "\t\t'*: :'"
		return
	}
	printf "\t\t%c*: :{ _alternative", 39
	for (i = 1; i <= k; i++)
		printf " \"operand:operand:%s\"", action(part[i])
	print " }'"
}
END {
	print "#compdef nodometer\n# SPDX-License-Identifier: BSD-3-Clause"
	print "# nodometer - made when it was built, of what the programs have\n"
	print "local -a commands=("
	for (i = 1; i <= n; i++)
		if (order[i] !~ / /)
			printf "\t%c%s:%s%c\n", 39, order[i], plain(text[order[i]]), 39
	print ")\nlocal command='' w i\nfor w in ${words[2,CURRENT-1]}; do"
	print "\tif [[ -z $command ]]; then\n\t\t(( ${commands[(I)$w:*]} )) && command=$w"
	printf "\telif [[ \"$command $w\" = ("
	for (i = 1; i <= n; i++)
		if (order[i] ~ / /) {
			printf "%s%c%s%c", sep, 39, order[i], 39
			sep = "|"
		}
	if (!sep)	# this build has no commands of two words
		printf "%c%c", 39, 39
	print ") ]]; then\n\t\tcommand=\"$command $w\"\n\tfi\ndone"
	print "if [[ -n $command ]]; then\n\t(( i = ${words[(i)${command%% *}]} ))\n\twords=(nodometer \"${(@)words[i+1,-1]}\") CURRENT=$(( CURRENT - i + 1 ))\nfi"
	print "case $command in"
	for (i = 1; i <= n; i++) {
		printf "%c%s%c)\n", 39, order[i], 39
		arguments(order[i])
		print "\t;;"
	}
	print "*)"
	sub(/.*/, "", operands[""])
	print "\tif [[ ${words[CURRENT]} != -* ]]; then _describe command commands; return; fi"
	arguments("")
	print "\t;;\nesac"
}
