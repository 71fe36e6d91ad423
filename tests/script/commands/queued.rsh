# queued work before it has run: timeline, peek, query, a section's time; looks change nothing
stream io
spin 2ms on io
wait io
spin 1ms
timeline
#>    ms           ▼        0.5        1.0       1.5        2.0       2.5
#>    0-3 host    l│
#>        default .│eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee░░░░░░░ spin ░░░░░░░░
#>        io      █░░░░░░░░░░░░░░░░░ spin ░░░░░░░░░░░░░░░░░░░
#>    l launch, e waited for io, ░ queued, now 0.06 ms
sync
mark next
spin 1ms
timeline
#>    ms           ▼         3.2         3.4          3.6         3.8          4.0
#>    0-3 host    l│
#>        default l░░░░░░░░░░░░░░░░░░░░░░░░░░░░ spin ░░░░░░░░░░░░░░░░░░░░░░░░░░░░░
#>    l launch, ░ queued, now 3.04 ms
timeline next
#>    ms           ▼         3.2         3.4          3.6         3.8          4.0
#>    0-3 host    l│
#>        default l░░░░░░░░░░░░░░░░░░░░░░░░░░░░ spin ░░░░░░░░░░░░░░░░░░░░░░░░░░░░░
#>    l launch, ░ queued, now 3.04 ms
sync

# peek waits for nothing: it shows what is there before the kernel has run
tensor x[4] = 1
y = zeros [4]
y += spin 5ms x
mark m
peek y
#> [0-3] y = 0 0 0 0
sync
peek y
#> [0-3] y = 1 1 1 1

# query: what is still to come
reset
stream io compute
event e
host 1ms
spin 2ms on io
record e on io
wait e on compute
spin 1ms on compute
query io
#> [0-3] io: running, done in 1.94 ms
query compute
#> [0-3] compute: running, done in 2.94 ms
query e
#> [0-3] e: running, done in 1.94 ms
sync e
query io
#> [0-3] io: done
query compute
#> [0-3] compute: running, done in 1.00 ms
sync compute
query compute
#> [0-3] compute: done
sync

# a section of threads of the host alone is as long as they take; a GPU's lines beside them count by themselves
set launch=0us
mark alone
stream thread kind=host
spin 2ms on thread
expect time == 2ms
spin 1ms
expect time == 1ms and busy(thread) == 1
# sim: a GPU has done what is queued when it is looked at
