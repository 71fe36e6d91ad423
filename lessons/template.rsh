# lesson: Queue, and do not wait
# minutes: 10
# ranks: 2 4 8
# learned: Queueing is cheap, waiting is not.
# Comment lines before the first task are for readers of the file.
# docs/guide/lesson-files.md explains all parts. `ranksh --check-lessons FILE`
# tests the lesson, `lesson FILE` opens it.

## Three multiplications
# The text for the learner, at most 78 columns wide. The task comes last.
# Task: queue y = x w and z = y w, and do not wait for anything.
#: start
# lines that run before the learner begins; `mark task` begins the section
# that the gates measure
tensor x[256,256] w[256,256] = randn seed=rank scale=0.1
mark task
#: reference
# lines that run in a separate world: only the gates see their tensors
r1 = matmul x w;  r = matmul r1 w
#: vary ranks=2,4,8
#: predict how far will the two lines move the host's clock? = 40us
#: check
expect count(matmul) == 2   # two matmuls are asked for
expect close(z, r)   # z is not x w w
expect hostwait <= best(hostwait)   # the host waits without need
#: hint
# The idea. ranksh makes the second hint (which line to look at) and the third
# (a line) from the solution.
#: solution
y = matmul x w
z = matmul y w
#: right
a = matmul x w;  z = matmul a w;  sync;  timeline
#: wrong
y = matmul x w;  print y[0,0];  z = matmul y w
#: wrong
y = matmul x w;  z = matmul x y
#: wrong
y = matmul x w
#: transfer
# In PyTorch: y = x @ w returns at once; y.item() waits.
