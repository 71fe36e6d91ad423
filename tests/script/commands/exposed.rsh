# exposed(STREAM): work that no other stream hides; exposed: communication no kernel hides
# ranks 1 2
set launch=0us
stream a b
mark first
spin 3ms on a
host 1ms
spin 4ms on b
sync
expect exposed(a) == 1ms
expect exposed(b) == 2ms
expect exposed == 0ms
mark second
expect exposed(a) == 0ms
expect exposed(a,first) == 1ms
expect exposed(first) == 0ms
expect error "no stream, group or section of that name" { print exposed(nothing) }
expect error "no section 'b'" { print exposed(a,b) }
say "of one rank the work of both streams is 7 ms, 3 of them alone"
#> of one rank the work of both streams is 7 ms, 3 of them alone
# a name that both have is the stream's
mark a
spin 5ms on a
sync
expect exposed(a) == 5ms
