/** A scrape as its client gets it. */
import type { Exposition } from '../../src/report/metrics/exposition.ts';

export async function rendered(
  exposition: Exposition,
  accept?: string,
  scraper?: string,
): Promise<{ readonly contentType: string; readonly body: string }> {
  const scraped = await exposition.scrape({ accept, scraper });
  if (scraped === undefined) throw new Error('somebody waits for it');
  scraped.noteTaken();
  return { contentType: scraped.contentType, body: scraped.texts.join('') };
}
