/** Finds content in one attribute, whose key is the name of the rule: as it stands, or as `find` reads it. */
import type { AttributeValue } from '../model/attribute-value.ts';
import type { Finder } from './dialect.ts';
import { isPresent } from './jsonish.ts';

export function attributeFinder(key: string): Finder<AttributeValue>;
export function attributeFinder<T>(key: string, find: Finder<T>['find']): Finder<T>;
export function attributeFinder(key: string, find: Finder<unknown>['find'] = asItStands(key)): Finder<unknown> {
  return { rule: key, key, find };
}

function asItStands(key: string): Finder<AttributeValue>['find'] {
  return (evidence) => {
    const value = evidence.attribute(key);
    return isPresent(value) ? value : undefined;
  };
}
