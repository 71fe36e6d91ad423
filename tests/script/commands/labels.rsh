# phase, mark, diff, say
def both i { phase F$i; spin 1ms; phase B$i; spin 2ms }
mark one
both 1
sync
mark two
both 2
both 3
sync
expect time(two) > time(one)
say "done with $(1+1) of 2"
#> done with 2 of 2
expect error "no section 'three'" { diff one three }
expect error "no section 'nothing'" { timeline nothing }
