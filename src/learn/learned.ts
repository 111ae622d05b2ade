/**
 * Criteria for failures that people found, each with what is known of it. Only conversations that lots chose to be read
 * measure them; others may suggest them.
 */
import { type Certificate, isCertified } from '../model/certificate.ts';
import type { Conversation } from '../model/conversation.ts';
import { type Bits, bitsOf, has, likeness } from './bits.ts';
import { isOfNone, type Measured, offered } from './certify.ts';
import { checksOf, conditionsOf } from './expressions.ts';
import { HOLDS, HOLDS_NOT, holdsOn, rowsOf, UNKNOWN } from './fires.ts';
import type { ReadCase } from './read-case.ts';
import { type Candidate, spaceOf } from './search.ts';
import { vocabularyOf } from './vocabulary.ts';

export interface Learned {
  /** Undefined for failures of no such kind that suites call fine. */
  readonly kind: string | undefined;
  readonly readings: number;
  readonly criteria: readonly LearnedCriterion[];
  /** Notes of people, for a judge. */
  readonly notes: readonly string[];
}

export interface LearnedCriterion {
  /** A label of metrics. */
  readonly name: string;
  readonly question: string;
  readonly when: string | undefined;
  readonly check: string;
  /** Parts of the readings, without which the search finds it too. */
  readonly foundIn: number;
  /** Undefined where none of its readings measure it. */
  readonly certificate: Certificate | undefined;
  /** Places of the conversations on which it fails. */
  readonly failsOn: readonly number[];
}

/** Certified, by readings that did not choose it. */
export function isKnownGood({ certificate }: LearnedCriterion): boolean {
  return certificate !== undefined && isCertified(certificate);
}

interface LearnOptions {
  readonly at: string;
  /** All conversations at hand, read ones among them. */
  readonly traffic: readonly Conversation[];
}

/** With fewer, three of which are to be alike, there is nothing to look for. */
export const KIND_MIN = 4;

export function learnedFrom(cases: readonly ReadCase[], { at, traffic }: LearnOptions): readonly Learned[] {
  const counts = new Map<string, number>();
  for (const { kind, isBad } of cases) if (isBad && kind !== undefined) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  const kinds = [...counts].flatMap(([kind, count]) => (count >= KIND_MIN ? kind : [])).toSorted();
  const missed = cases.filter((one) => isOfNone(one, kinds)).length;
  const asked = [...kinds, ...(missed >= KIND_MIN ? [ANY] : [])];
  if (asked.length === 0) return [];
  const conversations = cases.map(({ conversation }) => conversation);
  const vocabulary = vocabularyOf(traffic);
  const space = spaceOf(rowsOf(checksOf(vocabulary), conversations), rowsOf(conditionsOf(vocabulary), conversations));
  const found = offered(space, cases, asked);
  const failing = failingOf(cases);
  const taken = new Set<string>();
  return asked.map((kind) => ({
    kind: kind === ANY ? undefined : kind,
    readings: kind === ANY ? missed : (counts.get(kind) ?? 0),
    notes: cases.flatMap((one) => (one.kind === kind ? one.notes : [])).slice(0, NOTES_MAX),
    criteria: (found.get(kind) ?? []).map(({ candidate, measured }, place) => ({
      ...writtenAs(candidate, { kind, place, taken }),
      foundIn: measured.foundIn,
      certificate: certificateOf(measured, {
        ...{ at, kind: kind === ANY ? undefined : kind },
        ...shareOfTraffic(candidate, traffic),
        ...(ASKS_A_TOOL.test(`${candidate.check.of.cel} ${candidate.when?.of.cel ?? ''}`) ? {} : { asksNoTool: true }),
        like: mostLike(candidate.fires, failing),
      }),
      failsOn: cases.flatMap((_, one) => (has(candidate.fires, one) ? one : [])),
    })),
  }));
}

const ANY = '';
/** More than the number of calls. */
const ASKS_A_TOOL = /\btools\(|\btool_calls\.|\bending\b/;
const NOTES_MAX = 5;

type Known = Pick<Certificate, 'at' | 'kind' | 'applies' | 'fails' | 'like' | 'asksNoTool'>;

function certificateOf(measured: Measured, known: Known): Certificate | undefined {
  const { readings, fired, precision, bad, ofKind, missed, added } = measured;
  if (precision === undefined) return undefined;
  return { readings, fired, precision, bad, ...(ofKind && { ofKind }), missed, added, ...known };
}

interface Place {
  readonly kind: string;
  /** Among the candidates of the kind. */
  readonly place: number;
  readonly taken: Set<string>;
}

function writtenAs({ check, when }: Candidate, { kind, place, taken }: Place) {
  const under = when === undefined ? '' : `, where ${when.of.words}`;
  return {
    name: nameOf(kind, place, taken),
    question: `Is it true that ${check.of.words}${under}?`,
    when: when?.of.cel,
    check: check.of.cel,
  };
}

/** Letters, digits and underscores of the kind's name. Kinds may have the same ones, or none. */
function nameOf(kind: string, place: number, taken: Set<string>): string {
  const letters = kind
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '_')
    .replaceAll(/^[_\d]+|_+$/g, '')
    .slice(0, 40);
  const name = kind === ANY ? 'no_missed_failure' : letters === '' ? 'not_this_kind' : `not_${letters}`;
  let number = place + 1;
  const numbered = () => (number === 1 ? name : `${name}_${number}`);
  while (taken.has(numbered())) number += 1;
  taken.add(numbered());
  return numbered();
}

function shareOfTraffic({ check, when }: Candidate, traffic: readonly Conversation[]) {
  const asked = when === undefined ? undefined : holdsOn(when.of, traffic);
  const held = holdsOn(check.of, traffic);
  const values = [...held].filter((_, at) => asked === undefined || asked[at] === HOLDS);
  const share = (of: (value: number) => boolean) => values.filter(of).length / traffic.length;
  return { applies: share((value) => value !== UNKNOWN), fails: share((value) => value === HOLDS_NOT) };
}

/** Conversations on which each criterion of the suites fails. */
function failingOf(cases: readonly ReadCase[]): ReadonlyMap<string, Bits> {
  const names = new Set(cases.flatMap(({ failed }) => failed));
  return new Map(
    [...names].map((name) => [
      name,
      bitsOf(
        cases.map(({ failed }) => Number(failed.includes(name))),
        1,
      ),
    ]),
  );
}

function mostLike(fires: Bits, failing: ReadonlyMap<string, Bits>): Certificate['like'] {
  const [most] = [...failing]
    .map(([criterion, bits]) => ({ criterion, share: likeness(fires, bits) }))
    .toSorted((a, b) => b.share - a.share || (a.criterion < b.criterion ? -1 : 1));
  return most === undefined || most.share === 0 ? undefined : most;
}
