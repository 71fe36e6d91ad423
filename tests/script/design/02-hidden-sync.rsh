## The print that stops the machine
tensor x[256,256] w[256,256] = randn seed=1 scale=0.1
tensor t[256,256] = zeros
stream compute
use compute                            # from here on, lines without `on` go to compute

mark printing
repeat 4 {
  y = matmul x w
  loss = mse y t
  print loss                           # reads a device value: the host waits here
}
sync

mark silent
repeat 4 {
  y = matmul x w
  loss = mse y t
}
print loss                             # once, at the end
diff printing silent
expect stall(sync) < 20%
say "loss $(loss[0]); $(round(100*stall(sync))) % of the time in sync"
# ranks 1 2 3 4 8
