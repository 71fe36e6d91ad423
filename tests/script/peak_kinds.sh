#!/bin/sh
# peak_kinds.sh -- the kinds of memory in a rank's peak, as `stats` prints them, against counts by
# hand
#
# An mlp of 2 layers of [32,32], f32: 4 kB a parameter. Two ranks; rows of 32 are 128 bytes, and a
# block has at least 512.
. tests/script/lib.sh
# peak NAME STRATEGY [MODEL [BATCH]]: the lines on standard input
peak() {
	"$RANKSH" --dry -n 2 -c "model mlp layers=2 hidden=32 ${3:-} batch=${4:-16}; strategy $2; run 2; stats" < /dev/null 2>&1 | sed -n 's/^ *peak of/of/p' > "$work/got"
	cat > "$work/wanted"
	check "$1" same "$work/wanted" "$work/got"
}

# 8 rows a rank, 1 kB a tensor. The peak is when the gradient of the loss exists: x0 x1 x2 and the
# loss; dx2; the targets are a buffer.
peak ddp ddp <<'END'
of 21.5 kB on ranks 0,1: parameters 8 kB, gradients 8 kB, optimizer 0 B, activations 3.5 kB, their gradients 1 kB, buffers 1 kB
END
# and two means of each parameter
peak "ddp with Adam" ddp optimizer=adam <<'END'
of 37.5 kB on ranks 0,1: parameters 8 kB, gradients 8 kB, optimizer 16 kB, activations 3.5 kB, their gradients 1 kB, buffers 1 kB
END
# Half of all stays, and means of that half; in backward the whole parameters are gathered, and the whole gradients made. x2 is gone by then: dx2 dx1
peak "zero 3" "zero stage=3" optimizer=adam <<'END'
of 37.5 kB on ranks 0,1: parameters 12 kB, gradients 12 kB, optimizer 8 kB, activations 2.5 kB, their gradients 2 kB, buffers 1 kB
END
# Micro-batches of 4 rows, 512 bytes a tensor. Stage 0 keeps x0 and x1 of each, and z1 of the one that it computes; stage 1 keeps x2 of each, l of one and the
# loss, and dx1, which was sent back in the iteration before. Buffers: places for what arrives, one more than micro-batches are kept, and stage 1's
# targets. GPipe keeps all 4 ...
peak "GPipe: m micro-batches" "pipeline micro=4 schedule=gpipe" <<'END'
of 15 kB on rank 0: parameters 4 kB, gradients 4 kB, optimizer 0 B, activations 4.5 kB, their gradients 0 B, buffers 2.5 kB
of 17.5 kB on rank 1: parameters 4 kB, gradients 4 kB, optimizer 0 B, activations 3 kB, their gradients 2 kB, buffers 4.5 kB
END
# ... 1F1B keeps 2 on stage 0 and 1 on stage 1, however many there are
for micro in 4 8; do
	peak "1F1B: p-s of $micro micro-batches" "pipeline micro=$micro schedule=1f1b" "" $((4 * micro)) <<'END'
of 12 kB on rank 0: parameters 4 kB, gradients 4 kB, optimizer 0 B, activations 2.5 kB, their gradients 0 B, buffers 1.5 kB
of 11.5 kB on rank 1: parameters 4 kB, gradients 4 kB, optimizer 0 B, activations 1.5 kB, their gradients 512 B, buffers 1.5 kB
END
done
