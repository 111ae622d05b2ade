/**
 * Finders for emitters that have the same two attributes on every span, whatever it did: JSON of what it was given, and
 * of what it gave back. The meaning depends on the kind of work: messages of a model, arguments and result of a tool;
 * of anything else a transcript, text or data.
 */
import type { AttributeValue } from '../model/attribute-value.ts';
import type { ContentFinders, Finder } from './dialect.ts';
import type { Evidence } from './evidence.ts';
import { decodeJsonish, isPresent } from './jsonish.ts';
import { decodeMessages, type MessageList, NO_MESSAGES } from './chat-messages.ts';
import { afterQuestion, type Side, transcriptIn, wordsIn } from './plain-text.ts';
import { argumentsIn, resultIn } from './wrappings.ts';

interface RunKeys {
  readonly inputs: string;
  readonly outputs: string;
  /** The attribute whose presence says that the span is this emitter's. */
  readonly guard: string;
  readonly workOf: (evidence: Evidence) => 'model' | 'tool' | 'other';
}

type RunFinders = Pick<ContentFinders, 'messagesIn' | 'messagesOut' | 'input' | 'output' | 'toolArgs' | 'toolResult'>;

export function runContent(keys: RunKeys): RunFinders {
  const { inputs, outputs, guard: key } = keys;
  return {
    messagesIn: [messages(keys, inputs, 'user')],
    messagesOut: [messages(keys, outputs, 'assistant')],
    input: [{ rule: inputs, key, find: (evidence) => wordsIn(evidence.attribute(inputs), 'user') }],
    output: [{ rule: outputs, key, find: (evidence) => wordsIn(evidence.attribute(outputs), 'assistant') }],
    toolArgs: [{ rule: inputs, key, find: (evidence) => argumentsIn(evidence.attribute(inputs)) }],
    toolResult: [{ rule: outputs, key, find: (evidence) => resultIn(evidence.attribute(outputs)) }],
  };
}

function messages({ guard, workOf }: RunKeys, key: string, side: Side): Finder<MessageList> {
  return {
    rule: key,
    key: guard,
    find: (evidence) => {
      const value = evidence.attribute(key);
      if (!isPresent(value)) return undefined;
      const work = workOf(evidence);
      // Found, and nothing: nobody else should take the JSON of a tool or a chain for a message.
      if (work === 'tool') return NO_MESSAGES;
      const whole = transcriptIn(value, side) ?? transcriptIn(onlyMember(value), side);
      if (whole !== undefined) return side === 'assistant' ? afterQuestion(whole) : whole;
      return work === 'model' ? saidToModel(value, side) : NO_MESSAGES;
    },
  };
}

/** `{"output": {…}}`: a run with one result. */
function onlyMember(value: AttributeValue): AttributeValue | undefined {
  const object = decodeJsonish(value).value;
  if (typeof object !== 'object' || object === null || Array.isArray(object)) return undefined;
  const members: readonly unknown[] = Object.values(object);
  // The cast holds: parsed JSON consists of AttributeValues.
  return members.length === 1 ? (members[0] as AttributeValue) : undefined;
}

/** A model that an application wrapped itself may be given and give back anything. */
function saidToModel(value: AttributeValue, side: Side): MessageList {
  const list = decodeMessages(value, side);
  const isThere = list.messages.some(({ parts }) => parts.length > 0);
  if (isThere || list.state === 'truncated' || list.state === 'redacted') return list;
  const words = wordsIn(value, side);
  return words?.state === 'whole' ? decodeMessages([{ role: side, content: words.text }], side) : list;
}
