/**
 * Links into the team's own tools. A template, which the configuration has, holds names in braces; values take their
 * places percent-encoded. Other braces are text of the address.
 */
import { didYouMean } from './did-you-mean.ts';

const TEMPLATE_MAX = 2_000;

export class LinkTemplates<Name extends string> {
  /** Expected form, for the message about a mistake. */
  readonly expected: string;
  readonly #names: readonly Name[];

  constructor(names: readonly Name[], example: string) {
    this.#names = names;
    this.expected = `an http or https address with ${this.#inBraces()}, such as ${example}`;
  }

  /** Names that the template asks for. */
  namesIn(template: string): readonly string[] {
    return [...template.matchAll(placeholders())].map(([, name = '']) => name);
  }

  /** Why it is no template; undefined where it is one. */
  mistakeIn(template: string): string | undefined {
    if (template.length > TEMPLATE_MAX) return `at most ${TEMPLATE_MAX} characters`;
    const unknown = this.namesIn(template).find((name) => !this.#has(name));
    if (unknown !== undefined) {
      const nearest = didYouMean(unknown, this.#names);
      return `one of ${this.#inBraces()}, and not {${unknown}}${nearest === undefined ? '' : `; did you mean {${nearest}}?`}`;
    }
    const [one, other] = ['1', '2'].map((value) => tryUrl(template.replaceAll(placeholders(), value)));
    if (one === undefined || other === undefined || !/^https?:$/.test(one.protocol)) return this.expected;
    if (one.username !== '' || one.password !== '') return 'an address without a user name and a password';
    return one.origin === other.origin ? undefined : 'names in braces behind the host only';
  }

  link(template: string, values: Readonly<Record<Name, string>>): string {
    return template.replaceAll(placeholders(), (whole, name: string) =>
      this.#has(name) ? encoded(values[name]) : whole,
    );
  }

  #has(name: string): name is Name {
    return this.#names.some((known) => known === name);
  }

  #inBraces(): string {
    return this.#names.map((name) => `{${name}}`).join(', ');
  }
}

/** A new one each time, because a global pattern remembers its place. */
function placeholders(): RegExp {
  return /\{([A-Za-z_][\w-]*)\}/g;
}

/**
 * Encodes also the characters that `encodeURIComponent` leaves, because templates put values between quotes and
 * brackets.
 */
function encoded(value: string): string {
  return encodeURIComponent(value.toWellFormed()).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function tryUrl(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined;
}
