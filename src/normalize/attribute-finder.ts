/** Finds content that is an attribute as it stands. */
import type { AttributeValue } from '../model/attribute-value.ts';
import type { Finder } from './dialect.ts';
import { isPresent } from './jsonish.ts';

export function attributeFinder(key: string): Finder<AttributeValue> {
  return {
    rule: key,
    key,
    find: (evidence) => {
      const value = evidence.attribute(key);
      return isPresent(value) ? value : undefined;
    },
  };
}
