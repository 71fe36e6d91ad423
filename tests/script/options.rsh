# a file's options with their defaults, and the values that it refuses
option lr=0.05 least=0.01 "the step"
option hook=none of="none bf16" "what goes over the wire"
option bucket=256k least=1 "bytes of a bucket"
option way=straight "a word, without a list"
option keep=disk,grads:host of="gpu host disk" for="state weights grads" "where"
refuse lr > 1 "lr=$lr is above $(0.5+0.5)"
expect lr == 0.05 and hook == "none" and bucket == 262144 and way == "straight"
expect keep_state == "disk" and keep_weights == "gpu" and keep_grads == "host"
print lr hook
#> [0-3] lr = 0.05
#>       hook = none
expect error "a is 1" { let a = 1; refuse a == 1 "a is $a" }

# replaced: the def of its name before
def f a { say "one $a" }
def f a { replaced a+1;  say "two $a" }
def f a { replaced a+1;  say "three $a" }
f 5
#> one 7
#> two 6
#> three 5
# its own name calls itself
def down n { if n > 0 { say "n=$n"; down n-1 } }
down 2
#> n=2
#> n=1
def g { }
def h { replaced }
expect error "there is no def of 'h' before this one" { h }
