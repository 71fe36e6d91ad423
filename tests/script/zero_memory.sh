#!/bin/sh
# zero_memory.sh -- the memory that a rank keeps between steps of a model of 7.5 billion
# parameters, with mixed precision and Adam: table 1 of arXiv:1910.02054, to the printed digit. 12
# matrices of 25000 x 25000 are 7.5e9 parameters.
. tests/script/lib.sh
lines=$work/lines

# state RANKS STAGE: GB of parameters, gradients, master weights and Adam's means on a rank, as
# `mem` counts them
state() {
	cat > "$lines" <<-END
		set memory=400GB
		model mlp layers=12 hidden=25000 batch=$1 dtype=bf16 optimizer=adam
		data synthetic count=$1
		strategy zero stage=$2
		run 1
		mem
	END
	"$RANKSH" --dry -n "$1" "$lines" 2>&1 | sed -n 's/.*model state .* \([0-9]*\) bytes$/\1/p' | awk 'NR == 1 { printf "%.6f", $1 / 1e9 }'
}

# keeps RANKS STAGE PRINTED: as many digits as the table has
keeps() {
	digits=$(printf '%s' "$3" | sed -n 's/.*\.//p' | tr -d '\n' | wc -c)
	measured=$(state "$1" "$2")
	# half of the last digit printed, either way
	if awk -v a="${measured:-0}" -v b="$3" -v d="$digits" 'BEGIN { off = a > b ? a - b : b - a; exit off > 0.5 / 10 ^ d + 1e-9 }'; then
		echo "ok zero stage=$2 keeps $3 GB on each of $1 ranks"
	else
		echo "FAIL zero stage=$2 on $1 ranks keeps ${measured:-nothing} GB, the table says $3"
	fi
}

while read -r ranks one two three; do
	keeps "$ranks" 1 "$one"
	keeps "$ranks" 2 "$two"
	keeps "$ranks" 3 "$three"
done <<END
1 120 120 120
4 52.5 41.3 30
16 35.6 21.6 7.5
64 31.4 16.6 1.88
256 30.4 15.4 0.47
1024 30.1 15.1 0.12
END
