# loader: micro-batches come from disk: host threads read and decode them ahead of their use
# (`loader`)
#     load0     D0 read decode   D2 read decode     D4 ...   workers=2 prefetch=1: three pinned buffers take turns.
#     load1     D1      read decode     D3 read decode ...   One disk: reads wait for one another, decoding does not
#     compute                 copy F0 B0 ...  copy F1 B1     The copy waits for batch_ready0. D3 goes where D0 was, and
#                                                            waits for batch_taken0: until D0 is copied to the GPU
# Like PyTorch's DataLoader: worker n % workers reads micro-batch n, counted over all iterations.
# The first opening of a micro-batch requests it and workers*prefetch more; each later opening
# requests one more. If a rank reads no data, it has no workers.
let data_space = "disk";  let loader_ahead = loader_workers*loader_prefetch;  let loader_next = -1
# loader_held: extra buffers for micro-batches opened in part or out of order (a pipeline whose chunks
# form a V, as in schedule=zb-v-4.csv)
let loader_held = 0;  let buffers_of_loader = 0
def load_data {
  replaced;  let buffers_of_loader = loader_ahead+1+loader_held
  for w in 0:loader_workers { stream load$w kind=host }
  for b in 0:buffers_of_loader { buffer_room _$b (batch+replicas*micros-1)//(replicas*micros);  event batch_ready$b batch_taken$b }
}
def request n {
  let b = n%buffers_of_loader;  let w = n%loader_workers;  find_rows n//micros n%micros
  phase D$n;  wait batch_taken$b on load$w;  read_batch _$b load$w
  if loader_decode > 0ms { spin loader_decode on load$w }
  record batch_ready$b on load$w
}
# Opens the buffer with the micro-batch that `take` has chosen, and requests the next ones.
def open_buffer {
  let n = it*micros+taken;  let b = n%buffers_of_loader;  if loader_next < 0 { let loader_next = it*micros }
  for k in loader_next:n+loader_ahead+1 { request k }
  let loader_next = max(loader_next,n+loader_ahead+1);  find_rows it taken
  wait batch_ready$b;  let store = "_$b";  let base = at
}
def close_buffer { record batch_taken$((it*micros+taken)%buffers_of_loader);  let store = "";  let base = 0 }
def read_input m { open_buffer;  replaced m;  close_buffer }
def read_target m { open_buffer;  replaced m;  close_buffer }
