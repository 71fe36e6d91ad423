# calibrate: `measure n` queues operations that show a machine's figures, one at a time, in sizes
# up to n
#     elements; `calibrate F.machine` fits the figures. It queues launches, memory-bound and compute-bound
#     kernels (f32, bf16), copies, host memory, the disk; with several ranks a transfer and an allreduce. On
#     a GPU choose n larger than its caches, as in `measure 64M`; on the simulator 256k is enough.
def measure n {
  let measure_side = 8
  repeat max(ceil(log2(n)/2)-2,1) { measure_size measure_side;  let measure_side = measure_side*2 }
}
def measure_size k {
  tensor m_x[k,k] m_y[k,k] m_z[k,k] = 0;  tensor m_u[k,k] m_v[k,k] m_w[k,k] bf16 = 0
  tensor m_pinned[k,k] m_other[k,k] pinned = 0;  tensor m_host[k,k] host = 0;  tensor m_disk[k,k] disk = 0
  repeat 3 {
    m_y = relu m_x;  m_z = add m_x m_y;  copy m_x -> m_y;  m_v = relu m_u;  m_z = matmul m_x m_y;  m_w = matmul m_u m_v # in sequence: an idle GPU waits for the calls
    copy m_pinned -> m_x;  copy m_x -> m_other;  copy m_host -> m_x;  copy m_x -> m_host;  copy m_pinned -> m_other
    copy m_disk -> m_pinned;  copy m_pinned -> m_disk
    if world > 1 { repeat 2 { allreduce m_x;  if rank == 0 { send m_x to=1 } else { if rank == 1 { recv m_y from=0 } };  barrier } }
  }
  sync
  free m_x m_y m_z m_u m_v m_w m_pinned m_other m_host m_disk
}
