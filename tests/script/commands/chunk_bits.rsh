# ranks 1 2 3 4 5 8
# any number of rows, reduced in parts and joined, as by allreduce; unrolled, in all types
def same x y {
  d = sub x y
  sync
  expect norm(d) == 0
}
stream s
for rows in 1 2 3 4 5 6 7 9 {
  let part = (rows + world - 1) // world
  tensor K[rows,3] = iota
  tensor k[rows,3] = rank
  K = add K k
  p = reducescatter K
  W = allgather p rows=rows
  R = allreduce K
  same W R
  expect bytes(p) == 12B * max(0, min(part, rows - rank * part))
  for type in f32 bf16 i32 {
    tensor G[rows,3] $type = randn seed=rank+1 scale=20
    for op in sum avg max min {
      p = reducescatter G op=$op
      v = reducescatter G op=$op algo=ring on s
      wait s
      W = allgather p rows=rows
      Y = allgather v rows=rows algo=ring unroll
      same W Y
      if type != "i32" or op != "avg" {
        u = reducescatter G op=$op unroll
        V = allgather u rows=rows
        same W V
      }
    }
  }
}
