"""Opens what `export F.html` writes in headless Chromium, without a network, and does with it what a person does.

run: python3 tests/page/check.py RANKSH [CHROMIUM]. No part of `make check`: it wants a browser (Debian: apt install chromium).
"""
import csv
import html
import json
import os
import re
import subprocess
import sys
import tempfile

RANKSH, CHROMIUM = sys.argv[1], (sys.argv[2:] or ["chromium"])[0]
PROBE = open(os.path.join(os.path.dirname(__file__), "probe.js")).read()
EARLY = "<script>window.probe_errors = []; window.onerror = (m) => { window.probe_errors.push(String(m)); };</script>"
GPT = "model gpt layers=4 hidden=64 heads=4 seq=64 batch=8; "
SCRIPTS = [
    ("streams", ["-n", "4"], "stream comm; tensor x[256,256] w[256,256] = randn; @2 slow 2x; y = matmul x w; "
                             "wait default on comm; allreduce y on comm; z = matmul x w; sync"),
    ("hostile words", ["-n", "2"], 'phase "</script><script>alert(1)</script>&\\"\'ü"; spin 2ms; spin 1ms; sync'),
    ("ddp", ["-n", "4"], GPT + "strategy ddp bucket=64k; run 3; sync"),
    ("pipeline", ["-n", "4"], GPT + "strategy pipeline; run 2; sync"),
    ("1,024 ranks", ["--dry", "-n", "1024"], "tensor g[1M]; @517 spin 3ms; spin 1ms; allreduce g; sync"),
]
passed = failed = 0


def check(name, right, found=""):
    global passed, failed
    passed, failed = passed + bool(right), failed + (not right)
    print(f"{'ok' if right else 'FAIL'} {name}" + ("" if right else f": {found}"), flush=True)


def work_by_lane(path):
    """Of each rank's lane: how many spans of work, and ns of it, as the table has them."""
    sums = {}
    for row in csv.DictReader(open(path, newline="")):
        if row["kind"] == "work":
            count, ns = sums.get((int(row["rank"]), row["lane"]), (0, 0))
            sums[int(row["rank"]), row["lane"]] = (count + 1, ns + int(row["to_ns"]) - int(row["from_ns"]))
    return sums


def same_as_table(page, table):
    for lane in page["lanes"]:
        first = int(re.match(r"\d+", lane["rank"]).group())
        spans = [lane["spans"][i:i + 6] for i in range(0, len(lane["spans"]), 6)]
        works = [s for s in spans if page["styles"][s[2]]["works"]]
        if (len(works), sum(s[1] for s in works)) != table.get((first, lane["name"]), (0, 0)):
            return f"{lane['rank']} {lane['name']}: {len(works)} {table.get((first, lane['name']))}"
    return ""


def browse(text, folder, size):
    path = os.path.join(folder, "probed.html")
    body = text.replace("<head>", "<head>" + EARLY, 1)
    cut = body.rindex("</body>")
    open(path, "w").write(body[:cut] + "<script>" + PROBE + "</script>" + body[cut:])
    said = subprocess.run([CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", f"--window-size={size}",
                           "--host-resolver-rules=MAP * ~NOTFOUND", f"--user-data-dir={folder}/profile", "--dump-dom",
                           "--virtual-time-budget=20000", "file://" + path], capture_output=True, text=True, timeout=300)
    found = re.search(r'<pre id="probe">(.*?)</pre>', said.stdout, re.S)
    return json.loads(html.unescape(found.group(1))) if found else {"errors": [said.stderr[-500:]]}


for name, ranks, lines in SCRIPTS:
    print(f"## {name}")
    with tempfile.TemporaryDirectory() as folder:
        script = lines.replace("; ", "\n") + f"\nexport {folder}/a.html\nexport {folder}/a.csv"
        ran = subprocess.run([RANKSH, *ranks, "-c", script], capture_output=True, text=True)
        check("exported", ran.returncode == 0, ran.stdout + ran.stderr)
        if ran.returncode:
            continue
        text = open(folder + "/a.html").read()
        page = json.loads(re.search(r'<script id="data" type="application/json">(.*?)</script>', text, re.S).group(1))
        differs = same_as_table(page, work_by_lane(folder + "/a.csv"))
        check("the spans are those of the table", not differs, differs)
        for size in "1280,720", "640,480":
            said = browse(text, folder, size)
            check(f"{size}: no error", said.get("errors") == [], said)
            for what in "drawn back wheel drag arrows found described next clicked blamed network".split():
                check(f"{size}: {what}", said.get(what), said)
print(f"{passed} passed, {failed} failed")
sys.exit(failed > 0)
