/**
 * Renders metrics for a scrape: Prometheus text, or OpenMetrics with exemplars where the scraper asks for it. A source
 * with few series gives samples. One with many writes its lines itself, because at a hundred thousand series the way
 * matters.
 */
import type { MetricDefinition } from '../../model/metric.ts';
import { Scrapers } from './scrapers.ts';
import { CONTENT_TYPES, ENDS, type Format, headText, type Sample, sampleText } from './text-format.ts';

export interface Scrape {
  readonly format: Format;
  /** Series that began later, by `performance.now()`, are new to the scraper. */
  readonly newSince: number;
}

export type MetricSource =
  | {
      readonly definition: MetricDefinition;
      readonly samples: () => readonly Sample[] | Promise<readonly Sample[]>;
    }
  | { readonly definition: MetricDefinition; readonly lines: (scrape: Scrape) => readonly string[] };

export interface Rendered {
  readonly contentType: string;
  readonly body: string;
}

export class Exposition {
  readonly #sources: readonly MetricSource[];
  readonly #scrapers = new Scrapers();

  constructor(sources: readonly MetricSource[]) {
    this.#sources = sources;
  }

  /** Without a scraper's name everything is shown as it is. */
  async render(accept: string | undefined, scraper?: string): Promise<Rendered> {
    const format = accept?.includes('application/openmetrics-text') === true ? 'openmetrics' : 'text';
    const texts: string[] = [];
    const now = performance.now();
    const newSince = scraper === undefined ? Number.POSITIVE_INFINITY : this.#scrapers.scraped(scraper, now);
    // Sources that write lines come first, without a pause: a commit in between would move one series of an evaluation
    // and not another.
    const written = new Map<MetricSource, readonly string[]>();
    for (const source of this.#sources) if ('lines' in source) written.set(source, source.lines({ format, newSince }));
    for (const source of this.#sources) {
      texts.push(headText(source.definition, format));
      if ('lines' in source) for (const lines of written.get(source) ?? []) texts.push(lines);
      else for (const sample of await source.samples()) texts.push(sampleText(source.definition.name, sample, format));
    }
    texts.push(ENDS[format]);
    return { contentType: CONTENT_TYPES[format], body: texts.join('') };
  }
}
