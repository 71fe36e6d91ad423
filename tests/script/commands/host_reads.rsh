# the host reads its memory: without a wait the data is missing, and a race names the line
# ranks 2
# sim: what a stream has written by then is of the moment on a GPU
tensor x[512,512] = 3
tensor h[512,512] k[512,512] pinned = 0
stream io comp
copy x -> h on io
print h[0,0]
#> [0,1] h[0,0] = 0
#>    race: `copy` on io writes h while `print` on host reads h[0,0]. `sync io`
#>    before line 8 puts them in order.                                       [0,1]
save h saved.npy
#> [0] h [512,512] saved as saved.npy
#>    race: `copy` on io writes h while `save` on host reads it. `sync io` before
#>    line 12 puts them in order.                                             [0,1]
tensor then[512,512] = load saved.npy
expect norm(then) == 0 and h[0,0] == 3
# `on` says what is waited for; without it one stream does not order the host
print h[0,0] on io
#> [0,1] h[0,0] = 3
copy x -> k
print k[0,0]
#> [0,1] k[0,0] = 0
#>    race: `copy` on default writes k while `print` on host reads k[0,0].
#>    `sync default` before line 22 puts them in order.                       [0,1]
expect races == 6

# whatever reads: one race each
reset
tensor x[512,512] = 3
tensor h[512,512] k[512,512] pinned = 0
stream io comp
copy x -> h on io;  let v = h[0,0]
#>    race: `copy` on io writes h while `let` on host reads h[0,0]. `sync io`
#>    before line 33 puts them in order.                                      [0,1]
copy x -> k on io;  if k[1,0] == 3 { say "there" } else { say "not there" }
#> not there
#>    race: `copy` on io writes k while `if` on host reads k[1,0]. `sync io` before
#>    line 36 puts them in order.                                             [0,1]
@1 copy x -> h on io;  @1 repeat h[2,0] { say "there" }
#>    race: `copy` on io writes h while `repeat` on host reads h[2,0]. `sync io`
#>    before line 40 puts them in order.                                        [1]
tensor p[4] g[4] = 1
copy x -> h on io;  sgd p g lr=h[3,0] on comp
#>    race: `copy` on io writes h while `sgd` on host reads h[3,0]. `sync io`
#>    before line 44 puts them in order.                                      [0,1]
copy x -> k on io;  say "$(k[4,0])"
#> 0
#>    race: `copy` on io writes k while `say` on host reads k[4,0]. `sync io`
#>    before line 47 puts them in order.                                      [0,1]
sync
tensor parts[2] = 1
tensor dev[2] i32 = 1
tensor n[2] pinned i32 = 1
copy dev -> n on io;  got = alltoall parts send=n recv=n
#>    race: `copy` on io writes n while `alltoall` on host reads it. `sync io`
#>    before line 55 puts them in order.                                      [0,1]
# a thread of the host, ordinary memory, a kernel of the host's own memory
stream loads kind=host
tensor f[4] disk = ones
tensor o[4] pinned = 0
tensor w[4] dw[4] pinned = 1
copy f -> o on loads rate=1kB/s;  print o[0] w[0]
#> [0,1] o[0] = 0
#>       w[0] = 1
#>    race: `copy` on loads writes o while `print` on host reads o[0]. `sync loads`
#>    before line 63 puts them in order.                                      [0,1]
on loads { print o[0]+1 }
#> [0,1] o[0]+1 = 2
sgd w dw lr=1 on comp;  print w
#> [0,1] w = 1 1 1 1
#>    race: `sgd` on comp writes w while `print` on host reads it. `sync comp`
#>    before line 70 puts them in order.                                      [0,1]
# unwritten memory, as of a copy
tensor u[4] pinned
print u
#> [0,1] u = 0 0 0 0
#>    unwritten: `print` reads u, and nothing has written it.               [0,1]
# so many in one line, and no more
expect error "33 tensors in host memory, and a line reads at most 32" { print w[0] w[0] w[0] w[0] w[0] w[0] w[0] w[0] w[0] w[0] w[0] w[0] w[0] w[0] w[0] w[0] w[0] w[0] w[0] w[0] w[0] w[0] w[0] w[0] w[0] w[0] w[0] w[0] w[0] w[0] w[0] w[0] w[0] }

# the wait of a command counts as the command's own operation, and `why` means that operation
expect count(alltoall) == 1 and count(counts) == 0
reset
tensor plain[4] = 1;  tensor at_host[4] host = 0
copy plain -> at_host;  barrier
expect count(copy) == 1 and count(barrier) == 1
why barrier
#> barrier on rank 0 (line 86, default) waited 20 us while its host was launching
#> barrier on rank 0 (line 86)
#> root: the launch of barrier on ranks 0,1 (line 86)
#>    without it everything ends at 60.1 us instead of 80.1 us (run again)
