# habits from Python and PyTorch, and the answers
# ranks 2
tensor x[3,3] y[3,3] = 1
say "ready"
#> ready
z = x + y
#> tests/script/mistakes_python.rsh:6: a kernel's line is NAME = KERNEL IN ...: z = add x y; a variable's: let z = x + y
x[0] = 3
#> tests/script/mistakes_python.rsh:8: write: fill x[0] 3
x.relu()
#> tests/script/mistakes_python.rsh:10: write: NAME = relu x
z = x @ y
#> tests/script/mistakes_python.rsh:12: write: z = matmul x y
tensor v[3] float32
#> tests/script/mistakes_python.rsh:14: tensor: 'float32' is 'f32' here (f32 bf16 f16 i32; host pinned device)
z = cast x bf16
#> tests/script/mistakes_python.rsh:16: cast: write to=bf16
repeat 3 print 1
#> tests/script/mistakes_python.rsh:18: repeat needs a block on its line: repeat 4 { ... }
if rank == 0 print 1
#> tests/script/mistakes_python.rsh:20: if needs a block on its line: if rank == 0 { ... }
if rank world { }
#> tests/script/mistakes_python.rsh:22: 'rank world': an operator was expected at 'world'
if rank = 0 { }
#> tests/script/mistakes_python.rsh:24: 'rank = 0': '=' is not a comparison (== is) at '= 0'
repeat 2 3 { }
#> tests/script/mistakes_python.rsh:26: '2 3': an operator was expected at '3'
while 1 { print 1 }
#> tests/script/mistakes_python.rsh:28: here: repeat 4 { }, or: for i in 0:4 { }
for i in range(3) { print i }
#> tests/script/mistakes_python.rsh:30: here: for i in 0:4 { }
import torch
#> tests/script/mistakes_python.rsh:32: here: nothing is imported: kernels and collectives are there (help)
optimizer.step()
#> tests/script/mistakes_python.rsh:34: here: sgd w dw lr=0.1; without brackets the next step of a strategy's program
clear
#> tests/script/mistakes_python.rsh:36: here: Ctrl-L clears the screen; reset empties the ranks
t0 = time.time()
#> tests/script/mistakes_python.rsh:38: here: let t0 = now
begin = MPI_Wtime()
#> tests/script/mistakes_python.rsh:40: here: let begin = now
x.record_stream(s)
#> tests/script/mistakes_python.rsh:42: here: free x on s
