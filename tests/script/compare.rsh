# compare: several worlds side by side
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
#>    ms           0.8      0.9      1.0     1.1      1.2      1.3      1.4
#>    0-3 host    ssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssss|
#>        compute eeeeeeeeeeeeeeeeeex4▐█x20█eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee4|
#>        comm    ████ bucket1 █████eeeeeeee█████████ allreduce bucket1 █████████ |
#>    s waited 723 us in `sync`, e compute waited for comm, now 1.507 ms
#>    e comm waited for compute
#>
#> 2  zero stage=3 optimizer=adam
#>    ms              1.5      1.6      1.7      1.8     1.9      2.0      2.1
#>    0-3 host    ssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssss|
#>        compute ██▐█eeeeeeeeee4eeeeeeeex5eeeeeeeex6eeeeeeeeeeeeeeeeee6eeeeeeeee2|
#>        comm    eeee█ flat1 ██▐ flat2 ██▐ flat2 █▐ flat1 ██ dshard2 █e dshard1 ▎|
#>    s waited 723 us in `sync`, e compute waited for comm, now 2.171 ms
#>    e comm waited for compute
compare ddp=2 + tp=2 / pipeline micro=2
#>                         iteration  exposed  sent a rank  bubble
#>    1  ddp=2 + tp=2         307 us   222 us        42 kB    0.00
#>    2  pipeline micro=2     249 us  96.6 us         8 kB    0.86
#>        memory  params  grads  activations  their grads  buffers
#>    1  76.5 kB   32 kB  32 kB       8.5 kB         2 kB     2 kB
#>    2    54 kB   16 kB  16 kB         6 kB         4 kB    12 kB
#>
#> 1  ddp=2 + tp=2
#>    ms                0.35      0.40       0.45      0.50       0.55      0.60
#>    0-3 host    ssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssss|
#>        compute  x0_0  t_0 x3▐████4▐████x7█▐████x5eeeeeeeeeeeeeeeeeeeeeeeeeeeee4|
#>        comm    eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee█████ allreduce bucket1 █████ |
#>    s waited 307 us in `sync`, e compute waited for comm, now 0.627 ms
#>    e comm waited for compute
#>
#> 2  pipeline micro=2
#>    ms          0.20       0.25      0.30       0.35      0.40       0.45
#>    0 host     sssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssss|
#>      compute  bb█bbbbbbbB1█▐█████ x0_1 █bbbbbbbbbbbbbbbbbbbbbbbbbbbbb█bbbbbbb██|
#>      act_out  eeeeeeeeeeeeeeeeeee████eee███▎                                   |
#>      grad_in  ██bbbbb████bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb████bbbbb███▎ |
#>    1 host     ssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssss |
#>      compute  bbbbbB1█bbbbbbbbbbbbbbb█bbbbb█bbbbbbbbbbbbbbbbbbbB0bbbbbbbB1▎    |
#>      act_in   bbbbbbbbbbbbbbbbbbb████bbb███▎                                   |
#>      act_out  eeeeeeeeeeeeeeeeeeeeeeee███eee████▎                              |
#>      grad_in  bb███bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb████bbbb████▎      |
#>      grad_out ██eeeee████eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee████eeeee███▎ |
#>    2 host     sssssssssssssssssssssssssssssssssssssssssssssssssssssssssss      |
#>      compute  B1▎bbbbbbbbbbbbbbbbbbbbbbbb█bbbbbb█bbbbbbbbbB0bbbbbbB1█          |
#>    s rank 0 host waited 307 us in `sync`, e waited for compute, now 0.499 ms
#>    b rank 0 compute bubble: waited for rank 1
#>    s rank 1 host waited 300 us in `sync`, b act_in bubble: waited for rank 0
#>    b rank 1 compute bubble: waited for rank 2
#>    s rank 2 host waited 274 us in `sync`
#>    ... 8 more rows
compare ddp / zerro
#> tests/script/compare.rsh:66: strategy zerro: no strategy 'zerro'; did you mean 'zero'? (there are: context dataparallel ddp experts fsdp gossip local pipeline ps serial tp zero; or a file F.rsh)
expect error "`$` is not replaced here" { let b = 4; compare ddp bucket=$b }
expect error "compare: run=: how many iterations" { compare ddp run=0 }
expect error "compare needs strategies: compare STRATEGY" { compare run=2 }
