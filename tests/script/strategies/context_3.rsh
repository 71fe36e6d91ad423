# context on three ranks: sizes that divide by three, and sizes that do not
# ranks 3
model gpt layers=2 hidden=18 heads=3 seq=21 batch=2 vocab=11
data synthetic count=400
strategy context
verify iterations=2
strategy context balance=off accumulate=2
verify iterations=2
strategy context kind=ulysses
verify iterations=2
expect races == 0
expect error "ring=2 does not divide cp=3; ring=1 ulysses=3 fits" { strategy context ring=2 }
expect error "ring=2 ulysses=2 make 4 ranks, not cp=3; ring=1 ulysses=3 fits" { strategy context ring=2 ulysses=2 }
expect error "seq=20 does not divide by cp=3; the nearest that do are 18 and 21" { strategy context seq=20 }
expect error "seq=2 does not divide by cp=3; the nearest that does is 3" { strategy context seq=2 }
expect error "a rank's heads=2 do not divide by ulysses=3; the nearest that does is 3" { strategy context kind=ulysses heads=2 }
expect error "the nearest that do are 9 and 12, or a ring" { strategy context kind=ulysses heads=10 hidden=20 }
