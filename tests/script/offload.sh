#!/bin/sh
# offload.sh -- which tensors offload= leaves on the device, and how many bytes a step sends over
# the bus and to the disk, compared with formulas
. tests/script/lib.sh

# An mlp of 8 layers of 512 x 512, bf16 with Adam, on 4 ranks: a rank's part is P = 524288
# parameters, each with 2 bytes, a gradient of 2 and a state of 12.
# step STRATEGY EXPECTATION...: of the second step; the first has the setup
step() {
	strategy=$1
	shift
	{
		echo "model mlp layers=8 hidden=512 batch=64 dtype=bf16 optimizer=adam"
		echo "strategy $strategy"
		echo "run 1; sync; mark second; run 1; sync"
		echo "let P = 524288"
		for expected; do echo "expect $expected"; done
	} > "$work/lines"
	check "$strategy" "$RANKSH" --dry -n 4 "$work/lines" > "$work/said"
	grep -e '^ok' -e '^FAIL' -e false "$work/said"
}
state='peak(optimizer) == 0 and peak(gradient) > 2B*P'
no_disk='sent("disk read") == 0 and sent("disk write") == 0'
step fsdp 'peak(optimizer) == 12B*P' 'sent("pcie up") == 0' "$no_disk"
step "fsdp offload=host" "$state" 'sent("pcie up") == 2B*P' "$no_disk"
step "fsdp offload=nvme" "$state" 'sent("pcie up") == 2B*P' 'sent("disk read") == 12B*P' 'sent("disk write") == 12B*P'
# Each gather, forward and backward, copies parameters to the device; prefetch+2 buffers of the
# largest group hold them.
step "fsdp offload=optimizer:host,params:host" "$state" 'sent("pcie up") == 2B*P' 'abs(sent("pcie down")-2*2B*P) < 100kB' "$no_disk"
step "fsdp offload=optimizer:nvme,params:nvme" 'sent("disk read") == 12B*P+2*2B*P' 'sent("disk write") == (12B+2B)*P'
step "fsdp offload=optimizer:nvme,params:host,gradients:nvme" 'sent("disk read") == (12B+2B)*P' 'sent("disk write") == (12B+2B)*P' 'peak(gradient) < 2B*P*2'
step "zero stage=2 offload=optimizer:host,gradients:host" 'sent("pcie up") == 2B*P' 'sent("pcie down") >= 2B*P' 'peak(gradient) < 2B*P*2'

# While one group is updated, the next one is read and the previous one is written: the disk works
# in both directions at once.
cat > "$work/lines" <<'END'
model mlp layers=16 hidden=1024 batch=64 dtype=bf16 optimizer=adam
strategy fsdp offload=nvme prefetch=2
run 2; sync
let P = 4*1024*1024
let bound = 2*(12B*P/disk_write)
expect overlap(disk_in,disk_out) > 40%
expect overlap(cpu,disk_out) > 80%
expect exposed(disk_out) > exposed(disk_in)
END
sed -i '/^let bound/d' "$work/lines"
check "reads, steps and writes overlap" "$RANKSH" --dry -n 4 --machine dgx-h100 "$work/lines"

# refused with what fits
refused() { check "$1: $2" sh -c '"$0" --dry -n 2 -c "model mlp layers=4 hidden=16 batch=16; strategy $1" 2>&1 | grep -qF -e "$2"' "$RANKSH" "$1" "$2"; }
refused "fsdp offload=params:host" "offload=params:host: this needs the optimizer offloaded too: add optimizer:host"
refused "zero stage=2 offload=optimizer:host,params:host" "use zero stage=3 or fsdp"
refused "zero stage=1 offload=optimizer:nvme,gradients:host" "use accumulate=1 and no pipeline (zero: stage=2 or 3)"
refused "fsdp offload=optimiser:nvme" "'optimiser' is none of: optimizer params gradients; did you mean 'optimizer'?"
refused "fsdp offload=optimizer:nvm" "did you mean 'optimizer:nvme'?"
