/**
 * Text from elsewhere, such as the error of a provider, without the secrets that it may repeat: whole, in part, or encoded.
 * Every stretch of eight characters or more that a secret holds is replaced, and so is one of its base64 (at any offset,
 * as in `Basic` and `user:password`), its percent encoding, its hex and its JSON escapes. A secret that is shorter is
 * replaced as a whole.
 */
const PART_LENGTH_MIN = 8;
const MASK = '…';

export function maskedSecrets(text: string, secrets: readonly (string | undefined)[]): string {
  const forms = secrets.flatMap((secret) => (secret === undefined || secret === '' ? [] : formsOf(secret)));
  if (forms.length === 0) return text;
  const parts = new Set(forms.flatMap(partsOf));
  const short = forms.filter((form) => form.length < PART_LENGTH_MIN);
  let shown = '';
  let hiddenTo = 0;
  for (let at = 0; at < text.length; at += 1) {
    if (parts.has(text.slice(at, at + PART_LENGTH_MIN))) {
      if (at >= hiddenTo) shown += MASK;
      hiddenTo = at + PART_LENGTH_MIN;
    }
    if (at >= hiddenTo) shown += text[at];
  }
  return short.reduce((masked, form) => masked.replaceAll(form, MASK), shown);
}

/** The parts of an address that may be secret: its password, and what comes behind the host. */
export function secretsOfUrl(url: string): readonly string[] {
  if (!URL.canParse(url)) return [url];
  const { username, password, pathname, search } = new URL(url);
  return [username, password, `${pathname}${search}`].filter((part) => part.length >= PART_LENGTH_MIN);
}

/** The words of a header's value: `Bearer` by itself is none. */
export function secretsOfHeaders(headers: Readonly<Record<string, string>>): readonly string[] {
  return Object.values(headers).flatMap((value) => value.split(/\s+/).filter((word) => word.length >= PART_LENGTH_MIN));
}

function formsOf(secret: string): readonly string[] {
  const bytes = Buffer.from(secret);
  const hex = bytes.toString('hex');
  const percent = encodeURIComponent(secret.toWellFormed());
  const forms = [secret, percent, lowerEscapes(percent), JSON.stringify(secret).slice(1, -1), hex, hex.toUpperCase()];
  if (secret.length >= PART_LENGTH_MIN) forms.push(...base64Of(bytes));
  return [...new Set(forms)];
}

function lowerEscapes(percent: string): string {
  return percent.replace(/%[0-9A-F]{2}/g, (written) => written.toLowerCase());
}

/** At each of the three offsets at which it may begin in a longer text; the characters that depend on its neighbours are left out. */
function base64Of(bytes: Buffer): readonly string[] {
  return [0, 1, 2].flatMap((offset) => {
    const padded = Buffer.concat([Buffer.alloc(offset), bytes]);
    const whole = padded.subarray(0, padded.length - (padded.length % 3)).toString('base64');
    const own = whole.slice(offset === 0 ? 0 : 4);
    return [own, own.replaceAll('+', '-').replaceAll('/', '_')];
  });
}

function partsOf(form: string): readonly string[] {
  const parts: string[] = [];
  for (let at = 0; at + PART_LENGTH_MIN <= form.length; at += 1) parts.push(form.slice(at, at + PART_LENGTH_MIN));
  return parts;
}
