;; Lists where in a window of a request a recogniser may find something; candidates.ts says how it is used.
;; `npm run build:candidates` makes candidates-wasm.ts from it.
;;
;; Memory
;;        0  1 for each three last letters of a name that says secret, five bits a letter
;;    32768  16 bytes: the classes of bytes by their lower half; 16 more by their upper half. A byte has those classes
;;           that both say: 0xc0 a sign, 0x30 one of `others`, 0x08 a digit, 0x07 a letter or `_`
;;    32800  the same for the bytes of UTF-8 and of addresses that are signs
;;    32832  the bytes 0x0f, 0x3f and 0x7f. They are loaded from here: V8 would build a constant at each use
;;    33024  the window, a multiple of 64 bytes; 64 bytes before it and 128 behind it are those of the request, or 0
;;   326656  end of the list of positions, which grows downwards from here: i32 each, ascending, relative to the window
;;   326656  256 bytes: the tests of a sign, by the sign; 0 for what is none
;;   326912  256 bytes: the tests that the byte before the sign passes
;;   327168  256 bytes: the tests that the byte behind the sign passes
;;
;; Goes backwards through the window in blocks of 64 bytes. A class of bytes is a mask of 64 bits, one a byte. A
;; sequence of bytes is a conjunction of masks shifted down; bits of the block behind it (`...Next`) are shifted in at
;; the top. So a sequence is seen at the byte before it, which must not be of its class where a run is to begin, or be
;; the letter of an escape such as `\n`.
(module
  (memory (export "memory") 5)
  ;; V8 puts these two functions where they are called.
  (func $classesOf (param $v v128) (param $low v128) (param $high v128) (param $half v128) (result v128)
    (v128.and
      (i8x16.swizzle (local.get $low) (v128.and (local.get $v) (local.get $half)))
      (i8x16.swizzle (local.get $high) (v128.and (i16x8.shr_u (local.get $v) (i32.const 4)) (local.get $half)))))
  ;; The upper bits of 64 bytes.
  (func $mask (param $v0 v128) (param $v1 v128) (param $v2 v128) (param $v3 v128) (result i64)
    (i64.or
      (i64.or
        (i64.extend_i32_u (i8x16.bitmask (local.get $v0)))
        (i64.shl (i64.extend_i32_u (i8x16.bitmask (local.get $v1))) (i64.const 16)))
      (i64.or
        (i64.shl (i64.extend_i32_u (i8x16.bitmask (local.get $v2))) (i64.const 32))
        (i64.shl (i64.extend_i32_u (i8x16.bitmask (local.get $v3))) (i64.const 48)))))
  (func (export "scan") (param $length i32) (param $addresses i32) (param $phones i32) (result i32)
    (local $block i32) (local $out i32) (local $at i32) (local $nameEnd i32) (local $last i32)
    (local $v0 v128) (local $v1 v128) (local $v2 v128) (local $v3 v128)
    (local $classes0 v128) (local $classes1 v128) (local $classes2 v128) (local $classes3 v128)
    (local $low v128) (local $high v128) (local $rareLow v128) (local $rareHigh v128)
    (local $half v128) (local $ofRun v128) (local $one v128) (local $none v128)
    (local $bit i64) (local $found i64) (local $all i64)
    (local $escaped i64) ;; the byte behind a sign, such as a backslash
    (local $digits i64) (local $digitsNext i64)
    (local $digit1 i64) (local $digit2 i64) (local $digit3 i64) (local $digit4 i64)
    (local $words i64) (local $wordsNext i64) ;; A-Z a-z _
    (local $others i64) (local $othersNext i64) ;; - . / + ~ =
    (local $others4 i64) (local $others4Next i64) (local $others2 i64) (local $others2Next i64)
    (local $signs i64) (local $signsNext i64) ;; % & ' : = \ and some first bytes of UTF-8; @ ( [ for addresses
    (local $run i64) (local $runNext i64) ;; digits, words, others
    (local $run2 i64) (local $run2Next i64) (local $run4 i64) (local $run4Next i64)
    (local $run8 i64) (local $run8Next i64) (local $run14 i64) (local $run14Next i64)
    (local.set $out (i32.const 326656))
    (local.set $low (v128.load (i32.const 32768)))
    (local.set $high (v128.load (i32.const 32784)))
    (local.set $rareLow (v128.load (i32.const 32800)))
    (local.set $rareHigh (v128.load (i32.const 32816)))
    (local.set $half (v128.load8_splat (i32.const 32832)))
    (local.set $ofRun (v128.load8_splat (i32.const 32833)))
    (local.set $one (v128.load8_splat (i32.const 32834)))
    (local.set $block (i32.add (i32.const 33024) (local.get $length)))
    (loop $blocks
      (local.set $classes0 (call $classesOf
        (local.tee $v0 (v128.load (local.get $block)))
        (local.get $low) (local.get $high) (local.get $half)))
      (local.set $classes1 (call $classesOf
        (local.tee $v1 (v128.load offset=16 (local.get $block)))
        (local.get $low) (local.get $high) (local.get $half)))
      (local.set $classes2 (call $classesOf
        (local.tee $v2 (v128.load offset=32 (local.get $block)))
        (local.get $low) (local.get $high) (local.get $half)))
      (local.set $classes3 (call $classesOf
        (local.tee $v3 (v128.load offset=48 (local.get $block)))
        (local.get $low) (local.get $high) (local.get $half)))
      (local.set $signs (call $mask
        (v128.or (local.get $classes0) (i16x8.shl (local.get $classes0) (i32.const 1)))
        (v128.or (local.get $classes1) (i16x8.shl (local.get $classes1) (i32.const 1)))
        (v128.or (local.get $classes2) (i16x8.shl (local.get $classes2) (i32.const 1)))
        (v128.or (local.get $classes3) (i16x8.shl (local.get $classes3) (i32.const 1)))))
      (local.set $others (call $mask
        (v128.or (i16x8.shl (local.get $classes0) (i32.const 2)) (i16x8.shl (local.get $classes0) (i32.const 3)))
        (v128.or (i16x8.shl (local.get $classes1) (i32.const 2)) (i16x8.shl (local.get $classes1) (i32.const 3)))
        (v128.or (i16x8.shl (local.get $classes2) (i32.const 2)) (i16x8.shl (local.get $classes2) (i32.const 3)))
        (v128.or (i16x8.shl (local.get $classes3) (i32.const 2)) (i16x8.shl (local.get $classes3) (i32.const 3)))))
      (local.set $digits (call $mask
        (i16x8.shl (local.get $classes0) (i32.const 4))
        (i16x8.shl (local.get $classes1) (i32.const 4))
        (i16x8.shl (local.get $classes2) (i32.const 4))
        (i16x8.shl (local.get $classes3) (i32.const 4))))
      (local.set $run (call $mask
        (i8x16.add (v128.and (local.get $classes0) (local.get $ofRun)) (local.get $one))
        (i8x16.add (v128.and (local.get $classes1) (local.get $ofRun)) (local.get $one))
        (i8x16.add (v128.and (local.get $classes2) (local.get $ofRun)) (local.get $one))
        (i8x16.add (v128.and (local.get $classes3) (local.get $ofRun)) (local.get $one))))
      (if (i32.or (i8x16.bitmask (v128.or
          (v128.or (local.get $v0) (local.get $v1))
          (v128.or (local.get $v2) (local.get $v3)))) (local.get $addresses)) (then
        (local.set $signs (i64.or (local.get $signs) (call $mask
          (i8x16.ne (local.get $none) (call $classesOf
            (local.get $v0) (local.get $rareLow) (local.get $rareHigh) (local.get $half)))
          (i8x16.ne (local.get $none) (call $classesOf
            (local.get $v1) (local.get $rareLow) (local.get $rareHigh) (local.get $half)))
          (i8x16.ne (local.get $none) (call $classesOf
            (local.get $v2) (local.get $rareLow) (local.get $rareHigh) (local.get $half)))
          (i8x16.ne (local.get $none) (call $classesOf
            (local.get $v3) (local.get $rareLow) (local.get $rareHigh) (local.get $half))))))))
      (local.set $escaped (i64.or
        (i64.shl (local.get $signs) (i64.const 1))
        (i64.extend_i32_u (i32.eq
          (i32.load8_u (i32.sub (local.get $block) (i32.const 1)))
          (i32.const 0x5c)))))
      (local.set $words (i64.and
        (local.get $run)
        (i64.xor (i64.or (local.get $digits) (local.get $others)) (i64.const -1))))
      (local.set $run2 (i64.and (local.get $run)
        (i64.or
          (i64.shr_u (local.get $run) (i64.const 1))
          (i64.shl (local.get $runNext) (i64.const 63)))))
      (local.set $run4 (i64.and (local.get $run2)
        (i64.or
          (i64.shr_u (local.get $run2) (i64.const 2))
          (i64.shl (local.get $run2Next) (i64.const 62)))))
      (local.set $run8 (i64.and (local.get $run4)
        (i64.or
          (i64.shr_u (local.get $run4) (i64.const 4))
          (i64.shl (local.get $run4Next) (i64.const 60)))))
      (local.set $run14 (i64.and (local.get $run8)
        (i64.or
          (i64.shr_u (local.get $run8) (i64.const 6))
          (i64.shl (local.get $run8Next) (i64.const 58)))))
      (local.set $others2 (i64.and (local.get $others)
        (i64.or
          (i64.shr_u (local.get $others) (i64.const 1))
          (i64.shl (local.get $othersNext) (i64.const 63)))))
      (local.set $others4 (i64.and (local.get $others2)
        (i64.or
          (i64.shr_u (local.get $others2) (i64.const 2))
          (i64.shl (local.get $others2Next) (i64.const 62)))))
      (local.set $digit1
        (i64.or
          (i64.shr_u (local.get $digits) (i64.const 1))
          (i64.shl (local.get $digitsNext) (i64.const 63))))
      (local.set $digit2
        (i64.or
          (i64.shr_u (local.get $digits) (i64.const 2))
          (i64.shl (local.get $digitsNext) (i64.const 62))))
      (local.set $digit3
        (i64.or
          (i64.shr_u (local.get $digits) (i64.const 3))
          (i64.shl (local.get $digitsNext) (i64.const 61))))
      (local.set $digit4
        (i64.or
          (i64.shr_u (local.get $digits) (i64.const 4))
          (i64.shl (local.get $digitsNext) (i64.const 60))))
      ;; Fourteen bytes of a run, at its beginning or behind one of the others.
      (local.set $found (i64.and
        (i64.or
          (i64.or (i64.xor (local.get $run) (i64.const -1)) (local.get $others))
          (local.get $escaped))
        (i64.or
          (i64.shr_u (local.get $run14) (i64.const 1))
          (i64.shl (local.get $run14Next) (i64.const 63)))))
      ;; Five others, as hyphens are, and a letter: behind any byte.
      (local.set $found (i64.or (local.get $found) (i64.and
        (i64.and
          (i64.or
            (i64.shr_u (local.get $others4) (i64.const 1))
            (i64.shl (local.get $others4Next) (i64.const 63)))
          (i64.or
            (i64.shr_u (local.get $others) (i64.const 5))
            (i64.shl (local.get $othersNext) (i64.const 59))))
        (i64.or
          (i64.shr_u (local.get $words) (i64.const 6))
          (i64.shl (local.get $wordsNext) (i64.const 58))))))
      ;; Four digits, or two letters and two digits.
      (local.set $found (i64.or (local.get $found) (i64.and
        (i64.and
          (i64.or
            (i64.xor (i64.or (local.get $digits) (local.get $words)) (i64.const -1))
            (local.get $escaped))
          (i64.and (local.get $digit3) (local.get $digit4)))
        (i64.or
          (i64.and (local.get $digit1) (local.get $digit2))
          (i64.and
            (i64.or
              (i64.shr_u (local.get $words) (i64.const 1))
              (i64.shl (local.get $wordsNext) (i64.const 63)))
            (i64.or
              (i64.shr_u (local.get $words) (i64.const 2))
              (i64.shl (local.get $wordsNext) (i64.const 62))))))))
      (if (local.get $phones) (then
        ;; A first digit, and another one behind it within three bytes.
        (local.set $found (i64.or (local.get $found) (i64.and
          (i64.and (i64.xor (local.get $digits) (i64.const -1)) (local.get $digit1))
          (i64.or (local.get $digit2) (i64.or (local.get $digit3) (local.get $digit4))))))))
      ;; Most signs say nothing. Each is listed, and overwritten by the next one unless what stands around it passes one
      ;; of its tests: a branch would be guessed wrong too often. A name before a sign may be in quotes.
      (local.set $all (i64.or (local.get $found)
        (i64.or
          (i64.shr_u (local.get $signs) (i64.const 1))
          (i64.shl (local.get $signsNext) (i64.const 63)))))
      (block $listed (loop $list
        (br_if $listed (i64.eqz (local.get $all)))
        (local.set $bit (i64.sub (i64.const 63) (i64.clz (local.get $all))))
        (local.set $all (i64.xor (local.get $all) (i64.shl (i64.const 1) (local.get $bit))))
        (local.set $at (i32.add (i32.add (local.get $block) (i32.wrap_i64 (local.get $bit))) (i32.const 1)))
        (local.set $nameEnd (i32.sub (local.get $at)
          (i32.eq (i32.load8_u (i32.sub (local.get $at) (i32.const 1))) (i32.const 0x22))))
        (local.set $last (i32.load8_u (i32.sub (local.get $nameEnd) (i32.const 1))))
        (i32.store (i32.sub (local.get $out) (i32.const 4)) (i32.sub (local.get $at) (i32.const 33024)))
        (local.set $out (i32.sub (local.get $out) (i32.shl
          (i32.or
            (i32.wrap_i64 (i64.and (i64.shr_u (local.get $found) (local.get $bit)) (i64.const 1)))
            (i32.ne (i32.const 0) (i32.and
              (i32.load8_u offset=326656 (i32.load8_u (local.get $at)))
              (i32.or
                (i32.or
                  (i32.load8_u offset=326912 (local.get $last))
                  (i32.load8_u offset=327168 (i32.load8_u offset=1 (local.get $at))))
                (i32.load8_u (i32.or
                  (i32.shl
                    (i32.and (i32.load8_u (i32.sub (local.get $nameEnd) (i32.const 3))) (i32.const 31))
                    (i32.const 10))
                  (i32.or
                    (i32.shl
                      (i32.and (i32.load8_u (i32.sub (local.get $nameEnd) (i32.const 2))) (i32.const 31))
                      (i32.const 5))
                    (i32.and (local.get $last) (i32.const 31)))))))))
          (i32.const 2))))
        (br $list)))
      (local.set $digitsNext (local.get $digits))
      (local.set $wordsNext (local.get $words))
      (local.set $othersNext (local.get $others))
      (local.set $others2Next (local.get $others2))
      (local.set $others4Next (local.get $others4))
      (local.set $signsNext (local.get $signs))
      (local.set $runNext (local.get $run))
      (local.set $run2Next (local.get $run2))
      (local.set $run4Next (local.get $run4))
      (local.set $run8Next (local.get $run8))
      (local.set $run14Next (local.get $run14))
      (local.set $block (i32.sub (local.get $block) (i32.const 64)))
      (br_if $blocks (i32.ge_u (local.get $block) (i32.const 32960))))
    (local.get $out)))
