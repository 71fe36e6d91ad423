# sent(AXIS), exposed(AXIS): what each axis of a stack sends and costs
model mlp layers=4 hidden=32 batch=16
strategy ddp=2 bucket=1k + tp=2
let batch = 16;  let hidden = 32;  let layers = 4
run 1;  sync
# tp: an allreduce of a block's output for each pair forward, and backward but before the first; dp: of a rank's gradients
let output = batch/2*hidden*4B
expect sent(tp) == (layers/2 + layers/2-1)*output
expect sent(dp) == layers*hidden*hidden*4B/2
expect sent(tp)+sent(dp) == sent(nvlink)
# every allreduce of tp stands before a kernel on its stream; buckets travel behind backward's kernels but for the last
expect exposed(tp) > 0ms and exposed(dp) > 0ms and exposed(tp)+exposed(dp) == exposed
expect error "no link 'nothing'" { print sent(nothing) }
mark later
spin 1ms
sync
expect exposed(tp) == 0ms and sent(tp) == 0B
# receives that were posted early run beside tp's sums: an instant is the axis' whose operation the kernels wait for
strategy pipeline=2 micro=4 + tp=2
mark staged
run 2;  sync
expect exposed(pp) > 0ms and exposed(tp) > 0ms and exposed(pp)+exposed(tp) == exposed
