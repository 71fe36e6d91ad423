# a kernel on host memory runs on the host, in stream order: bytes / host_rate, no GPU time
# ranks 1 2
stream cpu compute
tensor w[65536] dw[65536] pinned = 1
tensor x[256,256] y[256,256] = randn
set host_rate=1GB/s launch=0
mark host
sgd w dw lr=0.5 on cpu
spin 100us on compute
sync
expect w[0] == 0.5 and w[65535] == 0.5
# 3 x 256 kB at 1 GB/s: read twice, written once
expect time(host) > 786us and time(host) < 787us and busy(cpu) == 1
let part = busy(compute)
expect part > 0.127 and part < 0.128
# it is no work of the GPU: of its streams compute alone has a kernel, and it hides no communication
expect abs(idle(host)-(1-part)) < 0.001
mark beside
sgd w dw lr=0.5 on cpu
allreduce y on compute
sync
expect overlapped == 0 and exposed == busy(compute)*time
tensor d[65536] = 1
expect error "sgd: dw is in pinned host memory" { sgd d dw lr=0.5 on cpu }
expect error "relu: w is in pinned host memory" { r = relu w }
sync
expect races == 0
copy w -> d on compute
sgd w dw lr=0.5 on cpu
expect races > 0
