/**
 * The answer that a turn's own spans lost: a long history takes all the attributes a span may have, and what the model
 * said comes last. The next turn's first model call is shown it, right after what this turn's last call was shown.
 */
import type { Content, Step } from '../../model/step.ts';
import { MISSING } from './deferred-content.ts';
import { goesOn } from './transcripts.ts';

export function shownAnswer(last: Step | undefined, next: Step | undefined): Content {
  if (last === undefined || next === undefined || last.error !== undefined || !isSilent(last)) return MISSING;
  const shown = last.messagesIn;
  if (shown.length === 0 || !goesOn(next.messagesIn, shown)) return MISSING;
  const answer = next.messagesIn[shown.length];
  if (answer?.role !== 'assistant' || answer.parts.some(({ type }) => type === 'tool_call')) return MISSING;
  const text = answer.parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
  return text === '' ? MISSING : { state: 'whole', text, json: text };
}

function isSilent({ messagesOut }: Step): boolean {
  return messagesOut.every(({ parts }) => parts.length === 0);
}
