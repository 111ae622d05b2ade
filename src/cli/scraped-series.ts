/** Reads the text that Prometheus scrapes, as far as Assay writes it: one series a line, no timestamps. */

interface Series {
  readonly name: string;
  readonly labels: ReadonlyMap<string, string>;
  readonly value: number;
}

const LINE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/;
const LABEL = /([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"/g;
const ESCAPED: ReadonlyMap<string, string> = new Map([
  ['n', '\n'],
  ['\\', '\\'],
  ['"', '"'],
]);

/** The series of one scrape. */
export class Scrape {
  readonly #series: ReadonlyMap<string, readonly Series[]>;

  constructor(text: string) {
    const series = text.split('\n').flatMap((line) => seriesIn(line) ?? []);
    this.#series = Map.groupBy(series, ({ name }) => name);
  }

  of(name: string, where: Readonly<Record<string, string>> = {}): readonly Series[] {
    const wanted = Object.entries(where);
    const all = this.#series.get(name) ?? [];
    return all.filter(({ labels }) => wanted.every(([label, value]) => labels.get(label) === value));
  }

  sum(name: string, where: Readonly<Record<string, string>> = {}): number {
    return this.of(name, where).reduce((sum, { value }) => sum + value, 0);
  }

  /** Sums by the values of one label, without those that are 0; the largest first. */
  by(
    label: string,
    name: string,
    where: Readonly<Record<string, string>> = {},
  ): readonly (readonly [string, number])[] {
    const sums = new Map<string, number>();
    for (const { labels, value } of this.of(name, where)) {
      const key = labels.get(label) ?? '';
      sums.set(key, (sums.get(key) ?? 0) + value);
    }
    return [...sums].filter(([, sum]) => sum > 0).sort(([, a], [, b]) => b - a);
  }
}

function seriesIn(line: string): Series | undefined {
  const [, name, labels = '', value] = LINE.exec(line) ?? [];
  if (name === undefined) return undefined;
  const pairs = [...labels.matchAll(LABEL)].map(([, label = '', text = '']) => [label, unescaped(text)] as const);
  return { name, labels: new Map(pairs), value: Number(value) };
}

function unescaped(text: string): string {
  return text.replace(/\\(.)/g, (_, letter: string) => ESCAPED.get(letter) ?? letter);
}
