/**
 * Tracks scrapers, and when each scraped last. Prometheus counts an increase between two samples, so that the first
 * value of a series that begins at 3 is never counted. A series therefore begins at 0 for each of them: what a scraper
 * has not seen yet is shown at 0 once, and with its value from then on (docs/decisions/0013-metrics.md).
 *
 * A scraper that does not know a series of last week is new: it would take the whole value for what happened since its
 * first scrape. So this holds for series younger than five minutes, the time after which Prometheus thinks of a series
 * as gone.
 */
export class Scrapers {
  readonly #lastScrape = new Map<string, number>();

  /** Gives the time after which a series has to have begun to be new to this scraper. */
  newSince(scraper: string, now: number): number {
    return Math.max(this.#lastScrape.get(scraper) ?? Number.NEGATIVE_INFINITY, now - NEW_MS);
  }

  /** Notes that the scraper has received all of a scrape that began at this time. */
  noteTaken(scraper: string, at: number): void {
    // Two of one name may overlap.
    const last = Math.max(this.#lastScrape.get(scraper) ?? at, at);
    // Inserted again, so that the scraper that has been away for longest is first.
    this.#lastScrape.delete(scraper);
    this.#lastScrape.set(scraper, last);
    if (this.#lastScrape.size > SCRAPERS_MAX) {
      for (const first of this.#lastScrape.keys()) {
        this.#lastScrape.delete(first);
        break;
      }
    }
  }
}

const NEW_MS = 5 * 60_000;
/** Anybody who reaches the port can scrape under any name. */
const SCRAPERS_MAX = 100;
