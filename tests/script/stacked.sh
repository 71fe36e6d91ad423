#!/bin/sh
# stacked.sh -- what a stack preserves of each of its strategies, by figures of the timeline
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
holds "collectives of tp on the compute stream are a stage's work: the bubble is no longer than compute stands idle" "machine dgx-h100
model gpt layers=8 hidden=1024 heads=16 seq=1024 batch=16 dtype=bf16
strategy pipeline=2 micro=8 + tp=4
run 1;  sync
expect bubble < 1/9+0.008 and busy(compute)+bubble < 1
strategy pipeline=2 micro=8 + context=4 kind=ring
run 1;  sync
expect bubble < 1/9+0.008
strategy context=8 kind=ring
run 2;  sync
expect stall(bubble) == 0"
holds "fsdp in a pipeline gathers a stage's two groups for each of 4 micro-batches, forward and backward; zero once a step" "model mlp layers=8 hidden=16 batch=16
strategy pipeline=2 micro=4 + fsdp=4
run 1
expect count(allgather) == 2*4*2 and count(reducescatter) == 2
strategy pipeline=2 micro=4 + zero=4 stage=2
run 1
expect count(allgather) == 2 and count(reducescatter) == 2"
