## Pageable and pinned memory
tensor a[1M] host   = randn            # ordinary memory: the driver must stage it
tensor p[1M] pinned = randn            # page-locked: the copy engine reads it by itself
tensor x[1M]
stream io compute

for kind in a p {
  mark from_$kind
  copy kind -> x on io
  spin 2ms on compute                  # compute could have worked meanwhile
  sync
  print overlap(io,compute)
}
diff from_a from_p
expect overlap(io,compute) > 50%
# ranks 1 2 3 4 8
