# ranks 2 3 4 8
# send, recv, sendrecv, together
let right = (rank+1) % world;  let left = (rank-1) % world
tensor x[4] = rank
tensor y[4] z[4] = -1
sendrecv x -> y to=right from=left
sync
expect y[0] == left
together {
  send x to=left
  recv z from=right
}
sync
expect z[0] == right
if rank == 0 { send x to=1 } else { if rank == 1 { recv y from=0 } }
sync
@1 expect y[3] == 0
group low 0-1
@0-1 sendrecv x -> y to=1-rank from=1-rank in low
sync
@0-1 expect y[0] == 1-rank
together {
  allreduce x
  allreduce z
}
sync
expect x[0] == world*(world-1)/2
expect error "on rank 0: in the group, ranks are 0-" { send x to=world }
expect error "send needs to=RANK" { send x }
expect error "send: rank 0 cannot send to itself: `to=1` names another rank" { @0 send x to=0 }
expect error "recv: rank 1 cannot receive from itself: `from=0` names another rank" { @1 recv x from=1 }
expect error "sendrecv: rank 1 cannot send to itself: `to=0` names another rank" { @1 sendrecv x to=1 -> x from=0 }
expect error "send: rank 1 cannot send to itself, and alone has no other rank for it" { group alone 1;  @1 send x to=0 in alone }
expect error "no tensor 'nothing'" { recv nothing from=0 }
