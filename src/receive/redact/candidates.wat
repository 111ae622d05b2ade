;; Lists where in a window of a request a recogniser may find something; candidates.ts says how it is used.
;; `npm run build:candidates` makes candidates-wasm.ts from it.
;;
;; Memory
;;        0  1 for each three last letters of a name that says secret, five bits a letter
;;    32768  bytes of which vectors are made: constants in the code would be built anew at each use
;;    33024  the window, a multiple of 64 bytes; 64 bytes before it and 128 behind it are those of the request, or 0
;;   326656  end of the list of positions, which grows downwards from here: i32 each, ascending, relative to the window
;;   326656  256 bytes: the tests of a sign, by the sign; 0 for what is none
;;   326912  256 bytes: the tests that the byte before the sign passes
;;   327168  256 bytes: the tests that the byte behind the sign passes
;;
;; Goes backwards through the window in blocks of 64 bytes. A class of bytes is a mask of 64 bits, one a byte. A
;; sequence of bytes is a conjunction of masks shifted down; bits of the block behind it (`...Next`) are shifted in at
;; the top. So a sequence is seen at the byte before it, which must not be of its class where a run is to begin.
(module
  (memory (export "memory") 5)
  (data (i32.const 32768) "0\09a\19_-\02+~=%\02:\\\c2\d9\db\e2\e3\ef@([\20")
  (func (export "scan") (param $length i32) (param $addresses i32) (param $phones i32) (result i32)
    (local $block i32) (local $shift i32) (local $out i32) (local $at i32) (local $nameEnd i32) (local $last i32)
    (local $v v128) (local $equals v128) (local $ofRun v128) (local $any v128) (local $wanted v128)
    (local $bit i64) (local $found i64) (local $all i64)
    (local $digits i64) (local $digitsNext i64)
    (local $words i64) (local $wordsNext i64) ;; A-Z a-z _
    (local $others i64) (local $othersNext i64) ;; - . / + ~ =
    (local $others4 i64) (local $others4Next i64) (local $others2 i64) (local $others2Next i64)
    (local $signs i64) (local $signsNext i64) ;; % & ' : = \ and some first bytes of UTF-8; @ ( [ for addresses
    (local $run i64) (local $runNext i64) ;; digits, words, others
    (local $run2 i64) (local $run2Next i64) (local $run4 i64) (local $run4Next i64)
    (local $run8 i64) (local $run8Next i64) (local $run14 i64) (local $run14Next i64)
    (local $_zero v128) (local $_nine_zero v128) (local $_a v128) (local $_z_a v128) (local $_underscore v128)
    (local $_hyphen v128) (local $_slash_hyphen v128) (local $_plus v128) (local $_tilde v128) (local $_equal v128)
    (local $_percent v128) (local $_apostrophe_percent v128) (local $_colon v128) (local $_backslash v128)
    (local $_c2 v128) (local $_d9 v128) (local $_db v128) (local $_e2 v128) (local $_e3 v128) (local $_ef v128)
    (local $_at v128) (local $_parenthesis v128) (local $_bracket v128) (local $_space v128)
    (local.set $_zero (v128.load8_splat (i32.const 32768)))
    (local.set $_nine_zero (v128.load8_splat (i32.const 32769)))
    (local.set $_a (v128.load8_splat (i32.const 32770)))
    (local.set $_z_a (v128.load8_splat (i32.const 32771)))
    (local.set $_underscore (v128.load8_splat (i32.const 32772)))
    (local.set $_hyphen (v128.load8_splat (i32.const 32773)))
    (local.set $_slash_hyphen (v128.load8_splat (i32.const 32774)))
    (local.set $_plus (v128.load8_splat (i32.const 32775)))
    (local.set $_tilde (v128.load8_splat (i32.const 32776)))
    (local.set $_equal (v128.load8_splat (i32.const 32777)))
    (local.set $_percent (v128.load8_splat (i32.const 32778)))
    (local.set $_apostrophe_percent (v128.load8_splat (i32.const 32779)))
    (local.set $_colon (v128.load8_splat (i32.const 32780)))
    (local.set $_backslash (v128.load8_splat (i32.const 32781)))
    (local.set $_c2 (v128.load8_splat (i32.const 32782)))
    (local.set $_d9 (v128.load8_splat (i32.const 32783)))
    (local.set $_db (v128.load8_splat (i32.const 32784)))
    (local.set $_e2 (v128.load8_splat (i32.const 32785)))
    (local.set $_e3 (v128.load8_splat (i32.const 32786)))
    (local.set $_ef (v128.load8_splat (i32.const 32787)))
    (local.set $_at (v128.load8_splat (i32.const 32788)))
    (local.set $_parenthesis (v128.load8_splat (i32.const 32789)))
    (local.set $_bracket (v128.load8_splat (i32.const 32790)))
    (local.set $_space (v128.load8_splat (i32.const 32791)))
    (local.set $out (i32.const 326656))
    (local.set $wanted (i8x16.splat (i32.sub (i32.const 0) (local.get $addresses))))
    (local.set $block (i32.add (i32.const 33024) (local.get $length)))
    (loop $blocks
      (local.set $any (v128.xor (local.get $v) (local.get $v)))
      (local.set $shift (i32.const 0))
      (loop $vectors
        (local.set $v (v128.load (i32.add (local.get $block) (local.get $shift))))
        (local.set $any (v128.or (local.get $any) (local.get $v)))
        (local.set $digits (i64.or
          (i64.shr_u (local.get $digits) (i64.const 16))
          (i64.shl (i64.extend_i32_u (i8x16.bitmask
            (i8x16.le_u (i8x16.sub (local.get $v) (local.get $_zero)) (local.get $_nine_zero))
          )) (i64.const 48))))
        (local.set $equals (i8x16.eq (local.get $v) (local.get $_equal)))
        (local.set $ofRun (v128.or
          (v128.or
            (i8x16.le_u (i8x16.sub (local.get $v) (local.get $_hyphen)) (local.get $_slash_hyphen))
            (i8x16.eq (local.get $v) (local.get $_plus)))
          (v128.or (i8x16.eq (local.get $v) (local.get $_tilde)) (local.get $equals))))
        (local.set $others (i64.or
          (i64.shr_u (local.get $others) (i64.const 16))
          (i64.shl (i64.extend_i32_u (i8x16.bitmask
            (local.get $ofRun)
          )) (i64.const 48))))
        (local.set $words (i64.or
          (i64.shr_u (local.get $words) (i64.const 16))
          (i64.shl (i64.extend_i32_u (i8x16.bitmask
            (v128.or
              (i8x16.le_u (i8x16.sub (v128.or (local.get $v) (local.get $_space)) (local.get $_a)) (local.get $_z_a))
              (i8x16.eq (local.get $v) (local.get $_underscore)))
          )) (i64.const 48))))
        (local.set $signs (i64.or
          (i64.shr_u (local.get $signs) (i64.const 16))
          (i64.shl (i64.extend_i32_u (i8x16.bitmask
            (v128.or
              (v128.or
                (i8x16.le_u (i8x16.sub (local.get $v) (local.get $_percent)) (local.get $_apostrophe_percent))
                (i8x16.eq (local.get $v) (local.get $_colon)))
              (v128.or (local.get $equals) (i8x16.eq (local.get $v) (local.get $_backslash))))
          )) (i64.const 48))))
        (local.set $shift (i32.add (local.get $shift) (i32.const 16)))
        (br_if $vectors (i32.lt_u (local.get $shift) (i32.const 64))))
      (if (i32.or (i8x16.bitmask (local.get $any)) (local.get $addresses)) (then
        (local.set $shift (i32.const 0))
        (loop $vectors
          (local.set $v (v128.load (i32.add (local.get $block) (local.get $shift))))
          (local.set $signs (i64.or (local.get $signs) (i64.shl (i64.extend_i32_u (i8x16.bitmask
            (v128.or
              (v128.or
                (v128.or (i8x16.eq (local.get $v) (local.get $_c2)) (i8x16.eq (local.get $v) (local.get $_d9)))
                (v128.or (i8x16.eq (local.get $v) (local.get $_db)) (i8x16.eq (local.get $v) (local.get $_e2))))
              (v128.or
                (v128.or (i8x16.eq (local.get $v) (local.get $_e3)) (i8x16.eq (local.get $v) (local.get $_ef)))
                (v128.and (local.get $wanted) (v128.or
                  (i8x16.eq (local.get $v) (local.get $_at))
                  (v128.or (i8x16.eq (local.get $v) (local.get $_parenthesis)) (i8x16.eq (local.get $v) (local.get $_bracket)))))))
          )) (i64.extend_i32_u (local.get $shift)))))
          (local.set $shift (i32.add (local.get $shift) (i32.const 16)))
          (br_if $vectors (i32.lt_u (local.get $shift) (i32.const 64))))))
      (local.set $run (i64.or (i64.or (local.get $digits) (local.get $words)) (local.get $others)))
      (local.set $run2 (i64.and (local.get $run) (i64.or (i64.shr_u (local.get $run) (i64.const 1)) (i64.shl (local.get $runNext) (i64.const 63)))))
      (local.set $run4 (i64.and (local.get $run2) (i64.or (i64.shr_u (local.get $run2) (i64.const 2)) (i64.shl (local.get $run2Next) (i64.const 62)))))
      (local.set $run8 (i64.and (local.get $run4) (i64.or (i64.shr_u (local.get $run4) (i64.const 4)) (i64.shl (local.get $run4Next) (i64.const 60)))))
      (local.set $run14 (i64.and (local.get $run8) (i64.or (i64.shr_u (local.get $run8) (i64.const 6)) (i64.shl (local.get $run8Next) (i64.const 58)))))
      (local.set $others2 (i64.and (local.get $others) (i64.or (i64.shr_u (local.get $others) (i64.const 1)) (i64.shl (local.get $othersNext) (i64.const 63)))))
      (local.set $others4 (i64.and (local.get $others2) (i64.or (i64.shr_u (local.get $others2) (i64.const 2)) (i64.shl (local.get $others2Next) (i64.const 62)))))
      ;; Fourteen bytes of a run, at its beginning or behind one of the others.
      (local.set $found (i64.and
        (i64.or (i64.shr_u (local.get $run14) (i64.const 1)) (i64.shl (local.get $run14Next) (i64.const 63)))
        (i64.or (i64.xor (local.get $run) (i64.const -1)) (local.get $others))))
      ;; Five others, as hyphens are, and a letter: behind any byte.
      (local.set $found (i64.or (local.get $found) (i64.and (i64.or (i64.shr_u (local.get $others4) (i64.const 1)) (i64.shl (local.get $others4Next) (i64.const 63))) (i64.and (i64.or (i64.shr_u (local.get $others) (i64.const 5)) (i64.shl (local.get $othersNext) (i64.const 59))) (i64.or (i64.shr_u (local.get $words) (i64.const 6)) (i64.shl (local.get $wordsNext) (i64.const 58)))))))
      ;; Four digits, or two letters and two digits.
      (local.set $found (i64.or (local.get $found) (i64.and
        (i64.and
          (i64.xor (i64.or (local.get $digits) (local.get $words)) (i64.const -1))
          (i64.and (i64.or (i64.shr_u (local.get $digits) (i64.const 3)) (i64.shl (local.get $digitsNext) (i64.const 61))) (i64.or (i64.shr_u (local.get $digits) (i64.const 4)) (i64.shl (local.get $digitsNext) (i64.const 60)))))
        (i64.or
          (i64.and (i64.or (i64.shr_u (local.get $digits) (i64.const 1)) (i64.shl (local.get $digitsNext) (i64.const 63))) (i64.or (i64.shr_u (local.get $digits) (i64.const 2)) (i64.shl (local.get $digitsNext) (i64.const 62))))
          (i64.and (i64.or (i64.shr_u (local.get $words) (i64.const 1)) (i64.shl (local.get $wordsNext) (i64.const 63))) (i64.or (i64.shr_u (local.get $words) (i64.const 2)) (i64.shl (local.get $wordsNext) (i64.const 62))))))))
      (if (local.get $phones) (then
        ;; A first digit, and another one behind it within three bytes.
        (local.set $found (i64.or (local.get $found) (i64.and
          (i64.and (i64.xor (local.get $digits) (i64.const -1)) (i64.or (i64.shr_u (local.get $digits) (i64.const 1)) (i64.shl (local.get $digitsNext) (i64.const 63))))
          (i64.or (i64.or (i64.shr_u (local.get $digits) (i64.const 2)) (i64.shl (local.get $digitsNext) (i64.const 62))) (i64.or (i64.or (i64.shr_u (local.get $digits) (i64.const 3)) (i64.shl (local.get $digitsNext) (i64.const 61))) (i64.or (i64.shr_u (local.get $digits) (i64.const 4)) (i64.shl (local.get $digitsNext) (i64.const 60))))))))))
      ;; Most signs say nothing. Each is listed, and overwritten by the next one unless what stands around it passes one of
      ;; its tests: a branch would be guessed wrong too often. A name before a sign may be in quotes.
      (local.set $all (i64.or (local.get $found) (i64.or (i64.shr_u (local.get $signs) (i64.const 1)) (i64.shl (local.get $signsNext) (i64.const 63)))))
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
