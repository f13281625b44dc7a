# fish completion for castellan
function __castellan_complete
    set -l words (commandline -opc) (commandline -ct)
    set -l found ($words[1] complete -- $words[2..-1] 2>/dev/null)
    if test "$found" = :files
        __fish_complete_path (string replace -r '^--[^=]*=' '' -- (commandline -ct))
    else
        printf '%s\n' $found
    end
end
complete -c castellan -f -a '(__castellan_complete)'
