"""Loads what `export kineto` writes with Holistic Trace Analysis: each of its analyses must work, and what both compute must agree.

run: tests/hta/run RANKSH (it gets HTA from PyPI). No part of `make check`: it wants a network.
"""
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

RANKSH = sys.argv[1]
GPT = "model gpt layers=2 hidden=64 heads=4 seq=64 batch=8; "
# name, ranks, lines; alike: nobody waits within a collective, so its time is the same to both
SCRIPTS = [
    ("streams", 4, True, "stream comm; tensor x[256,256] w[256,256] = randn; y = matmul x w; wait default on comm; "
                         "allreduce y on comm; z = matmul x w; wait comm on default; v = add y z; sync"),
    ("slow", 4, False, "stream comm; tensor x[256,256] w[256,256] = randn; @2 slow 2x; y = matmul x w; "
                       "wait default on comm; allreduce y on comm; z = matmul x w; sync"),
    ("ddp", 4, True, GPT + "strategy ddp bucket=64k; run 3; sync"),
    ("fsdp", 4, True, GPT + "strategy fsdp; run 3; sync"),
    ("tensor parallel", 4, True, GPT + "strategy tp; run 3; sync"),
    ("pipeline", 4, False, "model gpt layers=4 hidden=64 heads=4 seq=64 batch=8; strategy pipeline; run 3; sync"),
]
passed = failed = 0


def check(name, right, found=""):
    global passed, failed
    passed, failed = passed + bool(right), failed + (not right)
    print(f"{'ok' if right else 'FAIL'} {name}" + ("" if right else f": {found}"), flush=True)


def works(name, analysis):
    try:
        result = analysis()
        check(name, True)
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
    works("idle time breakdown", lambda: trace.get_idle_time_breakdown(ranks=[0], visualize=False))
    works("queue length", trace.get_queue_length_summary)
    works("blocked on a full queue",
          lambda: trace.get_time_spent_blocked_on_full_queue(trace.get_queue_length_time_series()))
    works("launch statistics", lambda: trace.get_cuda_kernel_launch_stats(visualize=False))
    works("kernels with annotations", lambda: trace.get_gpu_kernels_with_user_annotations(rank=0))
    works("operators and delay", lambda: trace.get_aten_op_kernels_and_delay(ranks=[0]))
    if not steps:
        return
    found = works("steps", trace.get_profiler_steps)
    check("three steps", len(found) == 3, found)
    works("memory bandwidth", trace.get_memory_bw_summary)  # batches are copied
    works("annotations of steps",
          lambda: trace.get_gpu_user_annotation_breakdown(use_gpu_annotation=True, visualize=False))
    graph = works("critical path", lambda: trace.critical_path_analysis(rank=0, annotation="ProfilerStep", instance_id=1))
    check("... is found", graph and graph[1])


def agreement(trace, own, alike, strategy):
    temporal = works("temporal breakdown", lambda: trace.get_temporal_breakdown(visualize=False))
    overlap = works("communication and computation", lambda: trace.get_comm_comp_overlap(visualize=False))
    for rank, (idle, overlapped, time, _) in own.items():
        row = temporal[temporal["rank"] == rank].iloc[0]
        computes = (1 - idle) * time
        # `idle` is of streams that have kernels: their copies and collectives are work to it, and none of computing to HTA
        other = row["non_compute_time(us)"] if strategy else 0
        check(f"rank {rank} computes as long", row["compute_time(us)"] - 1 <= computes <= row["compute_time(us)"] + other + 1,
              f"{row['compute_time(us)']} and {computes}")
        if alike:
            percent = overlap[overlap["rank"] == rank].iloc[0]["comp_comm_overlap_pctg"]
            check(f"rank {rank} overlaps as much", abs(percent - 100 * overlapped) < 0.5, f"{percent} and {100 * overlapped}")


for name, ranks, alike, lines in SCRIPTS:
    print(f"## {name}")
    folder = tempfile.mkdtemp()
    own = figures(ranks, lines, folder + "/traces")
    if own:
        trace = TraceAnalysis(trace_dir=folder + "/traces")
        check("all ranks are found", sorted(trace.t.get_ranks()) == list(range(ranks)), trace.t.get_ranks())
        agreement(trace, own, alike, "strategy" in lines)
        analyses(trace, "strategy" in lines)
    shutil.rmtree(folder)
print(f"{passed} passed, {failed} failed")
sys.exit(failed > 0)
