/**
 * Names that say that their value is a secret: of attributes, of members of objects, of header lines, of `name=value`.
 * Written with any separators and case: `client_secret`, `clientSecret`, `X-Client-Secret`, `CLIENT_SECRET`.
 *
 *   secret   the value is one, whatever it looks like: password, client_secret, api_key, access_token
 *   likely   where the value looks like a credential: authorization, cookie; another `"cookie"` is baked
 *   random   where the value is long and random: token, session; another `"token"` is a word of a language model
 *   key      the user named it in `redaction.keys`; an entry that ends in `*` is for keys of attributes alone, since it
 *            would make every sign of a text one to look at
 *
 * Names of tokens that turn pages say where to go on, not who asks; agents are judged by them, and they are left.
 */
import { compileGlob, type Matcher } from '../model/glob.ts';

export type SecretName = 'secret' | 'likely' | 'random' | 'key';

const SECRET =
  'password passwords passwd pwd passphrase secret secrets clientsecrets secretkey secretaccesskey apikey apikeys apisecret apitoken ' +
  'accesstoken refreshtoken idtoken authtoken bearertoken sessiontoken securitytoken privatetoken usertoken bottoken ' +
  'privatekey accountkey sharedaccesskey storagekey authkey encryptionkey signingkey masterkey servicekey ' +
  'passwort kennwort passcode subscriptionkey functionskey licensekey appkey jsessionid phpsessid connect.sid cvv cvv2 cvc';
const LIKELY = 'authorization cookie cookies pass sharedaccesssignature';
const RANDOM = 'token session auth credential credentials accesskey applicationkey sig xamzsignature xgoogsignature';
/** Their keys have no prefix, or are named by them: `AZURE_OPENAI_KEY`. */
const ISSUERS =
  'openai azure anthropic claude gemini mistral cohere groq deepseek perplexity openrouter together fireworks replicate ' +
  'huggingface stability elevenlabs deepgram assemblyai tavily serper serpapi pinecone weaviate qdrant langfuse langsmith ' +
  'langchain datadog newrelic honeycomb rapidapi algolia mapbox twilio sendgrid mailgun stripe supabase';
const KINDS: ReadonlyMap<string, SecretName> = new Map([
  ...tiers(SECRET, 'secret'),
  ...tiers(LIKELY, 'likely'),
  ...tiers(RANDOM, 'random'),
  ...ISSUERS.split(' ').map((issuer) => [`${issuer}key`, 'secret'] as const),
]);
/** The whole name, since more of it says something else: `bypass`, `design`, `author`. */
const WHOLE: ReadonlySet<string> = new Set(['cvv', 'cvv2', 'cvc', 'pass', 'sig', 'auth']);
const STEM_MAX = Math.max(...[...KINDS.keys()].map(({ length }) => length));

/** A question about a secret is none: `has_password`, `forgot_password`. */
const ASKED = /^(?:has|is|no|not|forgot|forget|require[sd]?|needs?|show|hide|min|max|with|without|use[sd]?|num|count)$/;
const CHANGED = /^(?:reset|change|update|set|new|old)$/;
const PAGES =
  /^(?:page|next|prev|previous|continue|continuation|cursor|pagination|sync|resume|skip|eos|bos|pad|unk|mask|stop|special|max|min|input|output)$/;

/** Members of an object whose name says secret, and whose values only describe it: in schemas, in forms, in listings. */
const DESCRIBES: ReadonlySet<string> = new Set(
  (
    'type kind in title description format pattern default enum example examples ref required properties name names user ' +
    'username login email host url uri status state message msg error errors reason label note comment created updated ' +
    'expires expiresin lastused date count length minlength maxlength minimum maximum min max version provider scope scopes ' +
    'environment env source policy strength algorithm alg hint path file'
  ).split(' '),
);

export function describesSecret(name: string): boolean {
  return (
    DESCRIBES.has(name.toLowerCase().replace(/[^a-z]/g, '')) || /(?:^|_)(?:ids?|at|on)$|[a-z](?:Ids?|At|On)$/.test(name)
  );
}

export const NAME_BYTES_MAX = 64;
const KNOWN_MAX = 4096;
/** The last letters of a name tell nearly all others apart. */
const TAIL = 3;
const LETTER_BITS = 5;

export class SecretNames {
  readonly #builtIn: boolean;
  readonly #globs: readonly Matcher[];
  readonly #tails = new Uint8Array(1 << (TAIL * LETTER_BITS));
  readonly #known = new Map<string, SecretName | undefined>();

  constructor(options: { readonly builtIn: boolean; readonly globs: readonly string[] }) {
    this.#builtIn = options.builtIn;
    const globs = options.globs.filter((glob) => /[^*?]{3}$/.test(glob));
    this.#globs = globs.map(compileGlob);
    if (options.builtIn) for (const stem of KINDS.keys()) this.#tails[tailOf(stem)] = 1;
    for (const glob of globs) this.#tails[tailOf(glob)] = 1;
  }

  get isEmpty(): boolean {
    return !this.#builtIn && this.#globs.length === 0;
  }

  /** Quick, and right where it says no, of the name that ends at `end`. */
  mayEndAt(bytes: Uint8Array, end: number): boolean {
    const tail =
      (((bytes[end - 3] ?? 0) & 31) << 10) | (((bytes[end - 2] ?? 0) & 31) << 5) | ((bytes[end - 1] ?? 0) & 31);
    return this.#tails[tail] === 1;
  }

  of(name: string): SecretName | undefined {
    const known = this.#known.get(name);
    if (known !== undefined || this.#known.has(name)) return known;
    const kind = this.#globs.some((matches) => matches(name)) ? 'key' : this.#builtIn ? kindOf(name) : undefined;
    // Names come from outside: the table is bounded, and nothing but speed depends on it.
    if (this.#known.size >= KNOWN_MAX) this.#known.clear();
    this.#known.set(name, kind);
    return kind;
  }

  /** 1 by the last three letters of a name that {@link mayEndAt} holds for, five bits each; and of these texts. */
  tailsWith(more: readonly string[]): Uint8Array {
    const tails = this.#tails.slice();
    for (const text of more) tails[tailOf(text)] = 1;
    return tails;
  }
}

function tailOf(text: string): number {
  const [first, second, third] = [...text.slice(-TAIL)].map((sign) => sign.charCodeAt(0) & 31);
  return ((first ?? 0) << (2 * LETTER_BITS)) | ((second ?? 0) << LETTER_BITS) | (third ?? 0);
}

function kindOf(name: string): SecretName | undefined {
  const words = name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '');
  const joined = words.join('');
  const stem = stemOf(joined, words.at(-1) ?? '');
  if (stem === undefined || words.some((word) => ASKED.test(word))) return undefined;
  // As variables of an environment are written.
  if (/[A-Z]_PASS$/.test(name)) return 'secret';
  if (
    CHANGED.test(words[0] ?? '') &&
    words.length === 2 &&
    stem === 'password' &&
    words[0] !== 'new' &&
    words[0] !== 'old'
  )
    return undefined;
  if (stem.endsWith('token') && words.some((word) => PAGES.test(word))) return undefined;
  return KINDS.get(stem);
}

/** The longest that the name ends in. */
function stemOf(joined: string, lastWord: string): string | undefined {
  for (let length = Math.min(STEM_MAX, joined.length); length > 2; length--) {
    const stem = joined.slice(-length);
    if (!KINDS.has(stem)) continue;
    if (!WHOLE.has(stem) || lastWord === stem) return stem;
  }
  return undefined;
}

function tiers(stems: string, kind: SecretName): readonly (readonly [string, SecretName])[] {
  return stems.split(' ').map((stem) => [stem.replace('.', ''), kind]);
}
