;; The products of arithmetic.mjs, four 32-bit floats at a time, on arrays in one memory: each is given by the byte at
;; which it begins. All lengths are multiples of 4, from 4 on. `python -m utils.javascript.compiling` writes kernels.mjs.
(module
  (memory (import "room" "memory") 1)

  ;; Adds x W to out, with W of [rows, width]: four rows at a time, and of these four columns.
  (func (export "addRows") (param $x i32) (param $W i32) (param $out i32) (param $rows i32) (param $width i32)
    (local $row i32) (local $x_end i32) (local $out_end i32) (local $o i32)
    (local $b i32) (local $c i32) (local $d i32) ;; where the rows go on; $W is the first of the four
    (local $x0 v128) (local $x1 v128) (local $x2 v128) (local $x3 v128)
    (local.set $row (i32.shl (local.get $width) (i32.const 2))) ;; in bytes
    (local.set $x_end (i32.add (local.get $x) (i32.shl (local.get $rows) (i32.const 2))))
    (local.set $out_end (i32.add (local.get $out) (local.get $row)))
    (loop $rows
      (local.set $x0 (v128.load32_splat (local.get $x)))
      (local.set $x1 (v128.load32_splat offset=4 (local.get $x)))
      (local.set $x2 (v128.load32_splat offset=8 (local.get $x)))
      (local.set $x3 (v128.load32_splat offset=12 (local.get $x)))
      (local.set $b (i32.add (local.get $W) (local.get $row)))
      (local.set $c (i32.add (local.get $b) (local.get $row)))
      (local.set $d (i32.add (local.get $c) (local.get $row)))
      (local.set $o (local.get $out))
      (loop $columns
        (v128.store (local.get $o)
          (f32x4.add (v128.load (local.get $o))
            (f32x4.add
              (f32x4.add
                (f32x4.mul (local.get $x0) (v128.load (local.get $W)))
                (f32x4.mul (local.get $x1) (v128.load (local.get $b))))
              (f32x4.add
                (f32x4.mul (local.get $x2) (v128.load (local.get $c)))
                (f32x4.mul (local.get $x3) (v128.load (local.get $d)))))))
        (local.set $W (i32.add (local.get $W) (i32.const 16)))
        (local.set $b (i32.add (local.get $b) (i32.const 16)))
        (local.set $c (i32.add (local.get $c) (i32.const 16)))
        (local.set $d (i32.add (local.get $d) (i32.const 16)))
        (local.set $o (i32.add (local.get $o) (i32.const 16)))
        (br_if $columns (i32.lt_u (local.get $o) (local.get $out_end))))
      (local.set $W (local.get $d)) ;; behind the fourth row
      (local.set $x (i32.add (local.get $x) (i32.const 16)))
      (br_if $rows (i32.lt_u (local.get $x) (local.get $x_end)))))

  ;; Puts the product of x with each row of W, of [rows, size], into out: four rows at a time.
  (func (export "multiplyRows") (param $W i32) (param $x i32) (param $out i32) (param $rows i32) (param $size i32)
    (local $row i32) (local $x_end i32) (local $out_end i32) (local $i i32) (local $values v128)
    (local $b i32) (local $c i32) (local $d i32)
    (local $sum0 v128) (local $sum1 v128) (local $sum2 v128) (local $sum3 v128)
    (local.set $row (i32.shl (local.get $size) (i32.const 2)))
    (local.set $x_end (i32.add (local.get $x) (local.get $row)))
    (local.set $out_end (i32.add (local.get $out) (i32.shl (local.get $rows) (i32.const 2))))
    (loop $rows
      (local.set $sum0 (v128.const f32x4 0 0 0 0))
      (local.set $sum1 (v128.const f32x4 0 0 0 0))
      (local.set $sum2 (v128.const f32x4 0 0 0 0))
      (local.set $sum3 (v128.const f32x4 0 0 0 0))
      (local.set $b (i32.add (local.get $W) (local.get $row)))
      (local.set $c (i32.add (local.get $b) (local.get $row)))
      (local.set $d (i32.add (local.get $c) (local.get $row)))
      (local.set $i (local.get $x))
      (loop $columns
        (local.set $values (v128.load (local.get $i)))
        (local.set $sum0 (f32x4.add (local.get $sum0) (f32x4.mul (local.get $values) (v128.load (local.get $W)))))
        (local.set $sum1 (f32x4.add (local.get $sum1) (f32x4.mul (local.get $values) (v128.load (local.get $b)))))
        (local.set $sum2 (f32x4.add (local.get $sum2) (f32x4.mul (local.get $values) (v128.load (local.get $c)))))
        (local.set $sum3 (f32x4.add (local.get $sum3) (f32x4.mul (local.get $values) (v128.load (local.get $d)))))
        (local.set $W (i32.add (local.get $W) (i32.const 16)))
        (local.set $b (i32.add (local.get $b) (i32.const 16)))
        (local.set $c (i32.add (local.get $c) (i32.const 16)))
        (local.set $d (i32.add (local.get $d) (i32.const 16)))
        (local.set $i (i32.add (local.get $i) (i32.const 16)))
        (br_if $columns (i32.lt_u (local.get $i) (local.get $x_end))))
      (f32.store (local.get $out) (call $total (local.get $sum0)))
      (f32.store offset=4 (local.get $out) (call $total (local.get $sum1)))
      (f32.store offset=8 (local.get $out) (call $total (local.get $sum2)))
      (f32.store offset=12 (local.get $out) (call $total (local.get $sum3)))
      (local.set $W (local.get $d))
      (local.set $out (i32.add (local.get $out) (i32.const 16)))
      (br_if $rows (i32.lt_u (local.get $out) (local.get $out_end)))))

  (func $total (param $sum v128) (result f32)
    (f32.add
      (f32.add (f32x4.extract_lane 0 (local.get $sum)) (f32x4.extract_lane 1 (local.get $sum)))
      (f32.add (f32x4.extract_lane 2 (local.get $sum)) (f32x4.extract_lane 3 (local.get $sum))))))
