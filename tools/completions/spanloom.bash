# SPDX-License-Identifier: Apache-2.0
# Completion of spanloom for bash.  Commands and options are those that the program's own help lists.

_spanloom() {
    local program=${COMP_WORDS[0]} cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} store=${SPANLOOM_DB-}
    local commands help line value='' i of words=() files='' types=''
    local option='^  ((-.), )?(--[a-z-]+)( ([A-Z+][^ ]*))? +[^ ]'

    commands=$("$program" --help 2>/dev/null | sed -n '/^commands:/,/^$/s/^  \([a-z-]*\) .*/\1/p')
    if [ "$COMP_CWORD" -eq 1 ]; then
        words=("$commands" help --help --version)
    elif [ "${COMP_WORDS[1]}" = help ]; then
        words=("$commands")
    else
        of=("${COMP_WORDS[1]}")
        case $COMP_CWORD,$of,${COMP_WORDS[2]} in 2,*) ;; *,experiment,[a-z]*) of+=("${COMP_WORDS[2]}") ;; esac
        help=$("$program" "${of[@]}" --help 2>/dev/null) || return
        case $cur in =) cur='' ;; esac # --option=VALUE comes as three words
        case $prev in =) prev=${COMP_WORDS[COMP_CWORD-2]} ;; esac
        while IFS= read -r line; do
            [[ $line =~ $option ]] || continue
            words+=("${BASH_REMATCH[2]}" "${BASH_REMATCH[3]}")
            case $prev in "${BASH_REMATCH[2]:-none}" | "${BASH_REMATCH[3]}") value=${BASH_REMATCH[5]} ;; esac
        done <<<"$help"
        for ((i = 2; i < COMP_CWORD; i++)); do
            case ${COMP_WORDS[i]} in -d | --database) store=${COMP_WORDS[i+1]} ;; esac
        done
        case $value,$cur,${help%%$'\n'*} in # what the value is called, or what usage calls the arguments
            FORMAT,*) words=(table tsv csv json) ;;
            FORM,*) words=(html svg png pdf json) ;;
            FILE,* | DIRECTORY,*) files=1 ;;
            WHICH,*) words=(thread process rank) ;;
            WHEN,*) words=(auto always never) ;;
            PART,*) words=(state component task app executor node worker type) ;;
            GROUP,*) words=(app executor node worker type) ;;
            RUN,*) words=("$(SPANLOOM_DB=$store "$program" runs --format tsv 2>/dev/null | sed 1d | cut -f1)") ;;
            WHAT,* | *TYPE,*) types=1 ;;
            ?*,*,*) return ;;
            ,-*,*) ;;
            *TYPE*) types=1 ;;
            *PLOT*) words=("$("$program" plot --list --format tsv 2>/dev/null | sed 1d | cut -f1)") ;;
            *NAME*)
                words=("$("$program" recipes --format tsv 2>/dev/null | sed 1d | cut -f1 | uniq)")
                case " ${COMP_WORDS[*]} " in *" --test "*) files=1 ;; esac ;;
            *QUESTION*)
                if [ "$COMP_CWORD" -eq 2 ]; then
                    words=("$(sed -n '/^QUESTION is/,/^$/s/^  \([a-z]*\) .*/\1/p' <<<"$help")")
                else
                    files=1
                fi ;;
            *LANGUAGE) words=(c c++ fortran) ;;
            *COMMAND*) case $cur in */*) files=1 ;; *) words=("$(compgen -c -- "$cur")") ;; esac ;;
            *PATH* | *SOURCE* | *FILE* | *BASE* | *' A B') files=1 ;;
            *) return ;;
        esac
        [ -z "$types" ] || words=("$(SPANLOOM_DB=$store "$program" types --format tsv 2>/dev/null | sed 1d | cut -f1)")
    fi
    if [ "$files" ]; then
        compopt -o filenames 2>/dev/null
        mapfile -t COMPREPLY < <(compgen -f -- "$cur")
    else
        mapfile -t COMPREPLY < <(compgen -W "${words[*]}" -- "$cur")
    fi
}

complete -F _spanloom spanloom
