## Ring allreduce, by sends and receives only
let n = world
let c = 4k/n                           # elements a piece
let right = (rank + 1) % n;  let left = (rank - 1) % n
tensor g[n,c] ref[n,c] = rank + 1      # everybody contributes its number
tensor inbox[c]
stream comm
mark byhand

## Reduce-scatter: after n-1 hops each rank owns one finished piece
on comm {
  for s in 0:n-1 {
    sendrecv g[(rank-s)%n] -> inbox to=right from=left
    g[(rank-s-1)%n] += inbox
  }
}

## Allgather: the finished pieces go round
on comm {
  for s in 0:n-1 {
    sendrecv g[(rank+1-s)%n] -> g[(rank-s)%n] to=right from=left
  }
}
sync
expect sent == 2*(n-1)*c*4B            # bytes each rank sent: 2(n-1)/n of the tensor

mark library
allreduce ref on comm algo=ring
sync
expect close(g, ref)
diff byhand library
# ranks 1 2 4 8
