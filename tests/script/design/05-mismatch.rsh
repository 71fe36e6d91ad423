## Everybody calls allreduce; rank 3 brings the wrong size
tensor g[1k] = rank
stream comm
@0-2 allreduce g on comm
@3   allreduce g[0:512] on comm
sync                                   # nobody can move: the shell says so and stays yours
expect stuck
stuck                                  # who waits for whom, and what each queued

## Free them and go on
abort world
expect not stuck
tensor h[1k] = rank
allreduce h on comm
sync
expect h[0] == world*(world-1)/2

## A mistake costs nothing
expect error "no stream 'com'; did you mean 'comm'?" { allreduce h on com }    # no stream 'com'; did you mean 'comm'?
expect error "no rank 9" { @9 print h }
expect error "matmul needs two dimensions each" { y = matmul h h }
# ranks 4 8
