# a disk: one engine reads it into host memory, another writes it, at the disk's rates
tensor f[256,256] old[256,256] disk = randn seed=1
tensor h[256,256] g[256,256] pinned
tensor x[256,256]
stream rd wr io
copy f -> h on rd
copy old -> g on rd
wait rd on wr
copy h -> f on wr
copy g -> old on wr
sync
expect abs(time-12.02ms) < 10ns      # reads 2 ms each, writes 4 ms, behind the first launch; f is read back when it has been written
expect abs(busy(rd)*time-4ms) < 10ns and abs(busy(wr)*time-8ms) < 10ns
expect sent("disk read") == 512kB and sent("disk write") == 512kB and sent(pcie) == 0
mark staged
copy f -> h on rd; wait rd on io; copy h -> x on io; sync
expect x[3,4] == f[3,4]
expect races == 0
# print waits for the disk
@0 print f[0,0]
#> [0] f[0,0] = 1.22791
expect error "f is on the disk, x on the device" { copy f -> x }
expect error "a disk's bytes pass through the host's memory" { copy f -> old }
expect error "relu: f is on the disk: copy f -> a pinned tensor first" { y = relu f }
expect error "add: f is on the disk" { y = add f h }
set disk=1MB
expect error "the disk is full: no room for 4 MB" { tensor more[1024,1024] disk }
set disk_read=1GB/s
mark fast
copy f -> h on rd; sync
expect time < 1ms
# it takes what is asked, no more, in whatever pieces it is free
reset;  set disk=1MB
tensor p[1000,100] q[1000,100] disk
free p
tensor r[500,100] s[1000,100] disk
expect error "no room for 391 kB on its part of 1 MB; 977.5 kB are taken" { tensor t[1000,100] disk }
