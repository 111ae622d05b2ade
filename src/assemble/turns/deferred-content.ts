/** Content that is chosen among sources when somebody looks, since looking means decoding. */
import type { Content } from '../../model/step.ts';

export const MISSING: Content = Object.freeze({ state: 'missing', text: '', json: null });

class DeferredContent implements Content {
  readonly #choose: () => Content;
  #chosen: Content | undefined;

  constructor(choose: () => Content) {
    this.#choose = choose;
  }

  get state() {
    return this.#content().state;
  }
  get text() {
    return this.#content().text;
  }
  get json() {
    return this.#content().json;
  }

  #content(): Content {
    this.#chosen ??= this.#choose();
    return this.#chosen;
  }
}

/** The first, or the second where the first is missing. */
export function firstThere(first: () => Content, second: () => Content): Content {
  return new DeferredContent(() => {
    const content = first();
    return content.state === 'missing' ? second() : content;
  });
}
