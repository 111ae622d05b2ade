/**
 * `PUT /v1/labels/{conversation}`: what a person says of what a judge was asked, one label or a list. A person
 * who signed in labels under that name; a program names the person.
 */
import { z } from 'zod';
import { didYouMean } from '../../model/did-you-mean.ts';
import { LABELS, type StoredLabel } from '../../model/labels.ts';
import type { Unavailable } from '../../report/http/answer.ts';
import { writing } from '../../report/http/route.ts';
import type { PutAnswer, StoreWrite } from '../scoring/store-writes.ts';
import type { SuiteOutline } from '../../engine/suite-outline.ts';
import { saidBy } from './said-by.ts';
import { text } from '../../api/shapes.ts';

const ID_MAX = 4096;
const NAME_MAX = 1000;
const PERSON_MAX = 200;
const NOTE_MAX = 10_000;
const LABELS_MAX = 1000;

const labelSchema = z.strictObject({
  suite: text(NAME_MAX),
  criterion: text(NAME_MAX),
  label: z.enum(LABELS, `one of ${LABELS.join(', ')}, or null to take it back`).nullable(),
  by: text(PERSON_MAX).optional(),
  turn_id: text(ID_MAX).optional(),
  note: text(NOTE_MAX).optional(),
  seen: z.boolean().optional(),
});
type WrittenLabel = z.output<typeof labelSchema>;
const bodySchema = z.preprocess(
  (body) => (Array.isArray(body) ? body : [body]),
  z.array(labelSchema).min(1, 'one label or more').max(LABELS_MAX, `at most ${LABELS_MAX} labels`),
);

interface LabelSide {
  readonly put: (write: StoreWrite) => Promise<PutAnswer | Unavailable>;
  /** Running suites; a name that is in none of them is a mistake. */
  readonly liveSuites: () => readonly SuiteOutline[];
}

export const putLabels = writing(bodySchema, async (side: LabelSide, written, parameters, { caller }) => {
  const conversation = parameters.get('conversation') ?? '';
  if (conversation === '' || conversation.length > ID_MAX)
    return { status: 400, value: { error: `a conversation's id has 1 to ${ID_MAX} characters` } };
  const problems = [...new Set(written.flatMap((label) => problemOf(label, side.liveSuites()) ?? []))];
  if (problems.length > 0) return { status: 400, value: { error: 'the labels have mistakes', problems } };
  const labels: StoredLabel[] = [];
  for (const label of written) {
    const by = saidBy(label.by, caller, { things: 'labels', does: 'label' });
    if (typeof by !== 'string') return by;
    labels.push(labelOf(label, by, conversation.toWellFormed()));
  }
  const answer = await side.put({ what: 'labels', labels });
  if ('unavailable' in answer) return answer;
  if ('problem' in answer) return { status: 503, value: { error: answer.problem } };
  return { status: 200, value: { conversation_id: conversation, labels: labels.length, added: answer.changed } };
});

function labelOf(written: WrittenLabel, by: string, conversationId: string): StoredLabel {
  const { suite, criterion, label, turn_id, note, seen } = written;
  const said = { conversationId, turnId: turn_id, suite, criterion, label: label ?? 'withdrawn', by, note } as const;
  return seen === true ? { ...said, seen } : said;
}

function problemOf({ suite, criterion }: WrittenLabel, suites: readonly SuiteOutline[]): string | undefined {
  const found = suites.find(({ name }) => name === suite);
  const names = (found === undefined ? suites : found.criteria).map(({ name }) => name);
  if (found !== undefined && names.includes(criterion)) return undefined;
  const given = found === undefined ? suite : criterion;
  const what = found === undefined ? 'no suite' : `suite ${JSON.stringify(suite)} has no criterion`;
  const nearest = didYouMean(given, names);
  const hint = nearest === undefined ? `there are ${names.join(', ')}` : `did you mean ${JSON.stringify(nearest)}?`;
  return `${what} ${JSON.stringify(given.slice(0, 100))}${found === undefined ? ' runs here' : ''}; ${hint}`;
}
