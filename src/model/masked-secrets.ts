/**
 * Text from elsewhere, such as the error of a provider, without the secrets that it may repeat: whole, in part, or encoded.
 * Every stretch of eight characters or more that a secret holds is replaced, in capital or small letters. So is one of its
 * base64 (at any offset, as in `Basic` and `user:password`), its percent encoding, its hex and its JSON escapes.
 * Providers repeat the beginning of a key, and stars: of a word that begins as the secret does, six characters are enough.
 * A secret that is shorter than eight is replaced as a whole.
 */
const PART_LENGTH_MIN = 8;
const BEGINNING_LENGTH_MIN = 6;
const MASK = '…';

export function maskedSecrets(text: string, secrets: readonly (string | undefined)[]): string {
  const forms = secrets.flatMap((secret) => (secret === undefined || secret === '' ? [] : formsOf(secret)));
  if (forms.length === 0) return text;
  const long = forms.filter((form) => form.length >= PART_LENGTH_MIN).map(inSmallLetters);
  const parts = new Set(long.flatMap(partsOf));
  const beginnings = new Set(long.map((form) => form.slice(0, BEGINNING_LENGTH_MIN)));
  const short = forms.filter((form) => form.length < PART_LENGTH_MIN);
  const small = inSmallLetters(text);
  let shown = '';
  let hiddenTo = 0;
  const hide = (at: number, length: number) => {
    if (at >= hiddenTo) shown += MASK;
    hiddenTo = Math.max(hiddenTo, at + length);
  };
  for (let at = 0; at < text.length; at += 1) {
    if (parts.has(small.slice(at, at + PART_LENGTH_MIN))) hide(at, PART_LENGTH_MIN);
    else if (beginsWord(small, at) && beginnings.has(small.slice(at, at + BEGINNING_LENGTH_MIN)))
      hide(at, Math.max(...long.map((form) => commonLength(small, at, form))));
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

/** Changes letters of the Latin alphabet only, so that the text keeps its length. */
function inSmallLetters(text: string): string {
  return text.replace(/[A-Z]+/g, (capitals) => capitals.toLowerCase());
}

function beginsWord(text: string, at: number): boolean {
  return at === 0 || !/[\p{L}\p{N}]/u.test(text[at - 1] ?? '');
}

function commonLength(text: string, at: number, form: string): number {
  let length = 0;
  while (length < form.length && text[at + length] === form[length]) length += 1;
  return length;
}

function formsOf(secret: string): readonly string[] {
  const bytes = Buffer.from(secret);
  const hex = bytes.toString('hex');
  const percent = encodeURIComponent(secret.toWellFormed());
  const forms = [secret, percent, JSON.stringify(secret).slice(1, -1), hex];
  if (secret.length >= PART_LENGTH_MIN) forms.push(...base64Of(bytes));
  return [...new Set(forms)];
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
