# capture and launch: the same answers, one launch
tensor x[4,4] = 1
tensor w[4,4] = 1
y = matmul x w
z = relu y
mark graph
capture step { y = matmul x w; z = scale y 2 }
launch step
launch step
sync
print z[0]
#> [0-3] z[0] = 8 8 8 8
expect count(matmul) == 2
expect error "no graph 'nothing'" { launch nothing }
# a refused capture leaves no graph, and the one that was there as it was
expect error "add takes 2 tensors" { capture part { y = relu x; y = add x } }
expect error "no graph 'part'" { launch part }
expect error "add takes 2 tensors" { capture step { y = relu x; y = add x } }
mark old
launch step
expect count(matmul,old) == 1 and count(relu,old) == 0
# what is captured under one mark and launched under others counts to those
mark taken
capture again { y = matmul x w }
mark one
launch again
mark two
launch again
launch again
sync
expect count(matmul,taken) == 0
expect count(matmul,one) == 1
expect count(matmul,two) == 2
expect count(matmul,graph) == 2
# behind a `set` a launch costs what the machine says by then
mark slow
capture pause { z = relu y }
launch pause
sync
set memory_rate=1kB/s
launch pause
sync
expect time > 50ms
