/**
 * Reads from the result of a change of several things which of them were done and which were not:
 *
 *     [{id: 1, success: true}, {id: 2, success: false}]       also as `results`, `responses` or `outcomes`
 *     {cancelled: [1, 3], failed: [2]}, {sent: 9, failed: 1}  by members that name what was not done
 *     {success: true, cancelled: [1], errors: [{id: 2}]}
 *     {"1": "cancelled", "2": "error: shipped"}               by ids
 */
import { isMapping, type Json } from '../../model/json.ts';

type Members = { readonly [name: string]: Json };

export interface BulkParts {
  /** Parts that were done, if they are named: a count names none. */
  readonly done: readonly Json[];
  readonly undone: readonly Json[];
  readonly doneCount: number;
  readonly undoneCount: number;
}

const LISTS = ['results', 'responses', 'outcomes'] as const;
const PARTS_READ_MAX = 1000;
const NOT_DONE =
  /^(?:fail(?:ed|ures?)|errors?|unsuccessful|undelivered|bounced|not_(?:sent|done|found|updated))(?:_(?:ids?|items?|count|orders?|recipients?|total))?$/i;
const DONE =
  /^(?:succeeded|successful|successes|ok|done|[a-z]{2,12}(?:ed|nt))(?:_(?:ids?|items?|count|orders?|recipients?|total))?$/i;
const ID = /\d/;
const FAILED_TEXT = /^(?:error|fail(?:ed|ure)?|rejected|declined|denied|refused)(?![a-z])/i;

/** Undefined if the result has no parts. `isUndone` judges one part by itself. */
export function bulkParts(json: Json, isUndone: (part: Members) => boolean): BulkParts | undefined {
  const list = Array.isArray(json) ? (json as readonly Json[]) : listIn(json);
  if (list !== undefined) {
    const parts = list.slice(0, PARTS_READ_MAX);
    if (!parts.some(isMapping)) return undefined;
    const [undone, done] = split(parts, (part) => isMapping(part) && isUndone(part));
    return ofLists(done, undone);
  }
  return isMapping(json) ? (byMember(json) ?? byId(json)) : undefined;
}

function listIn(json: Json): readonly Json[] | undefined {
  if (!isMapping(json)) return undefined;
  const lists = LISTS.flatMap((name) => {
    const list = json[name];
    return Array.isArray(list) ? [list as readonly Json[]] : [];
  });
  return lists.length === 0 ? undefined : lists.flat();
}

/** Something must be said to be done beside it: errors alone are an error. */
function byMember(json: Members): BulkParts | undefined {
  const members = Object.entries(json);
  const undone = members.filter(([name, value]) => isUndoneMember(name, value));
  const done = members.filter(([name, value]) => DONE.test(name) && !NOT_DONE.test(name) && countOf(value) > 0);
  if (undone.length === 0 || done.length === 0) return undefined;
  return {
    done: done.flatMap(([, value]) => partsIn(value)),
    undone: undone.flatMap(([, value]) => partsIn(value)),
    doneCount: Math.max(...done.map(([, value]) => countOf(value))),
    undoneCount: Math.max(...undone.map(([, value]) => countOf(value))),
  };
}

function byId(json: Members): BulkParts | undefined {
  const members = Object.entries(json);
  if (members.length < 2 || !members.every(([name, value]) => ID.test(name) && typeof value === 'string'))
    return undefined;
  const [undone, done] = split(members, ([, value]) => FAILED_TEXT.test(String(value)));
  return undone.length === 0
    ? undefined
    : ofLists(
        done.map(([name]) => name),
        undone.map(([name]) => name),
      );
}

function ofLists(done: readonly Json[], undone: readonly Json[]): BulkParts {
  return { done, undone, doneCount: done.length, undoneCount: undone.length };
}

/** Whether a member may name what was not done, to ask before more is looked at. */
export function mayNameUndone(name: string, value: Json): boolean {
  return isUndoneMember(name, value) || (typeof value === 'string' && FAILED_TEXT.test(value));
}

/** Errors in words may be remarks on what was done; errors with parts of their own say of which thing they are. */
function isUndoneMember(name: string, value: Json): boolean {
  if (!NOT_DONE.test(name) || countOf(value) === 0) return false;
  return !/^errors?$/i.test(name) || (Array.isArray(value) && value.every((one: Json) => isMapping(one)));
}

function countOf(value: Json): number {
  if (Array.isArray(value)) return value.length;
  return typeof value === 'number' ? value : 0;
}

function partsIn(value: Json): readonly Json[] {
  return Array.isArray(value) ? (value as readonly Json[]).slice(0, PARTS_READ_MAX) : [];
}

function split<T>(all: readonly T[], isFirst: (one: T) => boolean): readonly [T[], T[]] {
  return [all.filter(isFirst), all.filter((one) => !isFirst(one))];
}
