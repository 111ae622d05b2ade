/**
 * From a conversation to what a model is sent, and back from a quote to the step that it was taken from. The same conversation gives the
 * same bytes, and the key is made of the bytes that are sent and of what the answer is read by: what looks the same to the judge is asked
 * once.
 *
 * The data stand between two lines that bear a code. It is a digest of the data, so that it is the same each time and can't be
 * foretold by who writes them; and no text of theirs could hold such a line anyway (`inertText`).
 */
import { createHash } from 'node:crypto';
import { answerSchema } from '../../model/judge-answer.ts';
import { type MaterialText, materialText } from '../../model/judge-material.ts';
import type { JudgedCriterion, JudgeRequest } from '../../model/judging.ts';
import type { SpanId } from '../../model/ids.ts';
import type { Subject } from '../subject/subject.ts';
import { cutToFit } from './cut-to-fit.ts';
import { type GoldenRun, goldenItems } from './golden-items.ts';
import { closingFor, type GuidedCriterion, instructionsFor } from './instructions.ts';
import type { Sight } from './visible-material.ts';
import { estimateTokens } from './token-estimate.ts';
import type { Item } from './item.ts';
import { saysSomething, transcriptOf } from './transcript.ts';

/** Goes up whenever an answer to the same bytes is to be read in another way. */
export const ANSWER_FORM = 1;

interface ToRender {
  readonly suite: string;
  readonly suiteVersion: string;
  readonly judge: string;
  readonly fingerprint: string;
  readonly evidenceTokens: number;
  readonly criteria: readonly GuidedCriterion[];
  readonly sees: readonly Sight[];
  /** Undefined unless it is shown. */
  readonly golden: GoldenRun | undefined;
  readonly priority: number;
  readonly subject: Subject;
}

export type Rendered =
  | {
      readonly is: 'request';
      readonly request: JudgeRequest;
      /** Id of the step that the quote was taken from. */
      readonly spanOf: (quote: string) => SpanId | undefined;
    }
  | { readonly is: 'nothing-to-see' }
  | { readonly is: 'no-room' };

const CODE_LENGTH = 24;
/** Tokens that a provider adds around two messages. */
const ENVELOPE_TOKENS = 50;

export function renderRequest({ subject, sees, golden, criteria, ...asked }: ToRender): Rendered {
  const run = transcriptOf(subject, sees);
  if (!saysSomething(run)) return { is: 'nothing-to-see' };
  return requestOver(golden === undefined ? run : [...run, ...goldenItems(golden)], {
    ...asked,
    criteria: criteria.map(({ guidance: _, ...criterion }): JudgedCriterion => criterion),
    instructions: instructionsFor(criteria),
  });
}

interface ToSend
  extends Pick<ToRender, 'suite' | 'suiteVersion' | 'judge' | 'fingerprint' | 'evidenceTokens' | 'priority'> {
  readonly criteria: readonly JudgedCriterion[];
  readonly instructions: string;
}

/** Writes the items as data in their frame, cut to fit. */
export function requestOver(
  items: readonly Item[],
  { fingerprint, evidenceTokens, ...asked }: ToSend,
): Exclude<Rendered, { readonly is: 'nothing-to-see' }> {
  const { criteria, instructions } = asked;
  const closing = closingFor(criteria);
  const shown = cutToFit(items, evidenceTokens - frameTokens(closing));
  if (shown === undefined) return { is: 'no-room' };
  const data = shown.lines.join('\n');
  const material = framed(data, sha256(data).slice(0, CODE_LENGTH), closing);
  const request: JudgeRequest = {
    ...asked,
    key: sha256(JSON.stringify([ANSWER_FORM, fingerprint, criteria, instructions, material])),
    material,
    inputTokens:
      estimateTokens(instructions) +
      estimateTokens(material) +
      estimateTokens(JSON.stringify(answerSchema({ criteria }))) +
      ENVELOPE_TOKENS,
    cut: shown.cut,
  };
  let texts: MaterialText | undefined;
  return {
    is: 'request',
    request,
    spanOf: (quote) => {
      texts ??= materialText(data);
      const spanAt = (place: number) => shown.items[place]?.spanId;
      const place = texts.itemWith(quote, (one) => spanAt(one) !== undefined);
      return place === undefined ? undefined : spanAt(place);
    },
  };
}

function framed(data: string, code: string, closing: string): string {
  return `<data-${code}>\n${data}\n</data-${code}>\n\n${closing}\n`;
}

/** Tokens of the frame, at most: its two codes may take a token for every character. */
function frameTokens(closing: string): number {
  return estimateTokens(framed('', '', closing)) + 2 * CODE_LENGTH;
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
