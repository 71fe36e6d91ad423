"""Loads what `export kineto` writes with Holistic Trace Analysis: each of its analyses must work, and what both compute must agree.
And with TensorBoard's plugin for PyTorch's profiler, torch-tb-profiler: every rank's file must load, by the times of its kernels.

run: tests/hta/run RANKSH (it gets both from PyPI). No part of `make check`: it wants a network.
"""
import collections
import json
import logging
import os
import re
import shutil
import subprocess
import sys
import tempfile
import warnings

os.environ["HTA_DISABLE_NS_ROUNDING"] = "1"  # else it rounds each end by itself: work shorter than 1 us ends before it begins
warnings.filterwarnings("ignore")
logging.disable(logging.CRITICAL)
from hta.trace_analysis import TraceAnalysis  # noqa: E402
from torch_tb_profiler.profiler.data import RunProfileData  # noqa: E402
from torch_tb_profiler.profiler.event_parser import ProfileRole  # noqa: E402
from torch_tb_profiler.profiler.run_generator import RunGenerator  # noqa: E402

RANKSH = sys.argv[1]
GPT = "model gpt layers=2 hidden=64 heads=4 seq=64 batch=8; "
# name, ranks, lines
SCRIPTS = [
    ("streams", 4, "stream comm; tensor x[256,256] w[256,256] = randn; y = matmul x w; wait default on comm; "
                         "allreduce y on comm; z = matmul x w; wait comm on default; v = add y z; sync"),
    ("slow", 4, "stream comm; tensor x[256,256] w[256,256] = randn; @2 slow 2x; y = matmul x w; "
                       "wait default on comm; allreduce y on comm; z = matmul x w; sync"),
    ("ddp", 4, GPT + "strategy ddp bucket=64k; run 3; sync"),
    ("fsdp", 4, GPT + "strategy fsdp; run 3; sync"),
    ("tensor parallel", 4, GPT + "strategy tp; run 3; sync"),
    ("pipeline", 4, "model gpt layers=4 hidden=64 heads=4 seq=64 batch=8; strategy pipeline; run 3; sync"),
    ("two nodes", 4, "set gpus=2; " + GPT + "strategy ddp; run 3; sync"),
    ("offload", 4, GPT + "strategy zero stage=2 offload=optimizer:nvme; run 3; sync"),
]
passed = failed = 0


def check(name, right, found=""):
    global passed, failed
    passed, failed = passed + bool(right), failed + (not right)
    print(f"{'ok' if right else 'FAIL'} {name}" + ("" if right else f": {found}"), flush=True)


def works(name, analysis, may_be_empty=False):
    try:
        result = analysis()
        nothing = result is None or (hasattr(result, "__len__") and len(result) == 0)
        check(name, not nothing or may_be_empty, "nothing")
        return result
    except Exception as error:  # whatever an analysis trips over
        check(name, False, repr(error))
        return None


def figures(ranks, lines, folder):
    """What ranksh itself says, by rank: idle, overlapped (parts), time, exposed (us)."""
    script = lines + f'; export kineto {folder}; say "figures $rank $(idle) $(overlapped) $(time / 1us) $(exposed / 1us)"'
    said = subprocess.run([RANKSH, "-n", str(ranks), "-c", script.replace("; ", "\n")], capture_output=True, text=True)
    found = re.findall(r"figures (\d+) (\S+) (\S+) (\S+) (\S+)", said.stdout)
    check("exported", said.returncode == 0 and len(found) == ranks, said.stdout + said.stderr)
    return {int(f[0]): [float(v) for v in f[1:]] for f in found}


def analyses(trace, steps):
    works("kernel breakdown", lambda: trace.get_gpu_kernel_breakdown(visualize=False, include_memory_kernels=True))
    works("idle time breakdown", lambda: trace.get_idle_time_breakdown(ranks=list(trace.t.get_ranks()), visualize=False))
    works("queue length", trace.get_queue_length_summary)
    works("blocked on a full queue",
          lambda: trace.get_time_spent_blocked_on_full_queue(trace.get_queue_length_time_series()), True)  # none is full
    works("launch statistics", lambda: trace.get_cuda_kernel_launch_stats(visualize=False))
    works("operators and delay", lambda: trace.get_aten_op_kernels_and_delay(ranks=list(trace.t.get_ranks())))
    if not steps:
        return
    found = works("steps", trace.get_profiler_steps)
    check("three steps", len(found) == 3, found)
    works("kernels with annotations", lambda: trace.get_gpu_kernels_with_user_annotations(rank=0))
    works("memory bandwidth", trace.get_memory_bw_summary)  # batches are copied
    works("annotations of steps",
          lambda: trace.get_gpu_user_annotation_breakdown(use_gpu_annotation=True, visualize=False))
    for rank in trace.t.get_ranks():
        graph = works("critical path", lambda: trace.critical_path_analysis(rank, annotation="ProfilerStep", instance_id=1))
        check(f"... of rank {rank} is found", graph and graph[1] and graph[0].critical_path_nodes)


def united(spans):
    """Spans that touch, as one."""
    merged = []
    for begin, end in sorted(spans):
        if merged and begin <= merged[-1][1]:
            merged[-1][1] = max(merged[-1][1], end)
        else:
            merged.append([begin, end])
    return merged


def length(spans):
    return sum(end - begin for begin, end in united(spans))


def is_nccl(event):
    return event["name"].startswith("nccl")


def load(folder, ranks):
    """By rank: its kernels and copies, in the order in which they were queued."""
    work = {}
    for rank in range(ranks):
        with open(f"{folder}/rank{rank}.pt.trace.json") as file:
            events = [e for e in json.load(file)["traceEvents"] if e.get("cat") in ("kernel", "gpu_memcpy")]
        work[rank] = sorted(events, key=lambda e: e["args"]["correlation"])
    return work


def all_came(work):
    """By rank and correlation: when the last rank of a collective had come, or the later of a send and its receive."""
    keys, came = {}, {}
    for rank, events in work.items():
        seen = collections.Counter()
        for event in filter(is_nccl, events):
            args = event["args"]
            way, group = args["Collective name"], (args["Process Group Name"], args["Process Group Ranks"])
            if way in ("send", "recv"):
                group += (rank, args["Peer"]) if way == "send" else (args["Peer"], rank)
            seen[way, group] += 1
            key = keys[rank, args["correlation"]] = ("p2p" if "Peer" in args else way, group, seen[way, group])
            came[key] = max(came.get(key, 0), event["ts"])
    return {which: came[key] for which, key in keys.items()}


def spans(events):
    return [(e["ts"], e["ts"] + e["dur"]) for e in events]


def same(name, found, own, within=1.0):
    check(name, abs(found - own) < within, f"{found} and {own}")


def agreement(trace, folder, own):
    """HTA's numbers are those of the files, and the files', without waiting for other ranks, are ranksh's own: to 1 us."""
    temporal = works("temporal breakdown", lambda: trace.get_temporal_breakdown(visualize=False))
    overlap = works("communication and computation", lambda: trace.get_comm_comp_overlap(visualize=False))
    work = load(folder, len(own))
    came = all_came(work)
    for rank, (idle, overlapped, time, exposed) in own.items():
        kernels = [e for e in work[rank] if e["cat"] == "kernel" and not is_nccl(e)]
        nccl = list(filter(is_nccl, work[rank]))
        streams = {e["args"]["stream"] for e in kernels}
        computing, waiting = spans(kernels), spans(nccl)
        both = length(computing) + length(waiting) - length(computing + waiting)
        hta = temporal[temporal["rank"] == rank].iloc[0]
        same(f"rank {rank} computes as long", hta["compute_time(us)"], length(computing))
        same(f"rank {rank} communicates or copies as long", hta["non_compute_time(us)"],
             length(spans(work[rank])) - length(computing))
        same(f"rank {rank} idles as long to HTA", hta["idle_time(us)"],
             hta["kernel_time(us)"] - length(spans(work[rank])))
        same(f"rank {rank} overlaps as much to HTA", overlap[overlap["rank"] == rank].iloc[0]["comp_comm_overlap_pctg"],
             100 * both / length(waiting), within=0.01)
        same(f"rank {rank} idles as long", time - length(spans(e for e in work[rank] if e["args"]["stream"] in streams)),
             idle * time)
        moving = [(came[rank, e["args"]["correlation"]], e["ts"] + e["dur"]) for e in nccl]
        both = length(computing) + length(moving) - length(computing + moving)
        same(f"rank {rank} has as much exposed communication", length(moving) - both, exposed)
        same(f"rank {rank} overlaps as much", 100 * both / length(moving), 100 * overlapped, within=0.01)


def tensorboard(folder, ranks):
    """The plugin's own times by kind are those of the file's GPU events; it has all GPUs of the node."""
    known = {"nccl:" + name for name in ("all_reduce", "all_gather", "reduce_scatter", "broadcast", "reduce")}
    for rank in range(ranks):
        path = f"{folder}/rank{rank}.pt.trace.json"
        data = works(f"TensorBoard loads rank {rank}", lambda: RunProfileData.parse(f"rank{rank}", "1", path, folder))
        if data is None:
            continue
        with open(path) as file:
            trace = json.load(file)
        works("... and makes its overview", lambda: RunGenerator(f"rank{rank}", "1", data).generate_run_profile())
        ids = [gpu["id"] for gpu in trace["deviceProperties"]]
        check("... has its GPU", ids == list(range(len(ids))) and data.used_devices and data.used_devices[-1] in ids, ids)
        launched = {e["args"]["External id"]: e["name"] for e in trace["traceEvents"] if e.get("cat") == "cpu_op"}
        kernels = [e for e in trace["traceEvents"] if e.get("cat") == "kernel"]
        nccl = [e for e in kernels if launched[e["args"]["External id"]] in known]
        check("... finds communication", data.has_communication == bool(nccl), data.has_communication)
        check("... and kernels alone beside it", all(is_nccl(e) for e in nccl) and length(data.role_ranges[ProfileRole.Kernel]) ==
              length(spans(e for e in kernels if e not in nccl)), len(nccl))
        names = {e["name"] for e in trace["traceEvents"] if e.get("cat") in ("kernel", "gpu_memcpy")}
        check("... and no work of the host on the GPU", not any("Disk" in name or "HtoH" in name for name in names), names)


for name, ranks, lines in SCRIPTS:
    print(f"## {name}")
    folder = tempfile.mkdtemp()
    own = figures(ranks, lines, folder + "/traces")
    if own:
        trace = TraceAnalysis(trace_dir=folder + "/traces")
        check("all ranks are found", sorted(trace.t.get_ranks()) == list(range(ranks)), trace.t.get_ranks())
        agreement(trace, folder + "/traces", own)
        analyses(trace, "strategy" in lines)
        tensorboard(folder + "/traces", ranks)
    shutil.rmtree(folder)
print(f"{passed} passed, {failed} failed")
sys.exit(failed > 0)
