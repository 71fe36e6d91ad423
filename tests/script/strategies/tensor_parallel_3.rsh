# tp on three ranks: sizes that divide by three, and sizes that do not
# ranks 3
model gpt layers=2 hidden=12 heads=6 seq=5 batch=3 vocab=11
data synthetic count=400
strategy tp
verify iterations=2
strategy tp sequence=on
verify iterations=2
model gpt layers=2 hidden=12 heads=6 seq=5 batch=4 vocab=11
expect error "a micro-batch with 20 tokens does not divide by tp=3" { strategy tp sequence=on }
model gpt layers=2 hidden=12 heads=4 seq=5 batch=3 vocab=11
expect error "heads=4 does not divide by tp=3" { strategy tp }
model mlp layers=4 hidden=16 batch=6
data synthetic count=100
expect error "hidden=16 does not divide by tp=3" { strategy tp }
model mlp layers=4 hidden=15 batch=6
expect error "an mlp has none" { strategy tp sequence=on }
strategy tp
verify iterations=2
