/** YAML in which characters that nobody sees are escaped, so that it is read as the same value. */
import { type Document, isScalar, visit } from 'yaml';
import { withHidden } from './visible-text.ts';

export function visibleYaml(document: Document): string {
  visit(document, {
    Scalar: (_, scalar) => {
      // Escapes are read between double quotes alone.
      if (isScalar(scalar) && typeof scalar.value === 'string' && isHiding(scalar.value)) scalar.type = 'QUOTE_DOUBLE';
    },
  });
  return withHidden(document.toString({ lineWidth: 0 }), (run) => [...run].map(escaped).join(''));
}

function isHiding(text: string): boolean {
  return withHidden(text, () => '') !== text;
}

function escaped(character: string): string {
  const code = (character.codePointAt(0) ?? 0).toString(16);
  return code.length > 4 ? `\\U${code.padStart(8, '0')}` : `\\u${code.padStart(4, '0')}`;
}
