# lib.sh -- fresh Debian trees, in which a test installs a package as a user would
#
# The trees of debootstrap are kept in TREES and copied for each test. A tree has its own mounts
# and processes' folders, but this computer's network. Each check prints "ok NAME" or "FAIL NAME".
TREES=${TREES:-$PWD/build-wheel/trees}
made=
tidy() {
	# shellcheck disable=SC2086
	rm -rf $made
}

# Prints why trees cannot be made here, and returns 1.
trees_possible() {
	if [ "$(id -u)" != 0 ]; then echo "chroot needs root"
	elif ! command -v debootstrap > /dev/null; then echo "debootstrap is missing: apt-get install debootstrap"
	elif ! command -v tmux > /dev/null; then echo "tmux is missing: apt-get install tmux"
	elif ! unshare -m true 2> /dev/null; then echo "a private mount namespace cannot be made here"
	else return 0; fi
	return 1
}

# tree SUITE [PACKAGES]: sets `tree` to a fresh Debian with these packages (separated by commas)
# and the user `learner`. Returns 1 if debootstrap fails, with its last lines.
tree() {
	base=$TREES/$1
	if [ ! -e "$base/complete" ]; then
		rm -rf "$base"
		mkdir -p "$TREES"
		debootstrap --variant=minbase --include="ca-certificates${2:+,$2}" "$1" "$base" > "$TREES/log" 2>&1 || {
			tail -5 "$TREES/log"
			return 1
		}
		chroot "$base" useradd -m -s /bin/bash learner
		: > "$base/complete"
	fi
	tree=$(mktemp -d)
	made="$made $tree"
	cp -a --reflink=auto "$base/." "$tree"
	chmod 755 "$tree"
	echo 'APT::Get::Assume-Yes "true";' > "$tree/etc/apt/apt.conf.d/yes"
	cp -L /etc/resolv.conf "$tree/etc/resolv.conf"
	cp -L /etc/hosts "$tree/etc/hosts"
	[ ! -f /etc/ssl/certs/ca-certificates.crt ] || cp /etc/ssl/certs/ca-certificates.crt "$tree/etc/ssl/certs/ca-certificates.crt"
}

# inside USER COMMAND: runs a shell command in the tree, in the user's home, with the settings of
# pip and of a proxy that this computer has
inside() { sh tests/packages/inside "$tree" "$1" "$2"; }

# page BLOCK: the commands of docs/guide/install.md in the block "sh BLOCK", joined by `&&`, as root
# without sudo; prompts are left out. page_prompt BLOCK: the command that opens the prompt
page() { page_lines "$1" | grep -v -- ' -n 4$' | sed 's/^sudo //' | awk '{ printf "%s%s", (NR > 1 ? " && " : ""), $0 }'; }
page_prompt() { page_lines "$1" | grep -- ' -n 4$'; }
page_lines() { sed -n "/^\`\`\`sh $1\$/,/^\`\`\`\$/{/^\`\`\`/d; p}" docs/guide/install.md; }

# opens NAME COMMAND: a prompt of the user `learner`, from the command to its first prompt. Requires
# tests/terminal/lib.sh.
opens() {
	from=$(date +%s%N)
	open_command 100 30 "exec sh tests/packages/inside $tree learner '$2'"
	until_true ends_with_prompt
	check "$1: the first prompt after $(since "$from") s" ends_with_prompt
	line "print (6 * 7)"
	check "$1: the prompt computes" until_true showed '= 42$'
	line exit
	check "$1: the prompt ends" until_true left
}
# same_numbers NAME RANKSH: scripts with numbers print the same as in the normal build
same_numbers() {
	cp -r tests/script strategies "$tree/home/learner"
	chown -R --reference="$tree/home/learner" "$tree/home/learner"
	for script in commands/collectives strategies/sharded strategies/pipeline; do
		timed inside learner "$2 -n 4 --test script/$script.rsh"
		check "$1: $script.rsh prints the same as in the normal build" [ $status = 0 ]
	done
}

# check NAME COMMAND...: one check; `said` holds the output of what was run before
said=$(mktemp)
check() {
	name=$1
	shift
	if "$@"; then echo "ok packages: $name"; else
		echo "FAIL packages: $name"
		tail -30 "$said"
	fi
}
said_line() { grep -q "$1" "$said"; }

# timed COMMAND...: runs it with its output in `said`; sets `seconds`, such as 3.4, and `status`
timed() {
	from=$(date +%s%N)
	status=0
	"$@" > "$said" 2>&1 || status=$?
	seconds=$(since "$from")
}
since() { echo "$(($(date +%s%N) - $1))" | awk '{ printf "%.1f", $1 / 1e9 }'; }
# megabytes FILE...: their size in MB
megabytes() { du -cb "$@" | awk 'END { printf "%.1f", $1 / 1e6 }'; }
