# ranks 2
# where a whole number is required, fractions and numbers beyond the integers are refused
tensor x[4] = iota
let large = 1e300
let endless = large * large
lesson 1.-5
#> tests/script/commands/whole.rsh:6: lesson 1.-5: a lesson has a number, and a task after a point: lesson 4.2
lesson 0
#> tests/script/commands/whole.rsh:8: lesson 0: a lesson has a number, and a task after a point: lesson 4.2
lesson endless
#> tests/script/commands/whole.rsh:10: lesson endless: no such lesson; `lesson 4`, `lesson 4.2`, a file as F.rsh, or off
@0 broadcast x root=large
#> tests/script/commands/whole.rsh:12: broadcast: root=1e+300: in the group, ranks are 0-1
broadcast x root=endless
#> tests/script/commands/whole.rsh:14: broadcast: root=inf: in the group, ranks are 0-1
y = shard x dim=large
#> tests/script/commands/whole.rsh:16: shard: dim=1e+300, and x has the dimensions 0-0
y = shard x dim=0.5
#> tests/script/commands/whole.rsh:18: shard: dim=0.5, and x has the dimensions 0-0
mesh a=large b=1
#> tests/script/commands/whole.rsh:20: mesh: a=1e+300: a size is a whole number of ranks
mesh a=2 b=endless
#> tests/script/commands/whole.rsh:22: mesh: b=inf: a size is a whole number of ranks
tensor z[4] = randn seed=large
#> tests/script/commands/whole.rsh:24: tensor: seed=1e+300: a whole number is required
tensor z[4] = randn seed=0.5
#> tests/script/commands/whole.rsh:26: tensor: seed=0.5: a whole number is required
y = randn [4] seed=large
#> tests/script/commands/whole.rsh:28: randn: seed=1e+300: a whole number of at least -9.0072e+15 is required
data synthetic count=2.5
#> tests/script/commands/whole.rsh:30: data: count=2.5: a whole number from 1 to 1000000000 was expected
undo large
#> tests/script/commands/whole.rsh:32: undo: 1e+300: a whole number from 1 to 1000000000 was expected
step endless
#> tests/script/commands/whole.rsh:34: step: inf: a whole number from 0 to 1000000 was expected
verify iterations=large
#> tests/script/commands/whole.rsh:36: verify: iterations=1e+300: a whole number from 0 to 1000000 was expected
let none = endless - endless
tensor n[none]
#> tests/script/commands/whole.rsh:39: 'none' is nan: a whole number was expected
tensor n[-none]
#> tests/script/commands/whole.rsh:41: '-none' is nan: a whole number was expected
let h$none = 1
#> tests/script/commands/whole.rsh:43: 'h$none': $none is nan, and a name takes whole numbers
spin none
#> tests/script/commands/whole.rsh:45: spin: nan: a time from 0 to 30 years was expected
