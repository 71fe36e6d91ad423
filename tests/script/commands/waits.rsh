# a stream waits for a stream; an event that was never recorded blocks nothing; two waits in a line
stream a b c
event never
wait never on a
spin 1ms on a
spin 2ms on b
wait a b on c
spin 1ms on c
sync
expect time >= 3ms and time < 3.3ms
