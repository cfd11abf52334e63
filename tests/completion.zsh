# SPDX-License-Identifier: BSD-3-Clause
# completion.zsh - what zsh offers for the line $1 with the functions of $2, in a terminal of its own
zmodload zsh/zpty
zpty z zsh -f -i
zpty -w z "PS1= ; stty -echo; fpath=($2 \$fpath); autoload -U compinit; compinit -u -D
compadd() { if [[ \${@[1,(i)(-|--)]} == *-(O|A|D)\ * ]]; then builtin compadd \"\$@\"; return; fi
local -a __h; builtin compadd -A __h \"\$@\"; print -r -- OFFER:\${(j: :)__h}; builtin compadd \"\$@\"; }
zstyle ':completion:*' list-grouped no; bindkey '^I' complete-word; zle -C complete-word complete-word _x; _x() { _main_complete; compstate[insert]=; compstate[list]=; print -r END:; }; print READY:"
while zpty -r z line; do [[ $line == *READY:* && $line != *print* ]] && break; done
zpty -w -n z "$1"$'\t'
n=0
while (( n++ < 2000 )) && zpty -r z line; do [[ $line == *END:* ]] && break; [[ $line == *OFFER:* ]] && print -r -- ${${line#*OFFER:}//$'\r'/}; done
zpty -d z
