# bash completion for ranksh
# shellcheck disable=SC2207 # names are split at blanks
_ranksh() {
	local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}
	COMPREPLY=()
	if [[ " ${COMP_WORDS[*]:1:COMP_CWORD-1} " == *' help '* ]]; then
		COMPREPLY=($(compgen -W "kernels collectives figures causes words grammar all $("${COMP_WORDS[0]}" help all 2> /dev/null)" -- "$word"))
		return
	fi
	if [[ " ${COMP_WORDS[*]:1:COMP_CWORD-1} " == *' doctor '* && ($word == -* || $before == doctor) ]]; then
		COMPREPLY=($(compgen -W '-n --try --json --device --hosts --hostfile --prefix' -- "$word"))
		return
	fi
	case $before in
	-n) COMPREPLY=($(compgen -W '1 2 4 8' -- "$word")); return ;;
	-c | --limit | --as) return ;;
	--hosts) COMPREPLY=($(compgen -A hostname -- "$word")); return ;;
	--class | --overview | --prefix) COMPREPLY=($(compgen -d -- "$word")); return ;;
	--device) COMPREPLY=($(compgen -W 'auto sim cuda' -- "$word")); return ;;
	--machine)
		COMPREPLY=($(compgen -W 'classroom dgx-a100 dgx-a100-2 dgx-a100-128 dgx-h100 dgx-h100-2 dgx-h100-128 hgx-h200 hgx-h200-2
			hgx-h200-128 pcie-4gpu' -- "$word") $(compgen -f -X '!*.machine' -- "$word"))
		return ;;
	--journal | --follow | --hostfile) COMPREPLY=($(compgen -f -- "$word")); return ;;
	--test) COMPREPLY=($(compgen -f -X '!*.rsh' -- "$word") $(compgen -d -- "$word")); return ;;
	esac
	case $word in
	-*) COMPREPLY=($(compgen -W '-n -c --test --machine --dry --limit --device --hosts --hostfile --prefix --resume --journal --follow --check-lessons --grade --class --as --overview --once --csv --json --version --help' -- "$word")) ;;
	*) COMPREPLY=($(compgen -W 'help doctor' -- "$word") $(compgen -f -X '!*.rsh' -- "$word") $(compgen -d -- "$word")) ;;
	esac
}
complete -o filenames -F _ranksh ranksh
