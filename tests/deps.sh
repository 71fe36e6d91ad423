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
