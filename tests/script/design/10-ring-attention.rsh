## Ring attention: queries stay, keys and values go round
let n = world; let T = 32; let d = 16  # T tokens a rank
let right = (rank + 1) % n;  let left = (rank - 1) % n
tensor q[T,d] k0[T,d] v0[T,d] = randn seed=10*rank
tensor k1[T,d] v1[T,d]
tensor o[T,d] l[T,1] = zeros           # running output, running sum of exponentials
tensor top[T,1] = -inf                 # running row maximum
stream compute comm
event here0 here1 used0 used1

def absorb k v {                       # one block of keys and values: the online softmax
  s = matmul q k.T scale=1/sqrt(d)
  new = rowmax s;     new = maximum new top
  s = sub s new;      s = exp s
  old = sub top new;  old = exp old    # what was there shrinks by this much
  l = mul l old;      l += rowsum s
  o = mul o old;      o += matmul s v
  copy new -> top
}

for i in 0:n {
  let a = i % 2;  let b = 1 - a
  wait here$a on compute
  if i < n-1 {
    wait used$b on comm                # buffer b is free again
    together on comm {                 # ncclGroupStart ... ncclGroupEnd
      sendrecv k$a -> k$b to=right from=left
      sendrecv v$a -> v$b to=right from=left
    }
    record here$b on comm
  }
  on compute { phase block$i; absorb k$a v$a; record used$a }
}
o = div o l on compute
sync

## The same in one piece
tensor q0[T,d] K0[T,d] V0[T,d] = randn seed=10*rank
K = allgather K0;  V = allgather V0
S = matmul q K.T scale=1/sqrt(d);  S = softmax S
R = matmul S V
sync
expect close(o, R)
expect races == 0
# ranks 1 2 3 4 8
