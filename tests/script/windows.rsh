# one-sided operations: what they do and what is refused; a refusal leaves the world as it was
# ranks 4
stream s
group ps 0-2
group pair 0-1 2-3
tensor y[4,8] = zeros
tensor x[4,8] = rank+1
tensor v[2,8] b[4,8] = ones
tensor half[4,8] one[4,8] bf16 = ones
tensor p[4,8] pinned = ones

## refused outside a window
expect error "put: y is in no window" { @0 put x -> y@1 }
expect error "close: y is in no window" { @0 close y }
expect error "no part of the group 'ps' has rank 3" { @3 window y in ps }
expect error "a window needs a whole tensor" { @0-2 window y[0:2] in ps }
expect error "p is in pinned host memory" { @0-2 window p in ps }
expect error "put needs WINDOW@RANK instead of 'y'" { @0 put x -> y }
expect error "after '@' comes a rank" { @0 put x -> y@ }

## moved; barriers tell that it is over
@0-2 window y in ps
@0 { put x -> y@1; add x -> y@2 scale=0.5 }
@2 put v -> y[0:2]@0 on s
@0-2 { sync; barrier in ps }
@1 { add x[0:2] -> y[2:4]@1 scale=-1; get y@2 -> b }
@0-2 { sync; barrier in ps }
@1 expect y[0,0] == 1 and y[3,7] == -1 and b[0,0] == 0.5
@2 expect y[0,0] == 0.5
@0 expect y[1,7] == 1 and y[2,0] == 0

## two that add at once: none is lost; in a half type each is rounded once
@0-2 window half in ps
@0-2 add one -> half@2
@0-2 { sync; barrier in ps }
@2 expect half[0,0] == 4
@0 expect half[0,0] == 1

## what others reach is neither freed nor made anew
expect error "free: y is in a window of group ps" { free y }
expect error "tensor: y is in a window of group ps" { tensor y[4,8] = ones }
expect error "tensor: y is in a window of group ps" { tensor y[2] = ones }
z = y[0:2]
expect error "tensor: y is in a window of group ps" { tensor z[2,8] = ones }
free z
expect error "relu: y is in a window of group ps" { y = relu v }
expect error "y has its own memory" { y = x[0:2] }
expect error "window: y is in a window of group ps" { @0-2 window y in ps }
y = relu x
@0-2 { sync; barrier in ps }

## refused within
expect error "put: y@3: in ps, the window's group, ranks are 0-2" { @0 put x -> y@3 }
expect error "put: y@1.5" { @0 put x -> y@1.5 }
expect error "put: v is [2,8], y is [4,8]" { @0 put v -> y@1 }
expect error "add: half is bf16, y is f32" { @0 add half -> y@1 }
expect error "p is in pinned host memory" { @0 put p -> y@1 }
expect error "are not contiguous" { @0 put x[:,0:2] -> y[:,0:2]@1 }
expect error "no option 'factor'" { @0 add x -> y@1 factor=2 }
expect error "no tensor 'nothing'" { @0 get y@1 -> nothing }
expect error "put: y is in no window" { @3 put x -> y@1 }

## a graph of them
@0 capture pushes { put x -> y@1; wait default on s; add x -> y@2 on s; wait s on default }
@0 { launch pushes; launch pushes; sync }
@0-2 barrier in ps
@2 expect y[0,0] == 5
expect error "the host waits for it" { @0 capture no { window b in world } }

## closed
@0-2 { close y; close half }
expect error "close: y is in no window" { @0 close y }
expect error "graph pushes has a put y@1, whose window is closed" { @0 launch pushes }
free y
expect races == 0

## in two parts of a group, and to oneself
tensor y[4,8] = rank
window y in pair
put y -> y@0
get y@1 -> b
sync
@0,2 expect b[0,0] == rank+1
@3 expect y[0,0] == 3
close y

## whose bytes they are: a put's are sent by the rank that puts, a get's by the one that is read
window y in pair
mark bytes
@0 put y -> y@1
@3 get y@0 -> b
sync
@0 expect sent("nvlink out") == 128B
@2 expect sent("nvlink out") == 128B
@1,3 expect sent("nvlink out") == 0
close y

## one that stands holds up neither another stream's nor a host that waits
stream t
tensor f[32] g[32] = rank+1
window y in pair
@0 { recv f from=1 on s; put x[0:2] -> y[0:2]@1 on s; put x[0:2] -> y[2:4]@1 on t; send g to=1 on t; add x[0:2] -> y[2:4]@1 on t }
@1 { recv g from=0; sync; send f to=0; sync }
sync
@1 expect g[0] == 1
close y
@1 expect y[0,0] == 1 and y[2,0] == 2

## behind an abort: what was queued does nothing, and windows are opened anew
group two 0-1
@0 window y in two
@0 { put x -> y@1 on s; get y@1 -> b }
abort two
@0-1 window y in two
@0 { recv f from=1 on s; put x -> y@1 on s; add x -> y@1 }
@1 put x -> y@0
abort world
abort two
tensor y[4,8] = zeros
@0-1 window y in two
@0-1 add x -> y@((rank+1)%2)
@0-1 { sync; barrier in two }
@0 expect y[0,0] == x[0,0]+1
@1 expect y[0,0] == x[0,0]-1
@0-1 close y
