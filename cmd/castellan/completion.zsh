#compdef castellan
# zsh completion for castellan
_castellan() {
    local line
    local -a found
    for line in "${(@f)$("${words[1]}" complete -- "${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
        if [[ $line == :files ]]; then
            compset -P '--*='
            _files
            return
        fi
        [[ -n $line ]] && found+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}")
    done
    (( $#found )) && _describe castellan found
}
if [[ $funcstack[1] == _castellan ]]; then
    _castellan "$@"
else
    compdef _castellan castellan
fi
