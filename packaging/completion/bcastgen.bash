# bash completion for bcastgen(1): the tool itself knows what may follow (bcastgen --complete).

_bcastgen() {
    local line=${COMP_LINE:0:COMP_POINT} word kinds
    local -a words
    read -r -a words <<<"$line"
    [[ $line == *[[:space:]] ]] && words+=("")
    local current=${words[${#words[@]} - 1]}
    # bash takes = and : for ends of words, and wants only what follows them
    local before=
    case $current in *[=:]*) before=${current%"${current##*[=:]}"} ;; esac

    COMPREPLY=()
    while IFS= read -r word; do
        case $word in
            :*) kinds=" ${word#:} " ;;
            *)
                word=${word%%$'\t'*}
                COMPREPLY+=("${word#"$before"}")
                ;;
        esac
    done < <("${words[0]}" --complete "${words[@]:1}" 2>/dev/null)

    local plain=${current#"$before"}
    if [[ $kinds == *" files "* ]]; then
        compopt -o filenames 2>/dev/null
        while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -f -- "$plain")
    elif [[ $kinds == *" directories "* ]]; then
        compopt -o filenames 2>/dev/null
        while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -d -- "$plain")
    fi
    [[ $kinds == *" list "* ]] && compopt -o nospace 2>/dev/null
    return 0
}

complete -F _bcastgen bcastgen
