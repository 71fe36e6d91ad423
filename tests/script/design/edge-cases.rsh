tensor copy[4] data[4] = rank        # names of commands
copy copy -> data; sync
expect data[0] == rank               # and a trailing comment
stream s#1
tensor m[4, 8] = 2
for c in 1 2 4 8 { let last = c }
expect last == 8 and last % 3 == 2 and -1 % 4 == 3 and 8 > 80%
expect 7 % (rank+1) < 4
@(rank % 2 == 0) print m[0:1, 0:2]
print rank @1-2
if rank == 0 {
  let who = 10
} else if rank < 3 {
  let who = 20
} else { let who = 30 }
print who
def twice x { bump x; bump x }
def bump x { x += one }
tensor one[4] = 1
tensor z[4] = 0
twice z
expect z[0] == 2
def deep n { deep n+1 }
expect error "defs call each other deeper than 100" { deep 0 }
expect error "'who' is already a variable" { tensor who[4] }
expect error "write: y = matmul m m" { y = matmul(m, m) }
expect error "a variable's: let y = m * 2" { y = m * 2 }
repeat world - 1 { z += one }
expect z[3] == 2 + world - 1
@0 { for i in 0:3 { @1 print i } }   # empty set: nothing
y = m[1:3]
m[1] += m[0]; sync
expect y[0,0] == 4                   # a view sees the writing
expect error "99 is out of range for size 8" { y[0:2,0:99] = relu m }
# ranks 3 4
