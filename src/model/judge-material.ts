/**
 * Text in which a judge's quotes are looked for: the items of the material, a JSON object a line. A model quotes what
 * it understood rather than the bytes it was given, so that escapes are undone on both sides, and runs of white space,
 * typographic quotation marks and characters that nobody sees make no difference. Words do.
 */
export interface MaterialText {
  /** The place among the items, from 0, of the first that has the quote, of those that are meant; undefined where none has. */
  itemWith(quote: string, isMeant?: (place: number) => boolean): number | undefined;
}

const INVISIBLE = /\p{Cf}|\ufe0f/gu;

export function materialText(material: string): MaterialText {
  const items = material.split('\n').flatMap((line) => (line.startsWith('{') ? [searchable(line)] : []));
  return {
    itemWith: (quote, isMeant = () => true) => {
      const wanted = plain(quote);
      if (wanted === '') return undefined;
      const found = items.findIndex(
        (item, place) => isMeant(place) && (item.decoded.includes(wanted) || item.written.includes(wanted)),
      );
      return found === -1 ? undefined : found;
    },
  };
}

function searchable(line: string): { readonly decoded: string; readonly written: string } {
  const written = plain(line);
  try {
    const item: unknown = JSON.parse(line);
    return { decoded: plain(textsIn(item).join('\n')), written };
  } catch {
    // A line of ours that is no JSON is a mistake of ours; it can still be quoted as it stands.
    return { decoded: written, written };
  }
}

function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

function plain(text: string): string {
  return text
    .normalize('NFKC')
    .replace(INVISIBLE, '')
    .replace(/[\u2018\u2019\u201a\u201b]/g, "'")
    .replace(/[\u201c-\u201f]/g, '"')
    .replace(/\s+/g, ' ')
    .trim();
}
