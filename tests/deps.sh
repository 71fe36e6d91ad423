#!/bin/sh
# deps.sh -- tools/deps with the test's own dpkg-query and apt-get: it installs missing packages,
# with a line of progress on a terminal; reads the list of packages if one is not found; and after
# a failure prints apt-get's output
set -u
cd "$(dirname "$0")/.." || exit 1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat > "$work/dpkg-query" <<'E2'
#!/bin/sh
for package; do :; done
case $package in there) echo "install ok installed" ;; esac
E2
cat > "$work/apt-get" <<'E2'
#!/bin/sh
echo "$*" >> "$WORK/calls"
case $* in
*' update') echo dlstatus:1:50.0:Retrieving file 1 of 2; : > "$WORK/listed" ;;
*' nowhere') echo "E: Unable to locate package nowhere" >&2; exit 100 ;;
*' unlisted') [ -e "$WORK/listed" ] || exit 100 ;;
*) echo "Selecting previously unselected package absent."; echo "pmstatus:absent:20.0:Unpacking absent (amd64)" ;;
esac
E2
printf '#!/bin/sh\nexec "$@"\n' > "$work/sudo"
printf '#!/bin/sh\necho ${SYSTEM:-Linux}\n' > "$work/uname"
printf '#!/bin/sh\necho 1000\n' > "$work/id"
printf '#!/bin/sh\n' > "$work/python3"
chmod +x "$work"/*
# deps PACKAGE...: runs tools/deps on a terminal, with its output in `shown` and its calls in
# `calls`
deps() {
	rm -f "$work/calls"
	PATH=$work:$PATH WORK=$work script -qec "sh tools/deps $*" "$work/script" > "$work/shown" 2>&1 < /dev/null
}
# check NAME COMMAND...
check() {
	name=$1
	shift
	if "$@"; then echo "ok deps: $name"; else echo "FAIL deps: $name"; cat -v "$work/shown" "$work/calls" 2> /dev/null; fi
}
deps there
check "nothing is installed if all is there" [ ! -e "$work/calls" ]
deps there absent
check "the missing package is installed" grep -q 'install --no-install-recommends absent$' "$work/calls"
check "a line shows how far it is" grep -q ' s: installing, 20 %: Unpacking absent' "$work/shown"
check "what apt-get prints is not shown if it succeeds" [ "$(grep -c Selecting "$work/shown")" = 0 ]
deps unlisted
check "the list of packages is read if a package is not found" [ "$(cut -d' ' -f4 "$work/calls" | tr '\n' ' ')" = "install update install " ]
check "a line shows that the list is read" grep -q 'reading the list of packages, 50 %' "$work/shown"
check "a package that does not exist is a failure" eval '! deps nowhere'
check "the failure has the words of apt-get" grep -q 'Unable to locate package nowhere' "$work/shown"
# tools/unpack, which downloads what it does not install
unpack() { PATH=$work:$PATH WORK=$work sh tools/unpack "$work/unpacked" "$@" > "$work/shown" 2>&1; }
unpack nowhere
check "unpack fails if a package does not exist" [ $? = 1 ]
check "... in apt-get's words" grep -q '^E: Unable to locate package nowhere' "$work/shown"
# with only these programs on PATH: without sudo, and then without dpkg-query
only() {
	rm -rf "$work/only"
	mkdir "$work/only"
	for program in "$@"; do ln -s "$(PATH=$work:$PATH command -v "$program")" "$work/only"; done
	PATH=$work/only sh tools/deps absent > "$work/shown" 2>&1
}
only sh id uname dpkg-query dpkg-source python3
check "without root and sudo: the packages" grep -q 'apt-get install absent$' "$work/shown"
check "without root and sudo: what helps" grep -q 'make wheel .*pip install dist' "$work/shown"
only sh id uname dpkg-query
check "without root, sudo and tools: a wheel of another computer" grep -q 'another computer' "$work/shown"
only sh uname
check "another distribution: its packages, and a wheel" [ "$(grep -c 'dnf install\|pacman\|a wheel' "$work/shown")" = 3 ]
SYSTEM=Darwin only sh uname
check "another system: what runs ranksh there" grep -q 'a virtual machine with Linux' "$work/shown"
