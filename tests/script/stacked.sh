#!/bin/sh
# stacked.sh: what a stack keeps of the strategies in it, by figures of the timeline
. tests/script/lib.sh

# holds TEXT LINES: the lines' expectations are true, on 8 ranks without data
holds() { "$RANKSH" --dry -n 8 -c "$2" > "$work/out" 2>&1; check "$1" [ $? = 0 ]; }
holds "1F1B of 2 stages and 8 micro-batches keeps its bubble beside ddp and tp: 1/9" "machine dgx-h100
model gpt layers=32 hidden=4096 heads=32 seq=2048 batch=16 dtype=bf16
strategy pipeline=2 micro=8 + ddp=2 + tp=2 sequence=on
run 1
expect abs(bubble-1/9) < 0.001
strategy pipeline=2 micro=8 schedule=interleaved chunks=2 + ddp=2 + tp=2 sequence=on
run 1
expect bubble < 0.06"
