# the shipped example: the communication that `overlap=on` hides on the classroom
strategy ddp
run 2
mark on
run 1
sync
expect overlap(comm,compute,on) >= 80%
strategy ddp overlap=off
run 2
mark off
run 1
sync
expect overlap(comm,compute,off) == 0
expect exposed(off) > 8 * 1.4ms

## the gpt of the first page
model gpt layers=4 hidden=64 heads=4 seq=64 batch=8
data text README.md
strategy ddp bucket=64k overlap=on
run 2
mark on
run 1
sync
expect overlap(comm,compute,on) >= 80%
