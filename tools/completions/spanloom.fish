# SPDX-License-Identifier: Apache-2.0
# Completion of spanloom for fish.  Commands and options are those that the program's own help lists.

function __spanloom_commands
    spanloom --help 2>/dev/null | sed -n '/^commands:/,/^$/s/^  \([a-z-]*\)  *\(.*\)/\1\t\2/p'
end

function __spanloom_names # COMMAND WORD...: the first column of what the command prints
    set -l words $argv[2..-1]
    set -l store $SPANLOOM_DB
    for i in (seq 2 (count $words))
        if contains -- $words[$i] -d --database
            set store $words[(math $i + 1)]
        end
    end
    SPANLOOM_DB=$store spanloom $argv[1] --format tsv 2>/dev/null | sed 1d | cut -f1
end

function __spanloom_complete
    set -l words (commandline -opc)
    set -l cur (commandline -ct)
    test (count $words) -ge 2; or return
    if test $words[2] = help
        __spanloom_commands
        return
    end
    set -l of $words[2]
    if test $words[2] = experiment -a (count $words) -gt 2
        string match -q -- '-*' $words[3]; or set -a of $words[3]
    end
    set -l help (spanloom $of --help 2>/dev/null); or return

    # the value of an option
    set -l value
    set -l prev $words[-1]
    if string match -q -- '-*' $prev
        for line in $help
            set -l m (string match -r '^  (?:(-.), )?(--[a-z-]+) ([A-Z+][^ ]*)  ' -- $line); or continue
            if contains -- $prev $m[2..-2]
                set value $m[-1]
            end
        end
    end
    switch "$value"
        case FILE DIRECTORY
            __fish_complete_path $cur
            return
        case WHICH
            printf '%s\n' thread process rank
            return
        case WHEN
            printf '%s\n' auto always never
            return
        case PART
            printf '%s\n' state component task app executor node worker type
            return
        case GROUP
            printf '%s\n' app executor node worker type
            return
        case RUN
            __spanloom_names runs $words
            return
        case FORMAT
            printf '%s\n' table tsv csv json
            return
        case FORM
            printf '%s\n' html svg png pdf json
            return
        case WHAT '*TYPE'
            __spanloom_names types $words
            return
        case '?*'
            return
    end

    if string match -q -- '-*' $cur
        for line in $help
            set -l m (string match -r '^  (?:(-.), )?(--[a-z-]+)(?: [A-Z+][^ ]*)?  +(.*)$' -- $line); or continue
            for name in $m[2..-2]
                string match -q -- '-*' $name; and printf '%s\t%s\n' $name $m[-1]
            end
        end
        return
    end

    # arguments, by what the usage calls them
    switch $help[1]
        case '*TYPE*'
            __spanloom_names types $words
        case '*PLOT*'
            spanloom plot --list --format tsv 2>/dev/null | sed 1d | cut -f1
        case '*NAME*'
            if contains -- --test $words
                __fish_complete_path $cur
            else
                spanloom recipes --format tsv 2>/dev/null | sed 1d | cut -f1 | uniq
            end
        case '*QUESTION*'
            if test (count $words) -eq 2
                string replace -rf '^  ([a-z]+) .*' '$1' -- $help
            else
                __fish_complete_path $cur
            end
        case '*LANGUAGE'
            printf '%s\n' c c++ fortran
        case '*COMMAND*'
            __fish_complete_subcommand
        case '*PATH*' '*SOURCE*' '*FILE*' '*BASE*' '* A B'
            __fish_complete_path $cur
    end
end

function __spanloom_first
    test (count (commandline -opc)) -eq 1
end

complete -c spanloom -f
complete -c spanloom -n __spanloom_first -a '(__spanloom_commands)'
complete -c spanloom -n __spanloom_first -a 'help\t"help on a command" --help\t"what there is" --version\t"the version of this program"'
complete -c spanloom -n 'not __spanloom_first' -a '(__spanloom_complete)'
