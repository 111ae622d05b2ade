/** The result of a row, and the figures that the page shows of it. */
import type { BehaviourName } from './behaviours.ts';
import { FIELDS, type Field, type FieldName } from './compare.ts';

export interface PlayedBehaviour {
  readonly name: BehaviourName;
  readonly spans: number;
  readonly fields: readonly Field[];
  readonly complaints: readonly string[];
}

export interface RowResult {
  readonly row: string;
  readonly framework: string;
  readonly exporter: string;
  readonly language: string;
  readonly date: string;
  readonly versions: Readonly<Record<string, string>>;
  readonly behaviours: readonly PlayedBehaviour[];
  /** Why the row could not be installed or played to its end. */
  readonly failure?: string;
}

export interface RowFigures {
  readonly right: number;
  readonly sent: number;
  /** Fields that were not sent in any behaviour. */
  readonly notSent: readonly FieldName[];
  readonly wrong: readonly WrongField[];
}

export interface WrongField {
  readonly behaviour: BehaviourName;
  readonly field: Extract<Field, { readonly state: 'wrong' }>;
}

export function figuresOf(result: RowResult): RowFigures {
  const behaviours = asScripted(result);
  const fields = behaviours.flatMap((behaviour) => behaviour.fields);
  const sent = fields.filter(({ state }) => state !== 'not sent');
  const wrong = behaviours.flatMap(({ name: behaviour, fields: all }) =>
    all.flatMap((field) => (field.state === 'wrong' ? [{ behaviour, field }] : [])),
  );
  const isSent = (name: FieldName) => sent.some((field) => field.name === name);
  const notSent = FIELDS.filter((name) => fields.some((field) => field.name === name) && !isSent(name));
  return { right: sent.length - wrong.length, sent: sent.length, notSent, wrong };
}

/** Nothing can be said of a row that never went as scripted. */
export function isPlayed(result: RowResult): boolean {
  return asScripted(result).length > 0;
}

/** Behaviours in which the framework did what the script wanted; of others the script is no truth. */
function asScripted({ behaviours }: RowResult): readonly PlayedBehaviour[] {
  return behaviours.filter((behaviour) => !hasDeviated(behaviour));
}

export function hasDeviated({ spans, complaints }: PlayedBehaviour): boolean {
  return spans === 0 || complaints.length > 0;
}
