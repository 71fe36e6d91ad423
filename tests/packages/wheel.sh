#!/bin/sh
# wheel.sh -- the wheel of dist/ in fresh Debian 11 and 12 trees with python3 and no compiler, as a
# user without root: pip installs it and Open MPI; the prompt; scripts with the numbers of the
# normal build; pip removes it without a rest
set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/terminal/lib.sh
. tests/terminal/lib.sh
# shellcheck source=tests/packages/lib.sh
. tests/packages/lib.sh
trap 'tidy; clean' EXIT
trees_possible || { echo "skipped packages: wheel"; exit 0; }
wheel=$(echo dist/ranksh-*.whl)
file=$(basename "$wheel")
check "the wheel has $(megabytes "$wheel") MB, fewer than 25" [ "$(stat -c %s "$wheel")" -lt 25000000 ]

for suite in bullseye bookworm; do
	tree $suite python3,python3-venv || { echo "skipped packages: no tree of $suite"; continue; }
	cp "$wheel" "$tree/home/learner"
	timed inside learner "python3 -m venv v && v/bin/pip install ./$file"
	check "$suite: pip installs the wheel and Open MPI in $seconds s" [ $status = 0 ]
	timed inside learner "v/bin/ranksh --version && v/bin/python -m ranksh --version"
	check "$suite: ranksh and python -m ranksh start" [ "$(sort -u "$said")" = "ranksh $(sed -n 's/^VERSION *= *//p' Makefile)" ]
	timed inside learner "v/bin/ranksh -n 4 -c 'print (6 * 7)'"
	check "$suite: 4 ranks print after $seconds s" said_line '42'
	same_numbers $suite v/bin/ranksh
	# the older one has no terminal database: ncurses uses its own entries
	[ $suite = bookworm ] || rm -rf "$tree/lib/terminfo" "$tree/etc/terminfo" "$tree/usr/share/terminfo"
	opens $suite "v/bin/ranksh -n 4"
	timed inside learner "mkdir bin && ln -s ../v/bin/ranksh bin/ranksh && bin/ranksh --version"
	check "$suite: a link to the script starts it" [ $status = 0 ]
	timed inside learner "v/bin/pip uninstall -y ranksh && find v -name '*ranksh*'"
	check "$suite: pip uninstall leaves no file" [ "$(grep -c '^v/' "$said")" = 0 ]
	rm -rf "$tree"
done
