# schedule: a pipeline's order as slots, work(k), micro(k), chunk(k)
expect error "no schedule is set: `strategy pipeline` first" { program schedule }
mesh dp=2 pp=2
let kind = "1f1b"
schedule $kind micro=3 in pp
expect slots == 6
let all = ""
for k in 0:slots { let all = "$all $(work(k))$(micro(k))" }
print all
#> [0,2] all =  F0 F1 BW0 F2 BW1 BW2
#> [1,3] all =  F0 BW0 F1 BW1 F2 BW2

# one loop drives every schedule: each rank calls the def that its work names
let done = ""
def F m c { let done = "$(done)f$m" }
def BW m c { let done = "$(done)b$m" }
def B m c { let done = "$(done)i$m" }
def W m c { let done = "$(done)w$m" }
def drive { for k in 0:slots { $(work(k)) micro(k) chunk(k) } }
drive
print done
#> [0,2] done = f0f1b0f2b1b2
#> [1,3] done = f0b0f1b1f2b2
for kind in gpipe "1f1b" interleaved "zb-h1" "zb-h2" "zb-auto" { schedule $kind micro=4 in pp;  let done = "";  drive;  say "$kind: $done" }
#> gpipe: f0f1f2f3b0b1b2b3
#> [0,2] 1f1b: f0f1b0f2b1f3b2b3
#> [1,3] 1f1b: f0b0f1b1f2b2f3b3
#> [0,2] interleaved: f0f1b0f2b1f3b2b3
#> [1,3] interleaved: f0b0f1b1f2b2f3b3
#> [0,2] zb-h1: f0f1i0w0f2i1w1f3i2w2i3w3
#> [1,3] zb-h1: f0i0f1i1w0f2i2w1f3i3w2w3
#> [0,2] zb-h2: f0f1f2i0w0f3i1w1i2w2i3w3
#> [1,3] zb-h2: f0i0f1i1f2i2w0f3i3w1w2w3
#> [0,2] zb-auto: f0f1i0w0f2i1w1f3i2w2i3w3
#> [1,3] zb-auto: f0i0f1i1w0f2i2w1f3i3w2w3
schedule interleaved micro=2 chunks=2 in pp
expect slots == 8 and chunk(0) == 0 and chunk(7) == 0 and chunk(3) == 1
schedule zb-auto micro=4 F=2ms B=2ms W=1ms comm=100us limit=1.5 held=0.5 in pp
expect slots == 12
# in world: four stages
schedule gpipe micro=2
expect slots == 4 and micro(1) == 1

expect error "a number from 0 to 3 was expected" { let a = work(4) }
expect error "did you mean 'gpipe'" { schedule gpip micro=2 }
let kind = "gpip"
expect error "did you mean 'gpipe'" { schedule $kind micro=2 }
expect error "micro=0" { schedule gpipe micro=0 }
expect error "interleaved needs a multiple" { schedule interleaved micro=3 chunks=2 }
reset
expect error "no schedule is set" { let a = slots }
# of a program, before its first step
model mlp layers=4 hidden=8 batch=8
#>    mlp: 256 parameters; `strategy ddp` trains it
strategy pipeline schedule=1f1b micro=2
#>    pipeline: 2 setup steps, then 5 per iteration, for mlp
#>    Enter or `step` runs one step, `run 20` runs 20 iterations; `program` lists the steps, `strategy pipeline help` shows the costs
program schedule
#> 0F0,0F1,0B0,0B1
#> 1F0,1F1,1B0,1B1
#> 2F0,2F1,2B0,2B1
#> 3F0,3B0,3F1,3B1
