/**
 * A font of boxes, as TrueType: a letter is a block as high as an x. Texts have the same widths and breaks on every
 * machine, whatever fonts it has and however it smooths them. Widths are roughly those of a sans serif, in thousandths.
 */
const [UNITS, ASCENT, DESCENT, X_HEIGHT, SIDE] = [1000, 900, 250, 480, 40];
/** Glyphs: the missing one, a space, narrow, usual and wide. */
const WIDTHS = [560, 280, 270, 560, 840];
const [SPACE, NARROW, USUAL, WIDE] = [1, 2, 3, 4];
const AVERAGE = 560;
const [FIRST, LAST] = [0x20, 0x2bff];

export function boxFont(): Buffer {
  const boxes = WIDTHS.map((width, glyph) => (glyph === SPACE ? Buffer.alloc(0) : box(width)));
  const tables: Readonly<Record<string, Buffer>> = {
    'OS/2': os2(),
    cmap: cmap(),
    glyf: Buffer.concat(boxes),
    head: head(),
    hhea: Buffer.concat([
      u32(0x10000),
      i16(ASCENT, -DESCENT, 0, Math.max(...WIDTHS)),
      i16(...zeros(11)),
      u16(WIDTHS.length),
    ]),
    hmtx: Buffer.concat(WIDTHS.map((width, glyph) => u16(width, glyph === SPACE ? 0 : SIDE))),
    loca: u32(...boxes.map((_, glyph) => offset(boxes, glyph)), offset(boxes, boxes.length)),
    maxp: Buffer.concat([u32(0x10000), u16(WIDTHS.length, 4, 1, 0, 0, 1, ...zeros(8))]),
    name: u16(0, 0, 6),
    post: Buffer.concat([u32(0x30000), u32(0), i16(-100, 50), u32(...zeros(5))]),
  };
  return file(Object.entries(tables));
}

/** The header, a directory of the tables, and the tables at multiples of four. Browsers do not ask for the checksums. */
function file(tables: readonly (readonly [string, Buffer])[]): Buffer {
  const padded = tables.map(([, table]) => Buffer.concat([table, Buffer.alloc(-table.length & 3)]));
  const start = 12 + 16 * tables.length;
  const power = Math.floor(Math.log2(tables.length));
  const searched = 16 * 2 ** power;
  return Buffer.concat([
    u32(0x10000),
    u16(tables.length, searched, power, 16 * tables.length - searched),
    ...tables.map(([tag, table], place) =>
      Buffer.concat([Buffer.from(tag, 'latin1'), u32(0, start + offset(padded, place), table.length)]),
    ),
    ...padded,
  ]);
}

/** One contour of four corners, each as its distance from the one before. */
function box(width: number): Buffer {
  const right = width - SIDE;
  const corners = [i16(SIDE, 0, right - SIDE, 0), i16(0, X_HEIGHT, 0, -X_HEIGHT)];
  const bounds = i16(1, SIDE, 0, right, X_HEIGHT);
  return Buffer.concat([bounds, u16(3, 0), Buffer.of(1, 1, 1, 1), ...corners, Buffer.alloc(2)]);
}

/** Format 4: one segment of characters with their glyphs, and the one that must be last. */
function cmap(): Buffer {
  const glyphs = u16(...Array.from({ length: LAST - FIRST + 1 }, (_, at) => glyphOf(String.fromCharCode(FIRST + at))));
  const segments = u16(4, 4, 1, 0, LAST, 0xffff, 0, FIRST, 0xffff, 0, 1, 4, 0);
  return Buffer.concat([u16(0, 1, 3, 1), u32(12), u16(4, 6 + segments.length + glyphs.length, 0), segments, glyphs]);
}

function glyphOf(character: string): number {
  if (/\s/.test(character)) return SPACE;
  if (/[mwMW@%…—\p{S}]/u.test(character)) return WIDE;
  return /[\p{P}ijlIftr]/u.test(character) ? NARROW : USUAL;
}

function head(): Buffer {
  const bounds = i16(0, -DESCENT, Math.max(...WIDTHS), ASCENT);
  return Buffer.concat([
    ...[u32(0x10000, 0x10000, 0, 0x5f0f3cf5), u16(3, UNITS), Buffer.alloc(16), bounds],
    u16(0, 8, 2, 1, 0),
  ]);
}

function os2(): Buffer {
  const strikeAndScripts = zeros(11);
  return Buffer.concat([
    ...[u16(4, AVERAGE, 400, 5, 0), i16(...strikeAndScripts), Buffer.alloc(10), u32(1, 0, 0, 0), Buffer.from('NONE')],
    ...[u16(0x40, FIRST, LAST), i16(ASCENT, -DESCENT, 0), u16(ASCENT, DESCENT), u32(1, 0), i16(X_HEIGHT, 700)],
    u16(0, 0x20, 1),
  ]);
}

const zeros = (count: number): readonly number[] => Array.from({ length: count }, () => 0);
const offset = (parts: readonly Buffer[], place: number): number =>
  parts.slice(0, place).reduce((sum, { length }) => sum + length, 0);

function packed(bytes: number, values: readonly number[]): Buffer {
  const buffer = Buffer.alloc(bytes * values.length);
  for (const [at, value] of values.entries())
    buffer.writeUIntBE(value < 0 ? value + 0x10000 : value, at * bytes, bytes);
  return buffer;
}
const u16 = (...values: readonly number[]) => packed(2, values);
const i16 = u16;
const u32 = (...values: readonly number[]) => packed(4, values);
