/**
 * Writes metrics for a scrape: Prometheus text, or OpenMetrics with exemplars where the scraper asks for it. A source
 * with few series gives samples. One with many writes its lines itself, because at a hundred thousand series the way
 * matters.
 *
 * The thread that answers scrapes receives spans as well, so the text is written in slices. It shows one moment all the
 * same (`kept-series.ts`). It is not sent before all of it is there, so that a slow client delays no snapshot; until
 * then it is mostly references to texts that are kept anyway.
 */
import type { MetricDefinition } from '../../model/metric.ts';
import { inSlices } from '../../model/in-slices.ts';
import { Scrapers } from './scrapers.ts';
import { CONTENT_TYPES, ENDS, type Format, headText, type Sample, sampleText } from './text-format.ts';

export interface Scrape {
  readonly format: Format;
  /** Series that began later, by `performance.now()`, are new to the scraper. */
  readonly newSince: number;
}

/** Lines as they were when they were asked for, however long it takes to read them. */
export interface Lines {
  readonly texts: Iterable<string>;
  /** Ends the snapshot. Must be called; may be called before all texts were read. */
  readonly release: () => void;
}

export type MetricSource =
  | {
      readonly definition: MetricDefinition;
      /** Waits for nothing but its own work: a commit must not come in between. */
      readonly samples: () => readonly Sample[] | Promise<readonly Sample[]>;
    }
  | { readonly definition: MetricDefinition; readonly lines: (scrape: Scrape) => Lines };

export interface ScrapeRequest {
  readonly accept: string | undefined;
  /** Name of the scraper; without it every series is shown with its value. */
  readonly scraper?: string | undefined;
  /** Whether somebody still waits for the answer. */
  readonly isWanted?: () => boolean;
}

export interface Scraped {
  readonly contentType: string;
  readonly texts: readonly string[];
  /** Must be called once the scraper has received everything: only then has it seen where series begin. */
  readonly noteTaken: () => void;
}

export class Exposition {
  readonly #sources: readonly MetricSource[];
  readonly #onFew: (samples: number) => void;
  readonly #project: string | undefined;
  readonly #scrapers = new Scrapers();
  /**
   * Scrape that is being written. They are written one at a time, so that several stop the thread for no longer than
   * one.
   */
  #writing: Promise<unknown> = Promise.resolve();

  /** `onFew` is told how many samples the sources with few series gave; every series has the label `project` if there is one. */
  constructor(
    sources: readonly MetricSource[],
    {
      onFew = () => undefined,
      project,
    }: { readonly onFew?: (samples: number) => void; readonly project?: string | undefined } = {},
  ) {
    this.#sources = sources;
    this.#onFew = onFew;
    this.#project = project;
  }

  /** Undefined if nobody waits for it any more. */
  async scrape(request: ScrapeRequest): Promise<Scraped | undefined> {
    const scraped = this.#writing.then(() => this.#scrape(request));
    this.#writing = scraped.catch(() => undefined);
    return await scraped;
  }

  async #scrape({ accept, scraper, isWanted = () => true }: ScrapeRequest): Promise<Scraped | undefined> {
    const format = accept?.includes('application/openmetrics-text') === true ? 'openmetrics' : 'text';
    const now = performance.now();
    const newSince = scraper === undefined ? Number.POSITIVE_INFINITY : this.#scrapers.newSince(scraper, now);
    const opened = this.#sources.map((source) =>
      'lines' in source ? { ...source, lines: source.lines({ format, newSince }) } : source,
    );
    const texts: string[] = [];
    const project = this.#project;
    function* written(parts: readonly Part[]): Iterable<void> {
      for (const { definition, ...part } of parts) {
        texts.push(headText(definition, format));
        const lines = 'lines' in part ? part.lines.texts : sampleTexts(definition.name, part.samples, format);
        for (const text of lines) {
          if (!isWanted()) return;
          texts.push(project === undefined ? text : withProject(text, project));
          yield;
        }
      }
    }
    try {
      // All at once: nothing but microtasks runs before the last one has its samples.
      const read = await Promise.all(
        opened.map(async (source) => ('lines' in source ? source : { ...source, samples: await source.samples() })),
      );
      this.#onFew(read.reduce((sum, part) => sum + ('samples' in part ? part.samples.length : 0), 0));
      await inSlices(written(read));
    } finally {
      for (const source of opened) if ('lines' in source) source.lines.release();
    }
    if (!isWanted()) return undefined;
    texts.push(ENDS[format]);
    const noteTaken = () => {
      if (scraper !== undefined) this.#scrapers.noteTaken(scraper, now);
    };
    return { contentType: CONTENT_TYPES[format], texts, noteTaken };
  }
}

type Part = { readonly definition: MetricDefinition } & (
  | { readonly lines: Lines }
  | { readonly samples: readonly Sample[] }
);

function* sampleTexts(name: string, samples: readonly Sample[], format: Format): Iterable<string> {
  for (const sample of samples) yield sampleText(name, sample, format);
}

/** Lines of series with one more label. A project's name needs no escaping, and no line of a series begins within a value. */
function withProject(text: string, project: string): string {
  return text.replaceAll(/^(\w+)(\{|(?= ))/gm, (_, name: string, brace: string) =>
    brace === '' ? `${name}{project="${project}"}` : `${name}{project="${project}",`,
  );
}
