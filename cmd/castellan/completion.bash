# bash completion for castellan
_castellan() {
    local line IFS=$'\n'
    COMPREPLY=()
    for line in $("${COMP_WORDS[0]}" complete -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null); do
        if [[ $line == :files ]]; then
            compopt -o filenames 2>/dev/null
            local word=${COMP_WORDS[COMP_CWORD]}
            [[ $word == = ]] && word=
            COMPREPLY=($(compgen -f -- "$word"))
            return
        fi
        COMPREPLY+=("${line%%$'\t'*}")
    done
}
complete -F _castellan castellan
