#!/bin/sh
# looking.sh -- the output of `stats`, `mem` and `run` about a program
. tests/script/lib.sh
# shows NAME RANKS LINES EXPRESSION: the printed lines that match the expression equal standard
# input
shows() {
	"$RANKSH" -n $2 -c "$3" < /dev/null > "$work/all" 2>&1
	# a loss to two digits: the last ones are the processor's
	grep -E "$4" "$work/all" | sed 's/\(loss [0-9]*\.[0-9][0-9]\)[0-9]*/\1/' > "$work/out"
	cat > "$work/wanted"
	check "$1" same "$work/wanted" "$work/out"
}

shows "two iterations of ddp" 2 "model mlp layers=2 hidden=16 batch=16 dtype=bf16 optimizer=adam; strategy ddp bucket=512; run 2; stats; mem" \
	'iteration [0-9]|iterations [0-9]|peak|exposed|overlap|bytes|^ranks .*: param' <<'END'
   iteration 1   loss 1.51   finished at 0.54 ms   33327 samples/s
   iteration 2   loss 1.95   finished at 1.04 ms   32650 samples/s
the start, iteration 2 of 2
   exposed communication     43.8 us
   communication overlapped       0%
   bytes nvlink out             1 kB
   bytes pcie down              1 kB
   peak memory                 12 kB
   overlap compute, comm          0%
   peak of 12 kB on ranks 0,1: parameters 1 kB, gradients 1 kB, optimizer 6 kB, activations 3 kB, their gradients 512 B, buffers 512 B
   iterations 2   loss 1.95   32650 samples/s
ranks 0,1: parameters 1 kB, gradients 1 kB, optimizer 6 kB, activations 1.004 kB, their gradients 0 B, buffers 512 B
   model state (parameters, gradients, optimizer) 8192 bytes
END
shows "a gpt counts tokens; with --dry there is no loss" "4 --dry" \
	"model gpt layers=4 hidden=16 heads=4 seq=8 vocab=11 batch=16; data synthetic; strategy tp sequence=on; run 2; stats; mem" \
	'iteration [0-9]|iterations [0-9]|bubble|^ranks .*: param|model state' <<'END'
   iteration 1   finished at 5.06 ms   31370 tokens/s
   iteration 2   finished at 9.16 ms   31295 tokens/s
the start, iteration 2 of 2
   iterations 2   31295 tokens/s
ranks 0-3: parameters 13.88 kB, gradients 13.88 kB, optimizer 27.75 kB, activations 516 B, their gradients 0 B, buffers 512 B
   model state (parameters, gradients, optimizer) 56832 bytes
END
shows "the bubble of GPipe is 3/7" "4 --dry" "strategy pipeline schedule=gpipe micro=4 F=10ms B=10ms W=10ms; run 1; stats" 'of the schedule|a second' <<'END'
   bubble of the schedule 42.9%
END
shows "the bubble of 1F1B is 3/11" "4 --dry" "strategy pipeline schedule=1f1b micro=8 F=10ms B=10ms W=10ms; run 2; stats" 'of the schedule|a second' <<'END'
   bubble of the schedule 27.3%
END
shows "step in shows calls that ran alike once" 1 "model mlp layers=3 hidden=16 batch=16; strategy serial; step; step; step in" '^      |in that name.s call' <<'END'
      each_parameter 1 parameter
        one_parameter 1 0 parameter
          parameter w1 16 16 0.353553 2 by_columns
            begin_parameter w1 16 16 0.353553 2 by_columns
              tensor w1[16,16] kind=parameter = randn seed=2 scale=0.353553
            gradient_memory w1 16 16
              tensor dw1[16,16] f32 kind=gradient
            optimizer_memory w1 16 16
              part w1 of w1 row=0 col=0
      each_parameter 2 parameter ...
      each_parameter 3 parameter ...
    ...: as in that name's call above, with these names and numbers
END
shows "a schedule's line says the recompute that was asked for" "4 --dry" \
	"model gpt layers=4 hidden=16 heads=4 seq=16 batch=16; strategy pipeline=2 + tp=2 recompute=selective; step" ' schedule ' <<'END'
    schedule 1f1b micro=4 chunks=1 recompute=selective limit=1 in pp
END
shows "micro-batches that no stages hand on are no schedule" "4 --dry" "strategy ddp accumulate=2; run 1; stats" 'of the schedule|stall bubble|^   operations' <<'END'
   operations                     102
END
# two iterations of (8 + 3) x 30 ms: rank 3 begins with them while ranks 0-2 are still in the
# previous one
shows "a section that the host has issued long before the device is at it" "4 --dry" \
	"strategy pipeline schedule=1f1b micro=8 F=10ms B=10ms W=10ms; run 2; mark two; run 2; stats two; stalls two" '  time|busy compute|time by cause|  lane|   compute  ' <<'END'
   time                       660.00 ms  660.00 ms  660.00 ms  660.00 ms
   busy compute                     73%        73%        73%        73%
time by cause, in ms of 720.00 ms, iterations 3-4 of 4
   ranks  lane        work  other work   event  bubble    done
          compute   480.00       40.00          200.00
          compute   480.00       30.00          190.00   20.00
          compute   480.00       20.00          180.00   40.00
          compute   480.00                      180.00   60.00
END
shows "an iteration that is not whole has no rate" 2 "model mlp layers=2 hidden=16 batch=16; strategy ddp; run 1; step 2; stats" 'iterations [0-9]|peak memory' <<'END'
   peak memory               7 kB
END
shows "a rank that has crashed: the figures are there all the same" 2 \
	"model mlp layers=2 hidden=16 batch=16; strategy ddp; run 1; @1 crash; stats" 'iterations [0-9]|peak|rash' <<'END'
   peak memory                  7 kB
   peak of 7 kB on ranks 0,1: parameters 2 kB, gradients 2 kB, optimizer 0 B, activations 2 kB, their gradients 512 B, buffers 512 B
   iterations 1   loss 1.51   49971 samples/s
END
# the host is done with an iteration at once; the GPUs are not
shows "run tells when the GPUs are done" "4 --dry" "strategy pipeline; run 1; timeline" '^   iteration|now' <<'END'
   iteration 1   finished at 95.97 ms   10672 samples/s
   l launch, b rank 0 compute bubble: waited for rank 1, ░ queued, now 2.04 ms
END
# where the locale is said not to be UTF-8 a picture is of ASCII
plain=$(LC_ALL=C "$RANKSH" -n 2 --dry -c 'spin 2ms; timeline' 2>&1)
if printf '%s' "$plain" | grep -q 'default |:* spin :*' && ! printf '%s' "$plain" | LC_ALL=C grep -q '[^ -~]'; then echo "ok ASCII where the locale is not UTF-8"; else
	echo "FAIL ASCII where the locale is not UTF-8"
	echo "$plain"
fi
# R is a forward computed again: there is none without recompute
shows "the first stage goes forward as the others do" "2 --dry" "strategy pipeline schedule=gpipe micro=2; run 1; timeline" compute <<'END'
     compute  █  F0 ░░░  F1 ░░bbbbbbbbbbbbbbbbbbbbbb┊░░░ B0 ░░░░░b┊░░░ B1 ░░░░4
     compute  │bbbbbbbb░  F0 ░░  F1 ░░ ░░░░ B0 ░░░░░ ░░░ B1 ░░░░░x4
   l launch, b rank 0 compute bubble: waited for rank 1, ░ queued, now 1.32 ms
   e waited for compute, b rank 1 compute bubble: waited for rank 0
END
shows "no program: no kinds" 2 "tensor w1[16,16]; mem; stats" 'param|a second|of the schedule|peak|nothing' <<'END'
nothing has run yet
END
# parameters, gradients, and for bf16 with Adam three f32 tensors: 2, 2 and 12 bytes for each of 4
# x 16 x 16, split into parts
for row in "ddp:16384" "zero stage=1:7168" "zero stage=2:5632" "zero stage=3:4096" "fsdp:4096"; do
	shows "model state of ${row%%:*}" "4 --dry" "model mlp layers=4 hidden=16 batch=16 dtype=bf16 optimizer=adam; strategy ${row%%:*}; run 1; mem" \
		'model state' <<-END
		   model state (parameters, gradients, optimizer) ${row##*:} bytes
	END
done
shows "a circle is told rank by rank" 2 "tensor x[4] y[4] = 1; send x to=1-rank; recv y from=1-rank; let a = y[0]" 'circle' <<'END'
y[0] is not known yet: stuck: a circle: rank 0 (send x) waits for rank 1 (send x) waits for rank 0
END
