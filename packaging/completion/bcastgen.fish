# fish completion for bcastgen(1): the tool itself knows what may follow (bcastgen --complete).

function __bcastgen_complete
    set -l words (commandline --current-process --tokenize --cut-at-cursor)
    set -l current (commandline --current-token --cut-at-cursor)
    for line in ($words[1] --complete $words[2..] "$current" 2>/dev/null)
        switch $line
            case ':*files*'
                __fish_complete_path $current
            case ':*directories*'
                __fish_complete_directories $current
            case ':*'
            case '*'
                echo $line
        end
    end
end

complete --command bcastgen --no-files --arguments '(__bcastgen_complete)'
