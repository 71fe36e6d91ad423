#!/bin/sh
# recipes.sh -- the command lines of packaging/Dockerfile and packaging/ranksh.def in Debian 12 trees,
# in place of a container: the files that they copy, their commands as root, then ranksh with their
# environment
set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/packages/lib.sh
. tests/packages/lib.sh
trap tidy EXIT
trees_possible || { echo "skipped packages: recipes"; exit 0; }

for recipe in packaging/Dockerfile packaging/ranksh.def; do
	check "install.md builds $recipe" [ "$( (page docker; echo; page apptainer) | grep -c "build.* $recipe" )" = 1 ]
done

# try NAME FILES COMMANDS ENVIRONMENT PROGRAM: FILES: the line "FROM... TO" of files to copy
try() {
	tree bookworm python3,python3-venv || { echo "skipped packages: no tree of bookworm"; return; }
	# shellcheck disable=SC2086
	(set -- $2; while [ $# -gt 1 ]; do eval "to=\${$#}"; cp "$1" "$tree$to"; shift; done)
	echo "$3" > "$tree/root/commands"
	timed inside root "sh -e commands"
	check "$1: its commands run in $seconds s" [ $status = 0 ]
	timed inside learner "export $4; $5 -n 4 -c \"print (6 * 7)\""
	check "$1: 4 ranks print after $seconds s" said_line '= 42$'
	rm -rf "$tree"
}
# instruction NAME: the arguments of a Dockerfile's lines, with continuation lines joined
instruction() { sed -e ':a' -e '/\\$/N; s/\\\n//; ta' packaging/Dockerfile | sed -n "s/^$1 //p"; }
# the tree has the user that RUN adds
try Dockerfile "$(instruction COPY)" "$(instruction RUN | grep -v '^useradd')" "$(instruction ENV | tr '\n' ' ')" \
	"$(instruction ENTRYPOINT | sed 's|[]\["]||g')"
section() { sed -n "/^%$1/,/^%/{/^%/d; s/^ *//p}" packaging/ranksh.def | grep .; }
try Apptainer "$(section files)" "$(section post)" "$(section environment | sed 's/^export //' | tr '\n' ' ')" \
	"$(section runscript | sed 's/^exec //; s/ "\$@"//')"
