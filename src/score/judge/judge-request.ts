/**
 * From a conversation to what a model is sent, and back from a quote to the step that it was taken from. The same conversation gives the
 * same bytes, and the key is made of the bytes that are sent: what looks the same to the judge is asked once.
 *
 * The data stand between two lines that bear a code. It is a digest of the data, so that it is the same each time and can't be
 * foretold by who writes them; and no text of theirs could hold such a line anyway (`inertText`).
 */
import { createHash } from 'node:crypto';
import { answerSchema } from '../../model/judge-answer.ts';
import { materialText } from '../../model/judge-material.ts';
import type { JudgeRequest } from '../../model/judging.ts';
import type { SpanId } from '../../model/ids.ts';
import type { Subject } from '../subject.ts';
import { cutToFit } from './cut-to-fit.ts';
import { closingFor, type GuidedCriterion, instructionsFor } from './instructions.ts';
import type { Sight } from './sights.ts';
import { estimateTokens } from './token-estimate.ts';
import { saysSomething, transcriptOf } from './transcript.ts';

export interface ToRender {
  readonly suite: string;
  readonly suiteVersion: string;
  readonly judge: string;
  readonly fingerprint: string;
  readonly evidenceTokens: number;
  readonly criteria: readonly GuidedCriterion[];
  readonly sees: readonly Sight[];
  readonly priority: number;
  readonly subject: Subject;
}

export type Rendered =
  | {
      readonly is: 'request';
      readonly request: JudgeRequest;
      /** Of the judge as it is asked that criterion, whatever the conversation. */
      readonly versionFor: (criterion: string) => string;
      /** Of the step that the quote was taken from. */
      readonly spanOf: (quote: string) => SpanId | undefined;
    }
  | { readonly is: 'nothing-to-see' }
  | { readonly is: 'no-room' };

/** Goes up whenever an answer to the same bytes is to be read in another way. */
const ANSWER_FORM = 1;
const CODE_LENGTH = 24;
const VERSION_LENGTH = 12;
/** What a provider adds around two messages. */
const ENVELOPE_TOKENS = 50;

export function renderRequest(asked: ToRender): Rendered {
  const items = transcriptOf(asked.subject, asked.sees);
  if (!saysSomething(items)) return { is: 'nothing-to-see' };
  const closing = closingFor(asked.criteria);
  const shown = cutToFit(items, asked.evidenceTokens - frameTokens(closing));
  if (shown === undefined) return { is: 'no-room' };
  const data = shown.lines.join('\n');
  const material = framed(data, sha256(data).slice(0, CODE_LENGTH), closing);
  const instructions = instructionsFor(asked.criteria);
  const criteria = asked.criteria.map(({ name, question }) => ({ name, question }));
  const request: JudgeRequest = {
    key: sha256(JSON.stringify([ANSWER_FORM, asked.fingerprint, instructions, material])),
    judge: asked.judge,
    suite: asked.suite,
    suiteVersion: asked.suiteVersion,
    criteria,
    instructions,
    material,
    inputTokens:
      estimateTokens(instructions) +
      estimateTokens(material) +
      estimateTokens(JSON.stringify(answerSchema({ criteria }))) +
      ENVELOPE_TOKENS,
    cut: shown.cut,
    priority: asked.priority,
  };
  return {
    is: 'request',
    request,
    versionFor: (criterion) => {
      const { fingerprint, sees, evidenceTokens } = asked;
      const parts = [ANSWER_FORM, fingerprint, instructions, criterion, sees, evidenceTokens];
      return sha256(JSON.stringify(parts)).slice(0, VERSION_LENGTH);
    },
    spanOf: (quote) => {
      const index = materialText(data).itemWith(quote);
      return index === undefined ? undefined : shown.items[index]?.spanId;
    },
  };
}

function framed(data: string, code: string, closing: string): string {
  return `<data-${code}>\n${data}\n</data-${code}>\n\n${closing}\n`;
}

/** With the most that two codes can come to: a token for every character. */
function frameTokens(closing: string): number {
  return estimateTokens(framed('', '', closing)) + 2 * CODE_LENGTH;
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
