# time and traffic are those of the padded message: 5 rows count as 8, 9 as 12
def one x rows {
  p = reducescatter $x
  P = allgather p rows=$rows
}
for rows in 5 9 {
  let padded = 4 * ((rows + 3) // 4)
  tensor few[rows,64] full[padded,64] = 1
  one few $rows # where p is new, memory takes time
  sync
  mark few
  one few $rows
  sync
  mark new
  one full $padded
  sync
  mark full
  one full $padded
  sync
  expect time(few) == time(full)
  mark steps
  p = reducescatter few algo=ring
  sync
  let ring = sent(nvlink)
  expect ring == 3 * padded / 4 * 64 * 4B
  mark unrolled
  p = reducescatter few unroll
  sync
  expect sent(nvlink) == ring
}
