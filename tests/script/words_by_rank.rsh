# a variable's text as a word: a def, a command, a kernel, a type; each rank calls its own
stream compute
def F m { say "F$m" }
def B m { say "B$m" }
let w = "F"
@1 let w = "B"
$w 0
#> F0
#> B0
@2-3 $w 1
#> F1
@(rank % 2 == 1) let w = "B"
for m in 2:4 { $w m }
#> F2
#> B2
#> F3
#> B3
# a def's name is made of several parts
def F_last m { say "last F$m" }
def B_last m { say "last B$m" }
$(w)_last 4
#> last F4
#> last B4

# a variable's name: each rank sets its own
let at_0 = 7
for u in rank:rank+2 { let at_$u = 10*rank+u }
@0 expect at_0 == 0 and at_1 == 1
@1 expect at_0 == 7 and at_1 == 11 and at_2 == 12
@3 expect at_0 == 7 and at_4 == 34

# a kernel's name and its gradient's
let act = "relu"
@1 let act = "exp"
tensor x[2] = 0
y = $act x
print y[0]
#> [0,2,3] y[0] = 0
#> [1] y[0] = 1
expect error "takes 1 tensor" { y = $act x x }
let act = "relu"
dx = $(act)_grad x x
print dx[0]
#> [0-3] dx[0] = 0

# a type, a space, a source
let t = "bf16"
@2 let t = "f32"
let where = "host"
let init = "ones"
let n = 2
tensor b$n[4] h[2,2] $t $where
print bytes(b2) bytes(h)
#> [0,1,3] bytes(b2) = 8 B
#>         bytes(h) = 8 B
#> [2] bytes(b2) = 16 B
#>     bytes(h) = 16 B
let init = "iota"
tensor i[4] $t = $init scale=2
print i[3]
#> [0-3] i[3] = 6

# the value of an option; a number in a sum
let to = "f16"
y = cast i to=$to
print bytes(y)
#> [0-3] bytes(y) = 8 B
let name = 3
expect $name + 1 == 4

# what a line becomes is read as a line: its mistakes are named
let w = "sya"
expect error "did you mean 'say'" { $w "x" }
let w = "sync; sync"
expect error "which is not a line with a command" { $w }

# a source or a number by a variable alone
let init = "ones"
@1 let init = 3
tensor s[2] = $init
print s[1]
#> [0,2,3] s[1] = 1
#> [1] s[1] = 3
expect error "neither a source" { let init = "onse" ; tensor s[2] = $init }

# a slice that is given to a def, and sliced again there, is one slice of the tensor
tensor grid[4,3] = iota
def last p { print p[1] }
def inner p { last p[1:3] }
inner grid[1:4,1]
#> [0-3] grid[3,1] = 10
def turned p { last p.T[1,1:] }
turned grid[1:4]
#> [0-3] grid.T[1,3] = 10
