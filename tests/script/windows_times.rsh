# one-sided operations that only time orders; windows.rsh has the others
# ranks 4
stream s
group ps 0-2
tensor y[4,8] = zeros
tensor x[4,8] = rank+1
tensor v[2,8] b[4,8] = ones
@0-2 window y in ps

## moved, by their time
@0 { host 1ms; put x -> y@1; add x -> y@2 scale=0.5 }
@1 { host 3ms; add x[0:2] -> y[2:4]@1 scale=-1; get y@2 -> b }
@2 { host 5ms; put v -> y[0:2]@0 on s }
@0-2 { sync; barrier in ps }
@1 expect y[0,0] == 1 and y[3,7] == -1 and b[0,0] == 0.5
@2 expect y[0,0] == 0.5
@0 expect y[1,7] == 1 and y[2,0] == 0

## a get reads what is there when it starts, and a kernel what a put has left, by the clock alone
tensor old[4,8] new[4,8] seen[4,8] = zeros
@2 { host 1ms; fill y 7; host 2ms; seen = relu y }
@1 { host 2ms; put x -> y@2 on s }
@0 { get y@2 -> old; host 5ms; get y@2 -> new }
@0-2 { sync; barrier in ps }
@0 expect old[0,0] == 0.5 and new[0,0] == 2
@2 expect seen[0,0] == 2
expect races == 0
# sim: nothing but time orders its puts and gets
