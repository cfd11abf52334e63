# SPDX-License-Identifier: BSD-3-Clause
# fish.awk - make the completion for fish from the rows of tables.sh
BEGIN {
	FS = "\t"
	print "# SPDX-License-Identifier: BSD-3-Clause"
	print "# nodometer - made when it was built, of what the programs have"
	print "\n# Whether these words are the command that was named: none, one or two"
	print "function __nodometer_is"
	print "\tset -l named"
	print "\tfor word in (commandline -opc)[2..]"
	print "\t\tif test (count $named) = 0; and contains -- $word $__nodometer_commands"
	print "\t\t\tset named $word"
	print "\t\telse if test (count $named) = 1; and contains -- \"$named $word\" $__nodometer_commands"
	print "\t\t\tset named $named $word"
	print "\t\tend\n\tend"
	print "\ttest \"$named\" = \"$argv\"\nend\n"
}
$1 == "command" { commands = commands " " quoted($2) }
function quoted(text) { gsub(/\\/, "&&", text); gsub(/'/, "\\'", text); return "'" text "'" }
function seen(name) { return "__nodometer_is " name }
function value(what)
{
	if (what == "none")
		return ""
	if (what == "file")
		return " -r -F"
	if (what == "dir")
		return " -x -a '(__fish_complete_directories)'"
	return what == "any" ? " -x" : what == "type" ? " -x -a '" types "'" : " -x -a '" what "'"
}
$1 == "type" { types = types (types ? " " : "") $2 }
{ row[NR] = $0 }
END {
	print "set -g __nodometer_commands" commands
	print "complete -c nodometer -f"
	for (i = 1; i <= NR; i++) {
		split(row[i], f, "\t")
		if (f[1] == "command" && f[2] !~ / /)
			print "complete -c nodometer -n __nodometer_is -a " f[2] " -d " quoted(f[3])
		else if (f[1] == "option")
			print "complete -c nodometer -n " quoted(seen(f[2])) " -l " substr(f[4], 3) (f[3] ? " -s " f[3] : "") value(f[5]) " -d " quoted(f[6])
		else if (f[1] == "operand")
			print "complete -c nodometer -n " quoted(seen(f[2])) (f[3] == "file" ? " -F" : " -a '" (f[3] == "type" ? types : f[3]) "'")
	}
}
