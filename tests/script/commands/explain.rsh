# explain on: each line of a program with its PyTorch line and its CUDA or NCCL call. A test
# (test_explain.c) checks that each row with such a text appears here.
tensor w[8,8] dw[8,8] m[8,8] v[8,8] q[8,8] k[8,8] o[8,8] do[8,8] t[8,8] = 1
tensor h[8,8] pinned = 1
tensor ids[8] targets[8] i32 = 1
explain on

# streams, events, memory
stream io high
#>    PyTorch    io = torch.cuda.Stream()   # priority=high: priority=-1
#>    CUDA, NCCL cudaStreamCreateWithFlags(&io, cudaStreamNonBlocking)   // priority=high: cudaStreamCreateWithPriority
event loaded
#>    PyTorch    loaded = torch.cuda.Event()   # for elapsed: enable_timing=True
#>    CUDA, NCCL cudaEventCreateWithFlags(&loaded, cudaEventDisableTiming)   // for elapsed: cudaEventCreate(&loaded)
copy h -> t on io
#>    PyTorch    t.copy_(h, non_blocking=True)
#>    CUDA, NCCL cudaMemcpyAsync(t, h, bytes, cudaMemcpyDefault, io)
record loaded on io
#>    PyTorch    loaded.record(io)
#>    CUDA, NCCL cudaEventRecord(loaded, io)
wait loaded on high
#>    PyTorch    high.wait_event(loaded)   # or: high.wait_stream(loaded)
#>    CUDA, NCCL cudaStreamWaitEvent(high, loaded, 0)   // or: cudaEventRecord(event, loaded) first

query io
#> [0-3] io: done
#>    PyTorch    io.query()
#>    CUDA, NCCL cudaStreamQuery(io)   // or cudaEventQuery(io)
sync
#>    PyTorch    torch.cuda.synchronize()   # or STREAM.synchronize(), EVENT.synchronize()
#>    CUDA, NCCL cudaDeviceSynchronize()   // or cudaStreamSynchronize(STREAM), cudaEventSynchronize(EVENT)
spin 1us
#>    PyTorch    torch.cuda._sleep(cycles)
#>    CUDA, NCCL spin<<<1, 1, 0, default>>>
y = spin 1us w
#>    PyTorch    torch.cuda._sleep(cycles)
#>    CUDA, NCCL spin<<<1, 1, 0, default>>>
host 1us
#>    PyTorch    # Python code that takes a while
free y
#>    PyTorch    del y   # with `on S`: torch.cuda.current_stream().wait_stream(S) before it
#>    CUDA, NCCL cudaFreeAsync(y, default)
free k on io
#>    PyTorch    del k   # with `on S`: torch.cuda.current_stream().wait_stream(S) before it
#>    CUDA, NCCL cudaFreeAsync(k, io)
{ phase F0 }
#>    PyTorch    with record_function("F0"):
#>    CUDA, NCCL nvtxRangePush("F0")
print w[0,0]
#>    PyTorch    print(w[0,0])   # on the device: the host waits; on the host: read as it is
#>    CUDA, NCCL cudaMemcpyAsync(v, w[0,0], bytes, cudaMemcpyDeviceToHost, default); cudaStreamSynchronize(default)   // for host memory: no call
#> [0-3] w[0,0] = 1
print t[0:2,0:2] on io
#>    PyTorch    print(t[0:2,0:2])   # on the device: the host waits; on the host: read as it is
#>    CUDA, NCCL cudaMemcpyAsync(v, t[0:2,0:2], bytes, cudaMemcpyDeviceToHost, io); cudaStreamSynchronize(io)   // for host memory: no call
#> [0-3] t[0:2,0:2] [2,2] =
#>         1 1
#>         1 1
save w saved.npy
#> [0] w [8,8] saved as saved.npy
#>    PyTorch    np.save("saved.npy", w.cpu().numpy())
r = reshape w [4,16]
#>    PyTorch    r = w.view([4,16])
s = shard w
#>    PyTorch    s = w.chunk(world, dim=0)[rank]   # beyond its last chunk: no rows, as DTensor

# made on the device
z0 = zeros [4,8]
#>    PyTorch    z0 = torch.zeros(4, 8, device='cuda')
#>    CUDA, NCCL cudaMemsetAsync
z1 = ones [4,8]
#>    PyTorch    z1 = torch.ones(4, 8, device='cuda')
#>    CUDA, NCCL fill<<<blocks, threads, 0, default>>>
z2 = full [4,8] 3.0
#>    PyTorch    z2 = torch.full((4, 8), 3.0, device='cuda')
#>    CUDA, NCCL fill<<<blocks, threads, 0, default>>>
z3 = iota [4,8]
#>    PyTorch    z3 = torch.arange(32, dtype=torch.float, device='cuda').view(4, 8)
#>    CUDA, NCCL iota<<<blocks, threads, 0, default>>>
z4 = randn [4,8]
#>    PyTorch    z4 = torch.randn(4, 8, device='cuda')
#>    CUDA, NCCL curandGenerateNormal
z5 = uniform [4,8]
#>    PyTorch    z5 = torch.rand(4, 8, device='cuda')
#>    CUDA, NCCL curandGenerateUniform
fill z5 0
#>    PyTorch    z5.fill_(0)
#>    CUDA, NCCL fill<<<blocks, threads, 0, default>>>   // 0: cudaMemsetAsync

# kernels
c = matmul w q.T
#>    PyTorch    c = w @ q.T
#>    CUDA, NCCL cublasSgemm
c += matmul w q
#>    PyTorch    c += w @ q
#>    CUDA, NCCL cublasSgemm
a0 = add w q
#>    PyTorch    a0 = w + q
#>    CUDA, NCCL add<<<blocks, threads, 0, default>>>
a0 += q
#>    PyTorch    a0 = a0 + q
#>    CUDA, NCCL add<<<blocks, threads, 0, default>>>
a1 = sub w q
#>    PyTorch    a1 = w - q
#>    CUDA, NCCL sub<<<blocks, threads, 0, default>>>
a2 = mul w q
#>    PyTorch    a2 = w * q
#>    CUDA, NCCL mul<<<blocks, threads, 0, default>>>
a3 = div w q
#>    PyTorch    a3 = w / q
#>    CUDA, NCCL div<<<blocks, threads, 0, default>>>
a4 = maximum w q
#>    PyTorch    a4 = torch.maximum(w, q)
#>    CUDA, NCCL maximum<<<blocks, threads, 0, default>>>
a5 = fmax w q
#>    PyTorch    a5 = torch.fmax(w, q)
#>    CUDA, NCCL fmax<<<blocks, threads, 0, default>>>
a6 = fmin w q
#>    PyTorch    a6 = torch.fmin(w, q)
#>    CUDA, NCCL fmin<<<blocks, threads, 0, default>>>
a7 = scale w 0.5
#>    PyTorch    a7 = w * 0.5
#>    CUDA, NCCL scale<<<blocks, threads, 0, default>>>
b0 = exp w
#>    PyTorch    b0 = torch.exp(w)
#>    CUDA, NCCL exp<<<blocks, threads, 0, default>>>
b0 = sqrt w
#>    PyTorch    b0 = torch.sqrt(w)
#>    CUDA, NCCL sqrt<<<blocks, threads, 0, default>>>
b1 = relu w
#>    PyTorch    b1 = torch.relu(w)
#>    CUDA, NCCL cudnnActivationForward
b2 = relu_grad do b1
#>    PyTorch    b2 = do.masked_fill(b1 <= 0, 0)
#>    CUDA, NCCL cudnnActivationBackward
b3 = gelu w
#>    PyTorch    b3 = F.gelu(w, approximate='tanh')
#>    CUDA, NCCL gelu<<<blocks, threads, 0, default>>>
b4 = gelu_grad do w
#>    PyTorch    b4, = torch.autograd.grad(y, w, do)
#>    CUDA, NCCL gelu_grad<<<blocks, threads, 0, default>>>
r0 = rowsum w
#>    PyTorch    r0 = w.sum(-1, keepdim=True)
#>    CUDA, NCCL cub::DeviceSegmentedReduce::Sum
r1 = rowmax w
#>    PyTorch    r1 = w.amax(-1, keepdim=True)
#>    CUDA, NCCL cub::DeviceSegmentedReduce::Max
r2 = colsum w
#>    PyTorch    r2 = w.sum(0)
#>    CUDA, NCCL cublasSgemv
p = softmax w
#>    PyTorch    p = torch.softmax(w, -1)
#>    CUDA, NCCL cudnnSoftmaxForward
p1 = softmax_grad do p
#>    PyTorch    p1 = p * (do - (do * p).sum(-1, keepdim=True))
#>    CUDA, NCCL cudnnSoftmaxBackward
l = layernorm w
#>    PyTorch    l = F.layer_norm(w, w.shape[-1:])
#>    CUDA, NCCL layernorm<<<rows, threads, 0, default>>>
l1 = layernorm_grad do w
#>    PyTorch    l1, = torch.autograd.grad(y, w, do)
#>    CUDA, NCCL layernorm_grad<<<rows, threads, 0, default>>>
d = dropout w
#>    PyTorch    d = F.dropout(w, p=0.5)
#>    CUDA, NCCL dropout<<<blocks, threads, 0, default>>>
d1 = dropout_grad do
#>    PyTorch    d1 = do * mask / (1 - p)
#>    CUDA, NCCL dropout<<<blocks, threads, 0, default>>>
t0 = cast w to=bf16
#>    PyTorch    t0 = w.to(torch.bfloat16)
#>    CUDA, NCCL cast<<<blocks, threads, 0, default>>>
qq qs = quantize w
#>    PyTorch    qs = w.abs().max() / 127; qq = torch.round(w / qs)
#>    CUDA, NCCL quantize<<<blocks, threads, 0, default>>>
found = nonfinite w
#>    PyTorch    found = (~torch.isfinite(w)).sum(dtype=torch.float)
#>    CUDA, NCCL multi_tensor_apply<NonFiniteCheck>
tv ti = topk w k=2
#>    PyTorch    tv, ti = torch.topk(w, k)
#>    CUDA, NCCL cub::DeviceSegmentedRadixSort::SortPairsDescending
dtv = topk_grad tv ti length=8
#>    PyTorch    dtv = torch.zeros(n, length).scatter_(-1, ti, tv)
#>    CUDA, NCCL topk_grad<<<rows, threads, 0, default>>>
place count = binsort ids bins=8
#>    PyTorch    count = torch.bincount(ids.flatten(), minlength=bins); place = ids.flatten().argsort(stable=True).argsort().view_as(ids)
#>    CUDA, NCCL cub::DeviceRadixSort::SortPairs
there = permute w place rows=8
#>    PyTorch    there = torch.zeros(rows, m).index_add_(0, place.flatten(), w.repeat_interleave(k, 0))
#>    CUDA, NCCL permute<<<rows, threads, 0, default>>>
back = unpermute there place
#>    PyTorch    back = there[place.flatten()].view(n, k, m).sum(1)
#>    CUDA, NCCL unpermute<<<rows, threads, 0, default>>>
tensor four[2,2] i32 = 2
turned = sort_chunks w four
#>    PyTorch    c = w.split(four.flatten().tolist()); turned = torch.cat([c[i*b+j] for j in range(b) for i in range(a)])
#>    CUDA, NCCL sort_chunks<<<rows, threads, 0, default>>>
sq = sumsq w
#>    PyTorch    sq = w.float().square().sum()
#>    CUDA, NCCL cublasSdot(handle, count, w, 1, w, 1, sq)
g0 = mse w q
#>    PyTorch    g0 = F.mse_loss(w, q)
#>    CUDA, NCCL mse<<<blocks, threads, 0, default>>>
g1 = mse_grad w q
#>    PyTorch    g1, = torch.autograd.grad(F.mse_loss(w, q), w)
#>    CUDA, NCCL mse_grad<<<blocks, threads, 0, default>>>
e0 = embed w ids
#>    PyTorch    e0 = F.embedding(ids, w)
#>    CUDA, NCCL embed<<<tokens, threads, 0, default>>>
e1 = embed_grad do ids rows=8
#>    PyTorch    e1 = torch.zeros(rows, d).index_add_(0, ids, do)
#>    CUDA, NCCL embed_grad<<<rows, threads, 0, default>>>
x0 = crossentropy w targets
#>    PyTorch    x0 = F.cross_entropy(w, targets)   # of tokens: targets.long()
#>    CUDA, NCCL crossentropy<<<rows, threads, 0, default>>>
x1 = crossentropy_grad w targets
#>    PyTorch    x1, = torch.autograd.grad(F.cross_entropy(w, targets), w)
#>    CUDA, NCCL crossentropy_grad<<<rows, threads, 0, default>>>
att = attention q o w
#>    PyTorch    att = F.scaled_dot_product_attention(q, o, w)   # heads apart: [heads,seq,width]; causal=1: is_causal=True
#>    CUDA, NCCL flash_fwd_kernel<<<blocks, threads, 0, default>>>
aq ak av = attention_grad do q o w
#>    PyTorch    aq, ak, av = torch.autograd.grad(o, (q, o, w), do)
#>    CUDA, NCCL flash_bwd_kernel<<<blocks, threads, 0, default>>>
oa la = attention q o w
ob lb = attention q o w
#>    PyTorch    oa = F.scaled_dot_product_attention(q, o, w)   # heads apart: [heads,seq,width]; causal=1: is_causal=True
#>    CUDA, NCCL flash_fwd_kernel<<<blocks, threads, 0, default>>>
#>    PyTorch    ob = F.scaled_dot_product_attention(q, o, w)   # heads apart: [heads,seq,width]; causal=1: is_causal=True
#>    CUDA, NCCL flash_fwd_kernel<<<blocks, threads, 0, default>>>
attention_merge oa la ob lb
#>    PyTorch    oa -= torch.sigmoid(lb - la) * (oa - ob); la = torch.logaddexp(la, lb)
#>    CUDA, NCCL merge_attn_states<<<blocks, threads, 0, default>>>
wt = transpose w
#>    PyTorch    wt = w.transpose(0, 1).contiguous()
#>    CUDA, NCCL transpose<<<blocks, threads, 0, default>>>
sgd w dw lr=0.1
#>    PyTorch    w -= lr * dw   # torch.optim.SGD
#>    CUDA, NCCL cublasSaxpy
adam w dw m v t=1
#>    PyTorch    torch.optim.Adam([w], lr=1e-3).step()
#>    CUDA, NCCL adam<<<blocks, threads, 0, default>>>

# between ranks
group pair 0-1 2-3
#>    PyTorch    pair = dist.new_group([0, 1])
#>    CUDA, NCCL ncclCommSplit(world, color, key, &pair, NULL)
mesh dp=2 tp=2
#>    PyTorch    init_device_mesh("cuda", (2, 2), mesh_dim_names=("dp", "tp"))
#>    CUDA, NCCL ncclCommSplit, once an axis
allreduce w
#>    PyTorch    dist.all_reduce(w, op=dist.ReduceOp.SUM)
#>    CUDA, NCCL ncclAllReduce(w, w, count, ncclFloat, ncclSum, comm, default)
aw = allreduce w
#>    PyTorch    dist.all_reduce(w, op=dist.ReduceOp.SUM)
#>    CUDA, NCCL ncclAllReduce(w, w, count, ncclFloat, ncclSum, comm, default)
broadcast w root=1
#>    PyTorch    dist.broadcast(w, src=1)   # in a group: group_src=1
#>    CUDA, NCCL ncclBroadcast(w, w, count, ncclFloat, 1, comm, default)
reduce w
#>    PyTorch    dist.reduce(w, dst=0)   # in a group: group_dst=0
#>    CUDA, NCCL ncclReduce(w, w, count, ncclFloat, ncclSum, 0, comm, default)
ag = allgather w
#>    PyTorch    dist.all_gather_into_tensor(ag, w)   # rows=: w padded to ceil(rows/n) rows, then ag[:rows]
#>    CUDA, NCCL ncclAllGather(w, ag, count, ncclFloat, comm, default)
rs = reducescatter w
#>    PyTorch    dist.reduce_scatter_tensor(rs, w)   # FSDP2 pads w to n*ceil(rows/n) rows of zeroes
#>    CUDA, NCCL ncclReduceScatter(w, rs, count, ncclFloat, ncclSum, comm, default)
ga = gather w
#>    PyTorch    dist.gather(w, ys, dst=0)   # in a group: group_dst=0
#>    CUDA, NCCL ncclGroupStart(); ncclSend(w, count, ncclFloat, 0, ...); ncclRecv(...); ncclGroupEnd()
sc = scatter w
#>    PyTorch    dist.scatter(sc, xs, src=0)   # in a group: group_src=0
#>    CUDA, NCCL ncclGroupStart(); ncclSend(...); ncclRecv(sc, count, ncclFloat, 0, ...); ncclGroupEnd()
al = alltoall w
#>    PyTorch    dist.all_to_all_single(al, w)   # (al, w, recv.tolist(), send.tolist()) with counts
#>    CUDA, NCCL ncclGroupStart(); for each peer: ncclSend(...), ncclRecv(...); ncclGroupEnd()
barrier
#>    PyTorch    dist.barrier()
#>    CUDA, NCCL ncclAllReduce of one element; cudaStreamSynchronize(default)
@0 send t to=1 on io
#>    PyTorch    dist.send(t, dst=1)   # in a group: group_dst=1
#>    CUDA, NCCL ncclSend(t, count, ncclFloat, 1, comm, io)
@1 recv t from=0 on io
#>    PyTorch    dist.recv(t, src=0)   # in a group: group_src=0
#>    CUDA, NCCL ncclRecv(t, count, ncclFloat, 0, comm, io)
together { sendrecv w -> q to=(rank+1)%world from=(rank-1)%world }
#>    PyTorch    dist.batch_isend_irecv([P2POp(dist.isend, w, (rank+1)%world), P2POp(dist.irecv, q, (rank-1)%world)])   # in a group: group_peer=
#>    CUDA, NCCL ncclGroupStart(); ncclSend(w, ...); ncclRecv(q, ...); ncclGroupEnd()
#>    PyTorch    dist.batch_isend_irecv([...])
#>    CUDA, NCCL ncclGroupStart(); ... ncclGroupEnd()
wait default on io
#>    PyTorch    io.wait_event(default)   # or: io.wait_stream(default)
#>    CUDA, NCCL cudaStreamWaitEvent(io, default, 0)   // or: cudaEventRecord(event, default) first
capture step on io { c = matmul w q }
#>    PyTorch    c = w @ q
#>    CUDA, NCCL cublasSgemm
#>    PyTorch    with torch.cuda.graph(step):
#>    CUDA, NCCL cudaStreamBeginCapture ... cudaStreamEndCapture, cudaGraphInstantiate
launch step on io
#>    PyTorch    step.replay()
#>    CUDA, NCCL cudaGraphLaunch(step, io)
tensor seen[4] mine[4] = rank
window seen
#>    PyTorch    symm_mem.rendezvous(seen, group)   # of symm_mem.empty(...)
#>    CUDA, NCCL ncclCommWindowRegister(comm, seen, bytes, &window, 0); MPI_Win_create; nvshmem_malloc
@0 put mine -> seen@1
#>    PyTorch    symm_mem: buffer.copy_(mine)   # of handle.get_buffer(RANK, ...)
#>    CUDA, NCCL nvshmemx_putmem_on_stream(seen@1, mine, bytes, RANK, default); MPI_Put and MPI_Win_flush
@1 get seen@0 -> mine
#>    PyTorch    symm_mem: mine.copy_(buffer)   # of handle.get_buffer(RANK, ...)
#>    CUDA, NCCL nvshmemx_getmem_on_stream(mine, seen@0, bytes, RANK, default); MPI_Get and MPI_Win_flush
@0 add mine -> seen@1
#>    CUDA, NCCL MPI_Accumulate(mine, ..., RANK, ..., MPI_SUM, window) and MPI_Win_flush; atomicAdd in a kernel
close seen
#>    CUDA, NCCL ncclCommWindowDeregister(comm, window); MPI_Win_free
