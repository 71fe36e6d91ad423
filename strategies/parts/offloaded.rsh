# offloaded: a rank's shard of optimizer state, parameters and gradients in host memory or on disk;
# the host runs the step. State on disk is read into pinned memory before its step, in prefetch+2
# buffers, and written back after it:
#     disk_in    read 3   read 2   read 1                          ZeRO-Offload arXiv:2101.06840, ZeRO-Infinity arXiv:2104.07857
#     cpu                 step 3   step 2   step 1
#     disk_out                     write 3  write 2  write 1
#     h2d                          parameters 3, 2, 1              (offloaded parameters stay there; each gather copies its own)
# For group 3 the host has host3 (parameters), host3_f32 (masters), host3_m, host3_v, host3_g
# (gradients), the disk disk3, disk3_f32
let host = 1;  let kept = "host";  let away = offload_params != "none"
let disk_state = offload_optimizer == "nvme";  let disk_gradients = offload_gradients == "nvme"
let state_home = "host";  if disk_state { let state_home = "disk" }
# In f32 the parameters are the masters; in half precision they are cast from them and may exist in
# a buffer only.
let home_of_parameters = "host"
if disk_state and not away { let home_of_parameters = "disk";  if mixed { let home_of_parameters = "buffer" } }
if offload_params == "nvme" { let home_of_parameters = "disk" }
let staged = disk_state or disk_gradients or home_of_parameters != "host"
let state_lies = state_home;  let lies = state_home;  if not mixed { let lies = home_of_parameters }
let buffers = prefetch+2;  let buffer = 0;  let turn = 0;  let largest = 0;  for i in 0:groups+1 { let largest = max(largest,part_$i) }
stream d2h cpu h2d;  if staged { stream disk_in disk_out }

# ---- memory: calls `what` with each state tensor in group i: its name's suffix, its type, its place ----
def each_kept i what {
  $what i "" $dtype $home_of_parameters
  if mixed { $what i "_f32" f32 $state_home }
  if optimizer == "adam" { $what i "_m" f32 $state_home;  $what i "_v" f32 $state_home }
}
def home_memory i x type home {
  if home == "host" { tensor host$(i)$x[part_$i] pinned $type = zeros }
  if home == "disk" { tensor disk$(i)$x[part_$i] disk $type = zeros }
}
def buffer_memory s x type home { if home != "host" { tensor buffer$(s)$x[largest] pinned $type = zeros } }
def state_memory i {
  each_kept i home_memory;  let home = "host";  if disk_gradients { let home = "disk" }
  home_memory i "_g" $dtype $home;  event summed$i
}
def shard_memory i { if not away { replaced i } }
def gradient_part_memory i { if offload_gradients == "none" { replaced i } }
def parameters {
  tensor unscaled_room[largest] pinned
  if clip > 0 or masked { tensor clip_host[1] pinned;  let clip_here = "clip_host" }
  for s in 0:buffers {
    if staged { each_kept s buffer_memory;  event read_$s written_$s }
    if disk_gradients { buffer_memory s "_g" $dtype disk;  tensor host_room$s[largest] pinned $dtype;  event host_free_$s }
    if away { tensor lift$s[largest] $dtype kind=parameter;  event gathered_$s lifted_$s }
    if offload_params == "nvme" { tensor staged$s[largest] pinned $dtype }
  }
  replaced
}
def begin_group i {
  let buffer = 0;  each_kept i name_buffer;  replaced i;  wait compute on cpu
  let turn = -1;  on_host i refresh_one;  wait cpu on compute;  if staged { wait disk_out on compute }
}
def finish_group i { }

# ---- the host's work on group i: read, processed by `what` on the stream cpu, copied to the GPU, written back ----
def name_buffer i x type home { if home != "host" { host$(i)$x = buffer$(buffer)$x[0:part_$i] } }
def read_one i x type home {
  name_buffer i "$x" $type $home;  let f = mixed and "$x" == ""     # the parameters are cast from the masters
  if home == "disk" and not f { copy disk$(i)$x -> host$(i)$x on disk_in }
}
def write_one i x type home { if home == "disk" { copy host$(i)$x -> disk$(i)$x on disk_out } }
# turn -1: the buffer is initialized
def on_host i what {
  if staged and turn >= 0 {
    let buffer = turn%buffers;  let turn = turn+1
    wait written_$buffer on disk_in;  each_kept i read_one
    if disk_gradients { wait summed$i on disk_in;  read_one i "_g" $dtype disk }
    record read_$buffer on disk_in;  wait read_$buffer on cpu
  }
  $what i
  if not away { wait cpu on h2d;  copy host$i -> shard$i on h2d;  if not cut_parameters { wait h2d on comm;  gather_flat i } }
  if staged {
    wait cpu on disk_out;  each_kept i write_one;  if not away { wait h2d on disk_out }
    record written_$buffer on disk_out
  }
}
def step_one i { wait summed$i on cpu;  unscaled = unscaled_room[0:part_$i];  step_down host$i host$(i)_g on cpu }
def refresh_one i { if mixed { host$i = cast host$(i)_f32 to=$dtype on cpu } }
def refresh_group i { let turn = i;  on_host i refresh_one }

# ---- gradients go to the host while the layers before compute ----
def keep_gradients i { if not gradients_wait { gradients_to_host i } }
let gradients_wait = clip > 0 or masked or dynamic              # they stay on the GPU until the norm, or an overflow, is known
def gradients_to_host i {
  wait comm on d2h
  if disk_gradients {
    let s = i%buffers;  wait host_free_$s on d2h;  host$(i)_g = host_room$s[0:part_$i];  copy dshard$i -> host$(i)_g on d2h
    wait d2h on disk_out;  copy host$(i)_g -> disk$(i)_g on disk_out;  record host_free_$s on disk_out;  record summed$i on disk_out
  } else { copy dshard$i -> host$(i)_g on d2h;  record summed$i on d2h }
  if offload_gradients != "none" { free dshard$i on d2h }
}
def update {
  wait compute on h2d;  wait comm on h2d;  wait h2d on cpu;  let turn = 0
  if staged { wait disk_in on disk_out }
  if clip > 0 or masked { wait compute on d2h;  copy clip_factor -> clip_host on d2h }
  if gradients_wait { for i in groups:-1:-1 { if part_$i > 0 { gradients_to_host i } } }
  for i in groups:-1:-1 { if part_$i > 0 { on_host i step_one } }
}

# ---- parameters come to the GPU for each gather: from host memory, or from disk through host memory ----
let lifts = 0
def before_forward u m {
  if u == low_0 and fresh and not again {
    wait cpu on h2d;  wait h2d on comm;  if staged { wait disk_out on disk_in }
  }
  replaced u m
}
def gather_flat i {
  let s = lifts%buffers;  if away { lift i s;  let lifts = lifts+1 }
  replaced i;  if away { record gathered_$s on comm }
}
def lift i s {
  shard$i = lift$s[0:part_$i];  let from = "host$i"
  if offload_params == "nvme" {
    let from = "staged$s";  wait lifted_$s on disk_in;  copy disk$i -> staged$s[0:part_$i] on disk_in;  wait disk_in on h2d
  }
  wait gathered_$s on h2d;  copy $from[0:part_$i] -> shard$i on h2d;  record lifted_$s on h2d
  wait h2d on comm
}
