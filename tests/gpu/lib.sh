# lib.sh FOLDER -- the beginning of check.sh and bench.sh. FOLDER has the programs in subfolders as
# make builds them (unit/, gpu/), or all in one place. ONLY="PART ..." runs only these parts; LIMIT
# is the number of seconds for all parts (470). Without a GPU it reports what is missing and exits
# with status 0.
folder=$(realpath "${1:-build}")
RANKSH=$folder/ranksh
unset RANKSH_DEVICE
export RANKSH OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_btl=self,vader,tcp OMPI_MCA_hwloc_base_binding_policy=none \
	OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
XDG_STATE_HOME=$work SLOW=${SLOW:-1}
export XDG_STATE_HOME SLOW
passed=0 failed=0 begun=$(date +%s)

# program NAME: where it is
program() { for at in "$folder" "$folder/unit" "$folder/gpu"; do [ ! -x "$at/$1" ] || { echo "$at/$1"; return; }; done; }
wanted() { case " ${ONLY:-$1} " in *" $1 "*) ;; *) return 1 ;; esac; }
left() { echo $((${LIMIT:-470} * SLOW + begun - $(date +%s))); }
ok() { passed=$((passed + 1)); echo "ok $*"; }
# bad WHAT...: with the end of what `out` has
bad() {
	failed=$((failed + 1))
	echo "FAIL $*"
	[ ! -s "$work/out" ] || tail -"${TAIL:-12}" "$work/out" | cut -c1-200 | sed 's/^/    /'
}
# within SECONDS COMMAND...: into `out`; no longer than is left of LIMIT
within() {
	seconds=$(($1 * SLOW))
	shift
	[ "$seconds" -le "$(left)" ] || seconds=$(left)
	[ "$seconds" -gt 0 ] || { echo "no time was left for it" > "$work/out"; return 124; }
	timeout "$seconds" "$@" > "$work/out" 2>&1 < /dev/null
}
# right WHAT SECONDS COMMAND...: its status is 0
right() {
	what=$1 from=$(date +%s)
	shift
	if within "$@"; then ok "$what: $(($(date +%s) - from)) s"; else bad "$what: status $? after $(($(date +%s) - from)) s (124: it took too long)"; fi
}
total() {
	echo "$passed passed, $failed failed, $(($(date +%s) - begun)) s"
	[ $failed = 0 ] && [ $passed -gt 0 ]
}

# the facts; what is measured on a stand-in tells nothing, and is given no verdict
"$(program facts)" > "$work/facts" 2>&1 || { cat "$work/facts"; echo "0 passed, 1 failed, 0 s"; exit 1; }
cat "$work/facts"
! grep -q '^skipped: ' "$work/facts" || exit 0
standin=
if grep -q '^GPU 0: Stand-in GPU,' "$work/facts"; then
	standin=yes RANKSH_STANDIN=${RANKSH_STANDIN:-gpus=1 memory=400GB free}
	export RANKSH_STANDIN
fi
