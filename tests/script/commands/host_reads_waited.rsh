# the host reads its memory in order: after a wait the data is there, and no race is reported
# ranks 2
# each shows what was there at its own place in the program, not what a later line writes
tensor t[4] host = ones
print t[0]
fill t 7
print t[1] on default
fill t 8
sync
#> [0,1] t[0] = 1
#> [0,1] t[1] = 7
tensor x[512,512] = 3
tensor h[512,512] k[512,512] pinned = 0
stream io comp
tensor o[512,512] host = 0
tensor y[512,512]
event e
stream loads kind=host
tensor f[512,512] disk = 7
copy x -> h on io;  sync io;  print h[0,0]
#> [0,1] h[0,0] = 3
copy x -> h on io;  record e on io;  spin 1ms on io;  sync e;  let v = h[0,0]
copy x -> h on io;  wait io on comp;  sync comp;  if h[0,0] == 3 { say "there" }
#> there
copy x -> h on io;  copy h -> y on io;  print y[0,0] on io;  print h[0,0]
#> [0,1] y[0,0] = 3
#> [0,1] h[0,0] = 3
copy x -> o on io;  save o saved.npy
#> [0] o [512,512] saved as saved.npy
copy x -> h on io;  save h saved.npy on io
#> [0] h [512,512] saved as saved.npy
use io;  copy x -> h;  print h[0,0]+1;  use
#> [0,1] h[0,0]+1 = 4
copy f -> h on loads;  sync loads;  print h[0,0]
#> [0,1] h[0,0] = 7
copy x -> h;  print y[0,0] h[0,0]
#> [0,1] y[0,0] = 3
#>       h[0,0] = 3
copy x -> h on comp;  barrier on comp;  repeat h[0,0] { say "round" }
#> round
#> round
#> round
print k[0,0];  copy x -> k on io
#> [0,1] k[0,0] = 0
sync
# by way of the other rank
@0 { copy x -> k on io; send y to=1 on io; recv y from=1 on comp; sync comp; print k[0,0] }
@1 { recv y from=0 on io; wait io on comp; send y to=0 on comp }
sync
#> [0] k[0,0] = 3
# two buffers, each filled while the other one is read
event h_full k_full
copy x -> h on io;  record h_full on io
repeat 2 {
  copy x -> k on io;  record k_full on io
  sync h_full;  print h[0,0]
  copy x -> h on io;  record h_full on io
  sync k_full;  print k[0,0]
}
#> [0,1] h[0,0] = 3
#> [0,1] k[0,0] = 3
#> [0,1] h[0,0] = 3
#> [0,1] k[0,0] = 3
expect races == 0
