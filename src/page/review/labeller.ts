/** The name under which a person labels: it is typed once, and kept in this browser. */
const KEPT_AS = 'assay.labeller';
const CHARACTERS_MAX = 200;

export function keptLabeller(): string {
  return localStorage.getItem(KEPT_AS) ?? '';
}

export function keepLabeller(name: string): void {
  localStorage.setItem(KEPT_AS, name.slice(0, CHARACTERS_MAX));
}
