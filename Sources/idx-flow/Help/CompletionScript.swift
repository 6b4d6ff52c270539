/// The scripts that connect shells with `idx-flow completion words`.
enum CompletionScript {
  /// The operand with which the scripts ask what comes next.
  static let wordsOperand = "words"
  /// The line that says that the shell completes the name of a file.
  static let files = ":files"

  /// For bash 3.2 and later.
  static let bash = #"""
    # Completions of idx-flow for bash.
    _idx_flow() {
      local line=${COMP_LINE:0:COMP_POINT} current= prefix= text rest
      local -a words
      # Bash cuts words at = and @, so the line is cut at spaces here.
      read -r -a words <<<"$line"
      case $line in *[[:space:]]) words+=("") ;; esac
      current=${words[${#words[@]}-1]}
      # What bash has cut off stays as it is, and is not part of a reply. A cut-off word keeps its @.
      case $COMP_WORDBREAKS in *=*) case $current in *=*) prefix=${current%"${current##*=}"} ;; esac ;; esac
      case $COMP_WORDBREAKS in *@*) case $current in *@*) prefix=${current%@*} ;; esac ;; esac
      COMPREPLY=()
      while IFS=$'\t' read -r text rest; do
        if [ "$text" = ":files" ]; then
          compopt -o filenames 2>/dev/null
          while IFS= read -r text; do COMPREPLY+=("$text"); done \
            < <(compgen -f -- "${current#"$prefix"}")
        else
          COMPREPLY+=("${text#"$prefix"}")
        fi
      done < <("$1" completion words -- "${words[@]:1}" 2>/dev/null)
    }
    complete -F _idx_flow idx-flow
    """#

  /// For zsh: to be sourced, or to be a file `_idx-flow` in a folder of `fpath`.
  static let zsh = #"""
    #compdef idx-flow
    # Completions of idx-flow for zsh.
    _idx_flow() {
      local line text
      local -a found
      for line in "${(@f)$("${(Q)words[1]}" completion words -- "${(@Q)words[2,CURRENT]}" 2>/dev/null)}"; do
        [[ -z $line ]] && continue
        if [[ $line == :files ]]; then
          compset -P '--*='
          _files
          return
        fi
        text=${line%%$'\t'*}
        found+=("${text//:/\\:}:${line#*$'\t'}")
      done
      _describe 'idx-flow' found
    }
    if [ "$funcstack[1]" = "_idx-flow" ]; then
      _idx_flow "$@"
    else
      compdef _idx_flow idx-flow
    fi
    """#

  /// For fish 3 and later.
  static let fish = #"""
    # Completions of idx-flow for fish.
    function __idx_flow_words
        set -l before (commandline -opc)
        set -l current (commandline -ct)
        for line in ($before[1] completion words -- $before[2..-1] "$current" 2>/dev/null)
            if test "$line" = ":files"
                set -l prefix (string match -r -- '^--[^=]*=' "$current")
                __fish_complete_path (string replace -r -- '^--[^=]*=' '' "$current") \
                    | string replace -r -- '^' "$prefix"
            else
                echo $line
            end
        end
    end
    complete -c idx-flow -f -a '(__idx_flow_words)'
    """#
}
