# kernels of a high-priority stream run first: the others pause meanwhile
stream low
stream high priority=high
tensor x[256,256] w[256,256] = 1
mark both
y = matmul x w on low
z = matmul x w on high
sync
# low: 0.02 ms to 0.04 ms, then from 2.04 ms to 4.02 ms
expect time(both) == 4.02ms and busy(high) * 4.02 > 1.99 and busy(high) * 4.02 < 2.01
# sim: kernels of one GPU share it as it likes; the model of that is not played
