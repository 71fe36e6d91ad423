# stream, event, record, wait, sync, query, host: what the host and the streams do, and when
stream io compute
event e
host 1ms
spin 2ms on io
record e on io
wait e on compute
spin 1ms on compute
sync e
query e
#> [0-3] e: done
sync compute
query compute
#> [0-3] compute: done
sync
expect elapsed(e,e) == 0ms
streams
#> [0-3] default    0 queued so far
#>       io         2 queued so far
#>       compute    2 queued so far
events
#> [0-3] e          recorded on io, has happened
expect error "'io' is already a stream" { stream io }
expect error "no event or stream 'nothing'" { wait nothing on io }
expect error "io is a stream; record needs an event" { record io on io }
expect error "no event or stream 'nothing'" { sync nothing }
expect error "3 has no unit; a time needs one" { host 3 }
# the default stream waits for a blocking stream, and holds it back
stream back blocking
mark legacy
spin 1ms on back
spin 1ms
spin 1ms on back
sync
expect time(legacy) == 3.02ms
