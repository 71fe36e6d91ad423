#!/bin/sh
# export.sh -- the timeline as files, of each kind, of a section and of some ranks. A foreign file
# is overwritten only with `force`.
. tests/script/lib.sh
cd "$work" || exit 1
cat > all.rsh <<'END'
stream io compute
tensor h[64,64] pinned = randn
tensor x[64,64] w[64,64] = randn
@2 slow 3x
copy h -> x on io; wait io on compute
phase "a<b>&\"c\", d"
y = matmul x w on compute
allreduce y on compute
sync
mark two
repeat 3 { spin 1ms }
sync
export a.svg
export a.html
export a.csv
export a.txt
export a.json
export two.csv two
export current.txt current width=60
export spans.txt 0ms 500us io width=60
expect error "only a .svg or .txt leaves streams out" { export b.csv io }
expect error "only `timeline critical` draws" { export b.svg critical }
expect error "each is a window" { export b.svg two last }
spin 2ms
export under_way.svg
export under_way.csv
export under_way.json two
export kineto under_way
sync
@1-2 export some.csv width=60
export narrow.txt width=60
export a.svg
expect error "of_others.svg exists and is not a file of `export`: `export of_others.svg force` overwrites it" { export of_others.svg }
export of_others.svg force
expect error "a file's ending chooses its format: .svg .html .csv .txt .json" { export a.png }
expect error "no section 'twu'; did you mean 'two'?" { export b.csv twu }
expect error "cannot be written" { export nowhere/a.svg }
export kineto traces
export kineto traces
@1 export kineto traces force
expect error "cannot be made" { export kineto nowhere/traces }
expect error "rank0.pt.trace.json.part cannot be written" { export kineto a.svg }
expect error "rank1.pt.trace.json is not a regular file" { export kineto half force }
END
echo 'of others' > of_others.svg
mkdir -p half/rank1.pt.trace.json && echo before > half/rank0.pt.trace.json
within 60 "$RANKSH" -n 4 all.rsh > out 2>&1
check 'runs' [ $? = 0 ]
xml() { python3 -c "import xml.dom.minidom as d; d.parse('$1')" 2>/dev/null || grep -q '</svg>' "$1"; }
check 'a picture, well-formed' xml a.svg
check 'its lanes, bars and who was waited for' sh -c "grep -q '>0,1,3<' a.svg && grep -q 'matmul y' a.svg && grep -q 'peer: matmul y of rank 2\|peer: allreduce y of rank 2' a.svg"
check 'what is done in full, what is not dashed' sh -c "! grep -q dasharray a.svg && grep -q dasharray under_way.svg"
check '... on the page, too' sh -c "! grep -qE '\"spans\":\[[0-9]+,[0-9]+,[0-9]*[13579],' a.html"
check '... in a table 1 and 0' sh -c "tr -d '\r' < a.csv | grep -q ',1$' && ! tr -d '\r' < a.csv | grep -q ',0$' && tr -d '\r' < under_way.csv | grep -q 'work,,spin,.*,0$'"
check '... for Perfetto by a word' sh -c "! grep -q projected a.json && grep -q projected under_way.json"
check '... left out of what a profiler would have seen' grep -q 'left out, because not finished: 4 operations' out
# page.html itself must ask nothing of a network, and the data within must not end early
check 'a page in one file' sh -c "! grep -q 'https\?://' a.html && [ \"\$(grep -c '</script>' a.html)\" = 2 ] && tail -c 20 a.html | grep -q '</html>'"
check 'spans in it, and hostile words as escapes' sh -c "grep -q '\"lanes\":\[' a.html && ! sed -n '/<script id/,/<\/script>/p' a.html | sed '1s/<script[^>]*>//; s/<\/script>//' | grep -q '<'"
check 'a table: as many fields in each line' sh -c "tr -d '\r' < a.csv | sed 's/\"[^\"]*\"\(\"[^\"]*\"\)*/q/g' | awk -F, 'NF != 17 { bad = 1 } END { exit bad || NR < 20 }'"
check 'words in quotes where they have to be' grep -q '"a<b>&""c"", d"' a.csv
check 'whom a wait is blamed on' grep -q '^0,compute,[0-9]*,[0-9]*,stall,peer,peer,.*,2,[0-9]*,' a.csv
check 'a section alone' sh -c "! grep -q matmul two.csv && grep -q spin two.csv"
check 'some ranks alone' sh -c "grep -q '^1,' some.csv && grep -q '^2,' some.csv && ! grep -q '^[03],' some.csv"
check 'the words of timeline: the current section' sh -c "grep -q spin current.txt && ! grep -q matmul current.txt"
check '... a window of a stream' sh -c "grep -q ' io ' spans.txt && ! grep -q 'compute' spans.txt && ! grep -q host spans.txt"
check 'text, as wide as is asked for' sh -c "grep -q 'compute' a.txt && tr -d '\200-\277' < narrow.txt | LC_ALL=C awk '{ if (length > 60) wide = 1 } END { exit wide }'"
cat > stuck.rsh <<END
tensor x[64] = ones
@0,2,3 allreduce x
export stuck.csv
abort world
END
within 60 "$RANKSH" -n 4 stuck.rsh > out 2>&1
check "runs where ranks wait for ever" [ $? = 0 ]
check "what waits for ever is in the table, not done, and for whom" sh -c "tr -d '\\r' < stuck.csv | grep -q '^2,default,[0-9]*,[0-9]*,stall,peer,peer,.*,1,,,.*,0$'"
check 'nothing half-written is left' [ "$(ls | grep -c '\.new\|~')" = 0 ]
check 'a file a rank, as PyTorch writes them' [ "$(ls traces | tr '\n' ' ')" = 'rank0.pt.trace.json rank1.pt.trace.json rank2.pt.trace.json rank3.pt.trace.json ' ]
check 'all of them or none: what was there stays' sh -c 'grep -qx before half/rank0.pt.trace.json && [ "$(ls half | wc -l)" = 2 ]'
check 'whose it is' grep -q '"distributedInfo": {"rank": 2,' traces/rank2.pt.trace.json
check 'kernels, launches and flows, as many of each' sh -c 'for each in "\"ph\":\"s\"" "\"ph\":\"f\"" "\"cpu_op\""; do grep -c "$each" traces/rank0.pt.trace.json; done | sort -u | wc -l | grep -qx 1'
check 'collectives by the names of NCCL' grep -q 'ncclDevKernel_AllReduce_Sum_f32_RING_.*"Collective name":"allreduce","In msg nelems":4096,"Out msg nelems":4096,"Group size":4,"dtype":"Float"' traces/rank3.pt.trace.json
check '... launched by the operators of PyTorch' grep -q '"cat":"cpu_op".*"name":"nccl:all_reduce"' traces/rank3.pt.trace.json
cat > chunks.rsh <<'END'
tensor x[5,3] = 1
y = reducescatter x
z = allgather y rows=5
sync
export kineto chunks
END
within 60 "$RANKSH" -n 4 chunks.rsh > out 2>&1
check "parts that are not equal ..." [ $? = 0 ]
check "... count as NCCL has them: padded" [ "$(grep -ho '"Collective name":"[a-z]*","In msg nelems":[0-9]*,"Out msg nelems":[0-9]*' chunks/rank*.json | sort | uniq -c | tr -s ' \n' ' ')" = ' 4 "Collective name":"allgather","In msg nelems":6,"Out msg nelems":24 4 "Collective name":"reducescatter","In msg nelems":24,"Out msg nelems":6 ' ]
cat > node.rsh <<'END'
set gpus=2
tensor h[256] host = 1;  tensor p[256] q[256] pinned = 1;  tensor f[256] disk = 1;  tensor x[256] v[256] = 1
stream cpu;  stream thread kind=host
sgd p q lr=1 on cpu;  copy f -> p on cpu;  copy p -> x on cpu;  copy q -> f on thread;  spin 1us on thread
wait cpu on default;  wait thread on default;  y = allgather x;  z = reducescatter y;  u = alltoall x;  broadcast x;  reduce x;  barrier
@0,2 send x to=rank+1
@1,3 recv x from=rank-1
sendrecv x -> v to=(rank+1)%4 from=(rank+3)%4
sync
export kineto node
END
within 60 "$RANKSH" -n 4 node.rsh > out 2>&1
check "... of two nodes, with work of the host" [ $? = 0 ]
cat > shape.py <<'END'
import json
for rank in range(4):
    trace = json.load(open(f"node/rank{rank}.pt.trace.json"))
    events = trace["traceEvents"]
    assert [gpu["id"] for gpu in trace["deviceProperties"]] == [0, 1]
    work = [e for e in events if e.get("cat") in ("kernel", "gpu_memcpy")]
    assert work and all(e["pid"] == e["args"]["device"] == rank % 2 for e in work)
    assert [e["name"] for e in work if not e["name"].startswith("nccl")] == ["Memcpy HtoD (Pinned -> Device)"]
    op = [e for e in events if e.get("cat") == "cpu_op"]
    threads = {e["tid"]: e["args"]["name"] for e in events if e["name"] == "thread_name" and e["pid"] == 1000 + rank}
    assert sorted((threads[e["tid"]], e["name"]) for e in op if threads[e["tid"]] != "host") == [
        ("cpu", "aten::copy_"), ("cpu", "aten::sgd"), ("thread", "aten::copy_"), ("thread", "aten::spin")]
    peer = rank ^ 1
    assert {e["name"] for e in op if e["name"].startswith("nccl")} == {
        "nccl:all_gather", "nccl:reduce_scatter", "nccl:all_to_all", "nccl:broadcast", "nccl:reduce", "nccl:all_reduce_barrier",
        "nccl:coalesced", f"nccl:recv {rank}<-{peer}" if rank % 2 else f"nccl:send {rank}->{peer}"}
    launched = {e["args"]["External id"] for e in op if threads[e["tid"]] == "host"}
    assert all(e["args"]["External id"] in launched for e in work)
END
if command -v python3 > /dev/null; then check "... each GPU of the node, operators by name, the host on threads of its own" python3 shape.py; fi
check 'memory' grep -q '"\[memory\]"' traces/rank1.pt.trace.json
