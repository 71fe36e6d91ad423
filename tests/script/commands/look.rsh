# timeline, stuck, explain, source, export, help: their output
stream io
spin 1ms
@0 barrier
stuck
#> rank 0 waits for a line on ranks 1-3
#>    ranks  hangs in            waits for  last done  next in world
#>    0      barrier on default  ranks 1-3  spin       barrier
#>    1-3                                   spin       nothing
@1-3 barrier
stuck
#> no rank waits for another
explain on
tensor h[4] pinned = 1
tensor x[4] = 0
copy h -> x on io
#>    PyTorch    x.copy_(h, non_blocking=True)
#>    CUDA, NCCL cudaMemcpyAsync(x, h, bytes, cudaMemcpyDefault, io)
y = relu x
#>    PyTorch    y = torch.relu(x)
#>    CUDA, NCCL cudnnActivationForward
#>    race: `copy` on io writes x while `relu` on default reads it.
#>    `wait io on default` between the two puts them in order.                [0-3]
explain off
help copy
#>   copy       copy FROM -> TO [on STREAM] [rate=RATE]
#>              copies between host, pinned and device memory. With pinned memory
#>              the host continues; with pageable memory it waits, unless a host
#>              thread (kind=host) copies. Tensors on disk are copied only to and
#>              from host memory
#>   options    rate= replaces the machine's rate, as for data on a slower disk
#>              (0: the machine's)
#>   example    tensor h[64,64] pinned = randn
#>              tensor x[64,64]
#>              stream io
#>              copy h -> x on io
#>   PyTorch    TO.copy_(FROM, non_blocking=True)
#>   CUDA, NCCL cudaMemcpyAsync(TO, FROM, bytes, cudaMemcpyDefault, STREAM)
source tests/script/commands/labels.rsh
#> done with 2 of 2
export exported.json
#>    exported.json: open it at ui.perfetto.dev or chrome://tracing
expect error "/nowhere/x.json cannot be written" { export /nowhere/x.json }
expect error "/nowhere.rsh: No such file" { source /nowhere.rsh }
