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
check "the wheel has $(megabytes "$wheel") MB, fewer than 25" [ "$(stat -c %s "$wheel")" -lt 25000000 ]

# gpu_libraries: NVIDIA's packages are in the folders that ranksh looks in (src/cuda/library/open.c)
gpu_libraries() {
	timed inside learner "$(page gpu)"
	folders="$tree/home/learner/ranksh-env/lib/python3*/site-packages/nvidia/*/lib"
	check "gpu: pip installs NVIDIA's libraries in $seconds s" [ $status = 0 ]
	for library in libcublas.so.12 libnccl.so.2 libnvrtc.so.12; do
		# shellcheck disable=SC2086
		check "gpu: $library" [ "$(ls $folders | grep -cx $library)" = 1 ]
	done
	# shellcheck disable=SC2086
	echo "   $(megabytes $folders) MB on disk"
}

for suite in bullseye bookworm; do
	tree $suite python3,python3-venv || { echo "skipped packages: no tree of $suite"; continue; }
	cp "$wheel" "$tree/home/learner"
	timed inside learner "$(page wheel)"
	check "$suite: pip installs the wheel and Open MPI in $seconds s" [ $status = 0 ]
	timed inside learner "ranksh-env/bin/ranksh --version && ranksh-env/bin/python -m ranksh --version"
	check "$suite: ranksh and python -m ranksh start" [ "$(sort -u "$said")" = "ranksh $(sed -n 's/^VERSION *= *//p' Makefile)" ]
	timed inside learner "ranksh-env/bin/python -c 'from ranksh import Session
with Session(n=2) as s: print(s.run(\"print (6 * 7)\").text)'"
	check "$suite: Session in Python" said_line '= 42'
	timed inside learner "ranksh-env/bin/ranksh -n 4 -c 'print (6 * 7)'"
	check "$suite: 4 ranks print after $seconds s" said_line '42'
	same_numbers $suite ranksh-env/bin/ranksh
	# the older one has no terminal database: ncurses uses its own entries
	[ $suite = bookworm ] || rm -rf "$tree/lib/terminfo" "$tree/etc/terminfo" "$tree/usr/share/terminfo"
	opens $suite "$(page_prompt wheel)"
	timed inside learner "mkdir bin && ln -s ../ranksh-env/bin/ranksh bin/ranksh && bin/ranksh --version"
	check "$suite: a link to the script starts it" [ $status = 0 ]
	[ $suite = bullseye ] || gpu_libraries
	timed inside learner "ranksh-env/bin/pip uninstall -y ranksh && find ranksh-env -name '*ranksh*'"
	check "$suite: pip uninstall leaves no file" [ "$(grep -c '^ranksh-env/' "$said")" = 0 ]
	rm -rf "$tree"
done
