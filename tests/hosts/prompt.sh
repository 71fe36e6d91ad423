#!/bin/sh
# prompt.sh -- --hosts, --hostfile, --prefix and an allocation on two hosts (lib.sh): the prompt, a
# death on the other host, hosts that cannot take part
. tests/terminal/lib.sh
. tests/hosts/lib.sh
trap 'clean; hosts_clean' EXIT
OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 RANKSH_SSH=$dir/agent
export OMPI_ALLOW_RUN_AS_ROOT OMPI_ALLOW_RUN_AS_ROOT_CONFIRM RANKSH_SSH
on_n1="$dir/on_n1 $RANKSH"

# ---- scripts ----

# run ARGUMENTS...: on n1, until it ends
run() {
	# shellcheck disable=SC2086 # words
	timeout $((120 * ${SLOW:-1})) ${through:-} $on_n1 "$@" < /dev/null > "${out:-$dir/out}" 2>&1
	code=$?
}
# said NAME STATUS TEXT: the last run's status, and a line of its output
said() {
	if [ $code = "$2" ] && grep -qF -e "$3" "$dir/out"; then echo "ok $1"; else echo "FAIL $1: status $code"; sed 's/^/    /' "$dir/out"; fi
}
# meanwhile, a host that does not answer
(out=$dir/out.off; run --hosts n1,n3 -c 'print 1'; echo $code > "$dir/off.code") &
off=$!
run --hosts n1,n2 -c 'print 1'
if [ $code != 0 ]; then # the same without ranksh
	"$dir/on_n1" mpirun --host n1:1,n2:1 --mca plm_rsh_agent "$dir/agent" hostname > "$dir/out2" 2>&1 ||
		{ echo "skipped: prompt (mpirun does not start processes in namespaces here)"; exit 0; }
fi
said "four ranks on two hosts, by default" 0 '[0-3] 1 = 1'

# a machine, a script and data that only n1 has are read by rank 0
cp machines/classroom.machine "$dir/near/m.machine"
echo 'let answer = 41 + 1' > "$dir/near/b.rsh"
printf 'source %s/near/b.rsh\nspin 1ms\nwhatif machine=%s/near/m.machine\nprint answer' "$dir" "$dir" > "$dir/near/a.rsh"
run -n 2 --hosts n1,n2 --machine "$dir/near/m.machine" "$dir/near/a.rsh"
said "files of the first host" 0 'answer = 42'
run -n 2 --hosts n2 "$dir/near/a.rsh"
said "a file that the other host lacks" 2 'a.rsh: No such file or directory on n2'
printf 'n1\nn1\nn2\n' > "$dir/nodes"
through="env PBS_JOBID=7 PBS_NODEFILE=$dir/nodes"
run -c 'print world'
said "an allocation gives its slots" 0 '[0-2] world = 3'
run -n 4 -c 'print world'
said "... and not more" 2 'ranksh: -n 4 is more than the 3 slots of the PBS job 7; -n 3 or fewer'
through=

# ---- hosts that cannot take part ----

wait $off
cp "$dir/out.off" "$dir/out"; code=$(cat "$dir/off.code")
said "a host that is off" 4 'ranksh: n3 cannot be reached: ssh: connect to host n3 port 22: No route to host; try `ssh n3 true`'
said "... is named meanwhile" 4 'ranksh: waiting for n3: 5 s'
grep -v '^ranksh: ' "$dir/out" && echo "FAIL ... and nothing of mpirun's words is shown" || echo "ok ... and nothing of mpirun's words is shown"
run -n 2 --hosts n1,n2 --prefix /nonexistent -c 'print 1'
said "a host without ranksh" 4 'n2: there is no ranksh in /nonexistent; install it there, or name its folder by --prefix DIR'
# the same binary with another version in it: every digit is another one
version=$("$RANKSH" --version | sed 's/.* //')
other=$(echo "$version" | tr 0-9 1-90)
mkdir -p "$dir/other/bin"
LC_ALL=C sed "s/$version\\x00/$other\\x00/g; s/there is ranksh $version,/there is ranksh $other,/" "$RANKSH" > "$dir/other/bin/ranksh"
chmod +x "$dir/other/bin/ranksh"
run -n 2 --hosts n1,n2 --prefix "$dir/other" -c 'print 1'
said "a host with another version" 4 "n2: $dir/other/bin/ranksh there is ranksh $other, and this is ranksh $version; install the same version"
on_n1="$dir/on_n1 mpirun --mca plm_rsh_agent $dir/agent -n 1 --host n1 $RANKSH -c rank : -n 1 --host n2 $dir/other/bin/ranksh"
run -c rank
said "... without a front end" 2 "ranksh: rank 0 on n1 is ranksh $version, and rank 1 on n2 is $other: the version must be the same"
# the words of ssh itself, if it is installed
on_n1="env RANKSH_SSH= $dir/on_n1 env -u RANKSH_SSH $RANKSH"
if command -v ssh > /dev/null; then
	run -n 2 --hosts n1,n4 -c 'print 1'
	said "ssh: no route" 4 'ranksh: n4 cannot be reached: ssh: connect to host n4 port 22: Network is unreachable; try `ssh n4 true`'
	run -n 2 --hosts n1,n2 -c 'print 1'
	said "ssh: no server" 4 'ranksh: n2 cannot be reached: ssh: connect to host n2 port 22: Connection refused; try `ssh n2 true`'
	run -n 2 --hosts n1,n5 -c 'print 1'
	said "ssh: an unknown name" 4 'is the name right?'
else
	echo "skipped: prompt: what ssh says (no ssh here)"
fi

# ---- the prompt ----

# far R: the process of rank R, on either host
far() {
	for pid in $(pgrep -x ranksh); do
		{ tr '\0' '\n' < "/proc/$pid/environ"; } 2> /dev/null > "$dir/environ"
		grep -qxF "RANKSH_SSH=$dir/agent" "$dir/environ" && grep -qx "OMPI_COMM_WORLD_RANK=$1" "$dir/environ" && echo "$pid"
	done
}
# ticks: the processor time of the four ranks
ticks() { for pid in $ranks; do sed 's/.*) //' "/proc/$pid/stat"; done | awk '{ sum += $12 + $13 } END { print sum }'; }
RANKSH="$dir/on_n1 $RANKSH"
open 80 24 -n 4 --hosts n1,n2 --journal "$dir/journal"
check "a prompt over two hosts" shows '^0.00 ms > *$'
line 'tensor x[256,256] = randn seed=1; y = matmul x x; allreduce y; sync; print y[0,0]'
check "a line runs on both" shows '^\[0-3\] y\[0,0\] = 1.97398'
ranks=$(for rank in 0 1 2 3; do far $rank; done)
line 'view'
check "the view" shows '^       default .* matmul y .* allreduce y'
keys q
check "... and back" ends_with_prompt
kill -9 "$(far 3)"
check "a rank that dies on the other host is named, with its host" shows '^rank 3 on n2 died of signal 9 (Killed)'
check "no rank is left, on either host" all_gone $ranks
clear_screen
line 'restart'
check "restart runs the lines again on both" shows '4 new ranks; 1 line run again'
clear_screen
line 'print y[0,0]'
check "the data are back" shows '= 1.97398'
check "the journal has the lines" grep -q '"line":"print y\[0,0\]"' "$dir/journal"
ranks=$(for rank in 0 1 2 3; do far $rank; done)
before=$(ticks)
timeout 2 tail -f /dev/null
used=$(($(ticks) - before))
[ $used -lt 40 ] && echo "ok four idle ranks take less than a fifth of a processor" || echo "FAIL four idle ranks took $used of 200 ticks"
kill -9 "$(ps -o ppid= -p "$(far 3)")"
check "a host that is lost is named" shows "^n2 was lost: mpirun's connection to it broke"
check "no rank outlives it" all_gone $ranks
line 'quit'
check "quit says how to resume on both hosts" showed "ranksh --resume --journal $dir/journal --hosts 'n1,n2'"
check "... with the status of a lost job" left 4
