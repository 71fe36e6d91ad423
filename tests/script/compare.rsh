# compare and sweep: worlds beside each other
# ranks 4

set launch=1us
model mlp layers=4 hidden=64 batch=16
compare ddp / zero stage=3 optimizer=adam run=3
#>    mlp: 16384 parameters; `strategy ddp` trains it
#>                                    iteration  exposed  sent a rank
#>    1  ddp                             502 us   420 us        98 kB
#>    2  zero stage=3 optimizer=adam     723 us   637 us       146 kB
#>         memory  params  grads  optimizer  activations  their grads  buffers
#>    1  135.5 kB   64 kB  64 kB                  5.5 kB         1 kB     1 kB
#>    2  167.5 kB   80 kB  48 kB      32 kB       4.5 kB         2 kB     1 kB
#>
#> 1  ddp
#>    ms          0.8       1.0       1.2      1.4      now 1.51
#>    0-3 host    sssssssssssssssssssssssssssssssssss|  s waited 723 us in `sync`
#>        compute eeeeeeeeeeF0██eeeeeeeeeeeeeeeeeeee█|  e waited for comm
#>        comm    ███ B0 ███eeee████████ B0 █████████|  e waited for compute
#>
#> 2  zero stage=3 optimizer=adam
#>    ms                 1.6       1.8      2.0         now 2.17
#>    0-3 host    sssssssssssssssssssssssssssssssssss|  s waited 723 us in `sync`
#>        compute F0eeeeeeeeeeeeeeee█eeeeeeeeeeeeeeee|  e waited for comm
#>        comm    ee█ F0 █ F0 █ B0 █▐█████ B0 ███████|  e waited for compute
compare ddp=2 + tp=2 / pipeline micro=2
#>                         iteration  exposed  sent a rank  bubble
#>    1  ddp=2 + tp=2         307 us   222 us        42 kB    0.00
#>    2  pipeline micro=2     249 us  96.6 us         8 kB    0.86
#>        memory  params  grads  activations  their grads  buffers
#>    1  76.5 kB   32 kB  32 kB       8.5 kB         2 kB     2 kB
#>    2    54 kB   16 kB  16 kB         6 kB         4 kB    12 kB
#>
#> 1  ddp=2 + tp=2
#>    ms                   0.4        0.5        0.6    now 0.63
#>    0-3 host    sssssssssssssssssssssssssssssssssss|  s waited 307 us in `sync`
#>        compute █ F0 ██▐ F0 ██ B0 eeeeeeeeeeeeeeee█|  e waited for comm
#>        comm    eeeeeeeeeeeeeeeeee██████ B0 ███████|  e waited for compute
#>
#> 2  pipeline micro=2
#>    ms         0.2         0.3         0.4            now 0.50
#>    0 host     ssssssssssssssssssssssssssssssssssss|  s waited 307 us in `sync`
#>      compute  b█bbbb█F0█ F1 bbbbbbbbbbbbbbbb█bbbb█|  b bubble: waited for rank 1
#>      act_out  eeeeeeeeeeeC0eC1█                   |  e waited for compute
#>      grad_in  █bbbC1bbbbbbbbbbbbbbbbbbbbbbC0bbbC1█|
#>    1 host     ssssssssssssssssssssssssssssssssssss|  s waited 300 us in `sync`
#>      compute  bbb█bbbbbbbbbbbbbbbbbbbbbbb█bbbb██  |  b bubble: waited for rank 2
#>      act_in   bbbbbbbbbbbC0bC1█                   |  b bubble: waited for rank 0
#>      act_out  eeeeeeeeeeeeeC0eeC1                 |
#>      grad_in  bC1bbbbbbbbbbbbbbbbbbbbbbC0bbbC1█   |
#>      grad_out █eeeC1eeeeeeeeeeeeeeeeeeeeeeC0eeeC1█|
#>    2 host     sssssssssssssssssssssssssssssssss   |  s waited 274 us in `sync`
#>      compute  █bbbbbbbbbbbbbbbbbbbbbbb█bbbb██     |
compare ddp / zerro
#> tests/script/compare.rsh:54: strategy zerro: no strategy 'zerro'; did you mean 'zero'? (there are: context dataparallel ddp experts fsdp gossip local pipeline ps serial tp zero; or a file F.rsh)
expect error "values are written out here" { let b = 4; compare ddp bucket=$b }
expect error "compare: run=: how many iterations" { compare ddp run=0 }

strategy ddp
run 2
sweep bucket=4k:16k:x2
#>    ddp: 3 steps of setup, then 12 an iteration, for mlp
#>    Enter or `step` plays one, `run 20` twenty iterations; `program` lists them, `strategy ddp help` what it costs
#>    iteration 1   loss 1.79135   done at 0.50 ms   31866 rows a second
#>    iteration 2   loss 1.54018   done at 1.01 ms   31866 rows a second
#>    bucket  iteration  exposed      peak
#>    4k         661 us   574 us  135.5 kB  ########################
#>    8k         661 us   574 us  135.5 kB  ########################
#>    16k        661 us   574 us  135.5 kB  ########################
sweep batch=8,16,24
#>    batch  iteration  exposed      peak
#>    8         488 us   420 us    132 kB  #######################  <- the least
#>    16        502 us   420 us  135.5 kB  #######################
#>    24        517 us   420 us    139 kB  ########################
sweep link_rate=1GB/s,10GB/s
#>    link_rate  iteration  exposed      peak
#>    1 GB/s        240 us   158 us  135.5 kB  ########################
#>    10 GB/s       135 us  53.1 us  135.5 kB  #############  <- the least
sweep bukket=1:3:1
#> tests/script/compare.rsh:79: bukket= is no number of the machine (`machine` lists them), and no `strategy` line since the world was empty has an option of that name
expect error "sweep: 'bucket=4k:16k:x1': values were expected" { sweep bucket=4k:16k:x1 }
expect error "sweep: 'bucket=4k:16': values" { sweep bucket=4k:16 }
expect error "launch is a time" { sweep launch=1:3:1 }
expect error "sweep: at most 64 values" { sweep bucket=1:1k:1 }
