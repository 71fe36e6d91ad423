# a result is made, overwritten in place, made again; += adds; slices are written; _ drops a result
tensor x[2,3] = iota
tensor w[3,2] = 1
y = matmul x w
print y
#> [0-3] y [2,2] =
#>          3  3
#>         12 12
y = matmul x w scale=2
print y
#> [0-3] y [2,2] =
#>          6  6
#>         24 24
y = matmul x x.T
print y
#> [0-3] y [2,2] =
#>          5 14
#>         14 50
y = relu x
print y
#> [0-3] y [2,3] =
#>         0 1 2
#>         3 4 5
y += add x x
print y
#> [0-3] y [2,3] =
#>          0  3  6
#>          9 12 15
y += x
print y
#> [0-3] y [2,3] =
#>          0  4  8
#>         12 16 20
y[0] = scale x[1] 10
print y
#> [0-3] y [2,3] =
#>         30 40 50
#>         12 16 20
v i = topk x k=1
print v i
#> [0-3] v [2,1] =
#>         2
#>         5
#>       i [2,1] =
#>         2
#>         2
_ i = topk x k=2
print i
#> [0-3] i [2,2] =
#>         2 1
#>         2 1
fill x 0
print x
#> [0-3] x [2,3] =
#>         0 0 0
#>         0 0 0
q = randn [2,2] seed=3
c = cast x to=bf16
tensors
#> [0-3] x [2,3]                      f32  device      24 B
#>       w [3,2]                      f32  device      24 B
#>       y [2,3]                      f32  device      24 B
#>       v [2,1]                      f32  device       8 B
#>       i [2,2]                      i32  device      16 B
#>       q [2,2]                      f32  device      16 B
#>       c [2,3]                      bf16 device      12 B
spin 1ms
n = spin 1ms x
tensor lengths[3,4] = iota scale=0.5
squares = sumsq lengths
expect squares[0] == 506*0.25
squares += sumsq lengths[2]
expect squares[0] == (506+8*8+9*9+10*10+11*11)*0.25
roots = mul lengths lengths;  roots = sqrt roots
expect roots[2,3] == 5.5 and roots[0,0] == 0
adamless = exp x
sync
expect close(n, x)
expect error "matmul needs [2,3] x [3,any]" { y = matmul x x }
expect error "matmul takes 2 tensors, not 1" { y = matmul x }
expect error "matmul gives a result" { matmul x w }
expect error "no command or kernel 'nothing'" { y = nothing x }
expect error "y[0:1,0:1] is [1,1], the result is [2,3]" { y[0:1,0:1] = relu x }
expect error "sgd needs lr" { sgd x w }
expect error "3 has no unit; a time needs one" { spin 3 }
expect error "relu gives 1 result, not 2" { y z = relu x }
tensor h[2,3] pinned = 1
expect error "relu: h is in pinned host memory" { y = relu h }
view = y[0:1]
expect error "it has views, so it is not remade" { y = relu w }
expect error "no tensor 'new'" { new += relu w }
