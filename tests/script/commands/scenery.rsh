# `tensor` takes memory and no time, even if the device allocates in time; a result costs a segment
# ranks 1 2
set segment=300us
set launch=0us
mark scenery
tensor x[1k,1k] = randn
tensor bare[1k,1k]
tensor x[2k,2k] = 1
sync
expect time(scenery) == 0us
mark result
y = scale x 2
sync
expect time(result) > 300us
mark again
tensor big[4k,4k] = 1
spin 1us
sync
expect time(again) < 10us
