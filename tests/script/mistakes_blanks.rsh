# missing blanks, or too many, around = and ->
tensor x[4,4] w[4,4] y[4,4] = 1
say "ready"
#> ready
tensor z[4]=1
#> tests/script/mistakes_blanks.rsh:5: '=' between blanks assigns: tensor z[4] = 1
tensor z[4] pinned =randn seed=1
#> tests/script/mistakes_blanks.rsh:7: '=' between blanks assigns: tensor z[4] pinned = randn seed=1
tensor z=1
#> tests/script/mistakes_blanks.rsh:9: tensor z needs a shape: tensor z[64,64]
tensor z[4] seed=1
#> tests/script/mistakes_blanks.rsh:11: tensor: seed=1 follows a source: = randn seed=1
tensor z[4] = randn seed = 1
#> tests/script/mistakes_blanks.rsh:13: KEY=VALUE has no blanks: write seed=...
tensor z[4] = randn(seed=1)
#> tests/script/mistakes_blanks.rsh:15: write: = randn seed=1
tensor z(4) = 1
#> tests/script/mistakes_blanks.rsh:17: tensor: a shape goes in square brackets: z[4]
tensor z[4], u[4]
#> tests/script/mistakes_blanks.rsh:19: no comma after [4]: blanks separate tensors
y=matmul x w
#> tests/script/mistakes_blanks.rsh:21: '=' between blanks assigns: y = matmul x w
y =relu x
#> tests/script/mistakes_blanks.rsh:23: '=' between blanks assigns: y = relu x
v i=topk x k=1
#> tests/script/mistakes_blanks.rsh:25: '=' between blanks assigns: v i = topk x k=1
y+=x
#> tests/script/mistakes_blanks.rsh:27: '+=' between blanks assigns: y += x
n=4
#> tests/script/mistakes_blanks.rsh:29: to set a variable, write: let n = 4
x[0]=3
#> tests/script/mistakes_blanks.rsh:31: write: fill x[0] 3
allreduce y op = sum
#> tests/script/mistakes_blanks.rsh:33: KEY=VALUE has no blanks: op=sum
alltoal x algo=ring
#> tests/script/mistakes_blanks.rsh:35: no command or kernel 'alltoal'; did you mean 'alltoall'?
forward x n=3
#> tests/script/mistakes_blanks.rsh:37: no command 'forward', and a call of a def takes values, not KEY=VALUE
copy x->y
#> tests/script/mistakes_blanks.rsh:39: '->' needs blanks around it: copy x -> y
# and what needs none
let a=1+1
let b =2
expect a==b
