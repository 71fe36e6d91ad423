# capture and launch: the same results with one launch
tensor x[4,4] = 1
tensor w[4,4] = 1
y = matmul x w
z = relu y
mark graph
capture step { y = matmul x w; z = scale y 2 }
launch step
launch step
sync
print z[0]
#> [0-3] z[0] = 8 8 8 8
expect count(matmul) == 2
expect error "no graph 'nothing'" { launch nothing }
# a refused capture leaves no graph, and the one that was there as it was
expect error "add takes 2 tensors" { capture part { y = relu x; y = add x } }
expect error "no graph 'part'" { launch part }
expect error "add takes 2 tensors" { capture step { y = relu x; y = add x } }
mark old
launch step
expect count(matmul,old) == 1 and count(relu,old) == 0
# what is captured under one mark and launched under others counts to those
mark taken
capture again { y = matmul x w }
mark one
launch again
mark two
launch again
launch again
sync
expect count(matmul,taken) == 0
expect count(matmul,one) == 1
expect count(matmul,two) == 2
expect count(matmul,graph) == 2
# behind a `set` a launch costs what the machine says by then
mark slow
capture pause { z = relu y }
launch pause
sync
set memory_rate=1kB/s
launch pause
sync
expect time > 50ms

# a stream takes part when it was forked from the captured one, before its first line or later, and is joined again
stream s t
event e
mark forks
capture both on s { wait s on t;  z = scale x 2 on t;  record e on t;  y = relu x;  wait e on s;  y = add y z }
launch both on s
capture late on s { y = relu x;  wait s on t;  z = relu y on t;  wait t on s }
launch late on s
capture own on s { h = relu x;  y = add h x;  free h }
launch own on s
sync
expect y[0,0] == 2 and z[0,0] == 1 and races == 0
expect error "capture loose: t was forked from s and is not joined again: `wait t on s` at the end of the block (cudaErrorStreamCaptureUnjoined)" { capture loose on s { wait s on t;  z = relu x on t } }
expect error "no graph 'loose'" { launch loose }
record e on t
expect error "s is captured and cannot wait for e, which is outside of the capture: `wait e on s` before it (cudaErrorStreamCaptureIsolation)" { capture outer on s { wait e on s;  y = relu x } }
expect error "`wait t on s` before it" { capture outer on s { wait t on s;  y = relu x } };  expect error "cannot wait for the work of t, which is not in the graph: `wait s on t` before that work captures it too" { capture outer on s { z = relu x on t;  wait t on s } }
# what another stream gets is queued, and is not in the graph
mark apart
capture part on s { y = relu x;  z = relu x on t }
#>    capture part: the work of t is not in the graph, it was queued at once:
#>    `wait s on t` before it and `wait t on s` after it capture it too     [0-3]
launch part on s
launch part on s
capture other { z = relu x on t }
#>    capture other: the work of t is not in the graph, it was queued at once:
#>    `capture other on t` captures it                                      [0-3]
launch other
sync
expect count(relu) == 4

# a graph keeps the addresses: freed memory, and whose it is by then
tensor a[4,4] = 3
b = relu a
capture old { b = relu a }
launch old
free a
c = full [4,4] 5
launch old
#>    freed: `launch old` reads a, which was freed in line 81; its memory is c's
#>    now                                                                   [0-3]
launch old
print b[0]
#> [0-3] b[0] = 5 5 5 5
@1 { free b;  launch old;  d = full [4,4] 6;  launch old }
#>    freed: `launch old` writes b, which was freed in line 89                [1]
#>    freed: `launch old` writes b, which was freed in line 89; its memory is
#>    d's now                                                                 [1]
# and where the whole segment went back to the device, there is none to use
set memory=64MB
tensor wide[4M] = 1
narrow = relu wide
capture gone { narrow = relu wide }
free wide narrow
tensor wider[8M]
expect error "graph gone uses wide, which was freed in line 98 and whose segment was returned to the device" { launch gone }

# a line that makes the host wait is named as it was typed
expect error "a graph holds device work only: `print` makes the host wait; place it before or after the block" { capture read on s { y = relu x;  print y[0,0] } }
expect error "`let` makes the host wait" { capture read on s { let first = y[0,0] } }
expect error "`barrier` makes the host wait" { capture read on s { barrier on s } }
expect error "no graph 'read'" { launch read }

# what a capture makes has memory of the graph's own: a launch writes t, which no other tensor has got
reset
tensor x[4] = 1
stream s u
y = relu x
capture g { t = relu x;  y = scale t 2;  free t }
a = scale x 7
launch g
expect a[0] == 7 and y[0] == 2
mem
#> ranks 0-3: 1.5 kB allocated (at most 1.5 kB), 512 kB reserved (256 kB by graphs) of 64 MB
#>    free in segments 254.5 kB, largest block 254.5 kB, fragmentation 0%
#>    default  256 kB  |·······································|  254.5 kB free
#>    graph g  256 kB  |·······································|  256 kB kept
#>    largest: x 512 B, y 512 B, a 512 B
mem trim
expect error "no graph 'refused'" { launch refused }
expect error "add takes 2 tensors" { capture refused { t = relu x;  free t;  y = add x } }
# its results are tensors as all others, also for other graphs and ranks; freed, they are still the graph's
capture made { r = scale x 3 }
launch made
allreduce r
expect r[0] == 12
capture reads { y = scale r 2 }
free r
b = scale x 5
launch made
expect b[0] == 5
launch reads
#>    freed: `launch reads` reads r, which was freed in line 132            [0-3]
@1 { capture made { q = scale x 4 };  launch made }
@1 expect q[0] == 4
# captured again, it has the memory of the one before, and that waits for launches on other streams
repeat 20 { capture g on s { t = relu x;  z = scale t 2;  free t };  launch g on u;  wait u on s }
capture g on s { }
wait default on u;  launch made on u
c = relu x on s
d = relu x on s
sync
mem trim
capture g on s { wait s on u;  t = relu x on u;  free t on s;  d = scale x 2 on u;  wait u on s }
launch g on s
expect d[0] == 2 and races == 0
# the next launch, on whichever stream, waits for the stream on which memory of the graph was freed
mark frees
capture g on s { f = scale x 2 }
launch g on s
e = relu f on s
free f on s
launch g on u
sync
capture g on s { f = scale x 2 }
launch g on s
wait s on u
e = relu f on u
free f on u
launch g on s
sync
expect races == 0
# where the device has no room, the message says what graphs keep
reset
tensor x[2M] = 1
capture big { t = relu x;  free t;  t = scale x 2;  free t }
expect error "needs a new segment of 52 MB; reserved 16 MB, of which graphs keep 8 MB, allocated 8 MB" { tensor z[13M] }
capture big { }
tensor z[13M]

# a tensor's values are set by `tensor`, and counts are read by `alltoall`
reset
stream s
tensor x[8] = 1
tensor one[size(world)] i32 = 1
expect error "`alltoall` makes the host wait" { capture g on s { z = alltoall x send=one recv=one } }
expect error "`tensor` is host work" { capture g on s { tensor z[4] = 1 } }
expect error "`tensor` is host work" { capture g on s { tensor z[4] = randn } }
