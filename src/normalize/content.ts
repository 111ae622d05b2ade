/**
 * Content that is decoded when somebody looks: most tool results and nearly all histories are never read by a criterion,
 * and parsing them would be most of the work.
 */
import type { Json } from '../model/json.ts';
import type { AttributeValue } from '../model/attribute-value.ts';
import type { Content, ContentState } from '../model/step.ts';
import { decodeJsonish, isPresent, toJson, type Decoded } from './jsonish.ts';

export const MISSING: Content = Object.freeze({ state: 'missing', text: '', json: null });

/** Text that is text, whatever it looks like. */
export function textContent(text: string, state: ContentState = 'whole'): Content {
  return text === '' && state === 'whole' ? MISSING : { state, text, json: text };
}

/** A value that is already in hand, such as the arguments inside a decoded message. */
export function contentOf(value: unknown): Content {
  // The cast widens: decodeJsonish only asks whether it is a string, and toJson takes anything.
  return isPresent(value as AttributeValue) ? new LazyContent(() => value as AttributeValue) : MISSING;
}

export class LazyContent implements Content {
  readonly #load: () => AttributeValue | undefined;
  #raw: AttributeValue | undefined;
  #decoded: Decoded | undefined;
  #text: string | undefined;
  #json: Json | undefined;

  /** `load` is called once, when the content is first looked at. */
  constructor(load: () => AttributeValue | undefined) {
    this.#load = load;
  }

  get state(): ContentState {
    return this.#decode().state;
  }

  get text(): string {
    this.#text ??= this.#asText();
    return this.#text;
  }

  get json(): Json {
    if (this.#json === undefined) this.#json = toJson(scalarOf(this.#decode().value));
    return this.#json;
  }

  #asText(): string {
    const { state, value } = this.#decode();
    if (state === 'missing') return '';
    if (typeof value === 'string') return value;
    // JSON text is shown as it was written; a structured value is written out.
    return typeof this.#raw === 'string' && !this.#raw.startsWith('"') ? this.#raw : JSON.stringify(this.json);
  }

  #decode(): Decoded {
    if (this.#decoded === undefined) {
      this.#raw = this.#load();
      this.#decoded = isPresent(this.#raw) ? decodeJsonish(this.#raw) : { state: 'missing', value: null };
    }
    return this.#decoded;
  }
}

/** `true`, `null` and numbers that survive the way there and back. */
const SCALAR = /^(?:true|false|null|-?(?:0|[1-9]\d{0,14})(?:\.\d{1,9})?)$/;
const SCALAR_LENGTH_MAX = 26;

function scalarOf(value: unknown): unknown {
  if (typeof value !== 'string' || value.length > SCALAR_LENGTH_MAX || !SCALAR.test(value)) return value;
  return JSON.parse(value);
}
