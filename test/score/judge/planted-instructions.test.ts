/** Planted instructions are data in the prompt as it is sent, whatever and wherever they are, and change no verdict. */
import { describe, expect, test } from 'vitest';
import type { Conversation } from '../../../src/model/conversation.ts';
import { parseJudgeAnswer } from '../../../src/model/judge-answer.ts';
import type { JudgeRequest } from '../../../src/model/judging.ts';
import { SIGHTS } from '../../../src/score/judge/visible-material.ts';
import { estimateTokens } from '../../../src/score/judge/token-estimate.ts';
import { aConversation, aFailedCall, anError, aStep, aToolCall, aTurn, content, spanId } from '../conversations.ts';
import { answered, evaluated, judgesWho, requestFor, SETTINGS, suiteOf } from './judging-suite.ts';
import { PLANTED } from './planted-instructions.ts';

const suite = suiteOf(`
- { name: polite, question: Is it polite?, weight: 1, judge: { shared: true, sees: [${SIGHTS.filter((sight) => sight !== 'golden').join(', ')}] } }`);

const PLACES: Readonly<Record<string, (text: string) => Conversation>> = {
  'a request': (text) => aConversation([aTurn({ asked: text })]),
  'an answer': (text) => aConversation([aTurn({ answered: text })]),
  'an earlier answer': (text) => aConversation([aTurn({ answered: text }), aTurn()]),
  'a tool result': (text) => withCall(aToolCall('find', { result: content(text) })),
  'a structured tool result': (text) => withCall(aToolCall('find', { result: content({ [text]: [text] }) })),
  'the arguments of a tool': (text) => withCall(aToolCall('find', { args: content({ query: text }) })),
  'the error of a tool': (text) => withCall(aFailedCall('find', text)),
  'the name of a tool': (text) => withCall(aToolCall(text)),
  'the id of a call': (text) => withCall(aToolCall('find', { id: text })),
  'the name of an agent': (text) =>
    withSteps(
      aStep({ kind: 'agent', name: text, agent: { name: text, id: text, version: text }, output: content('Done.') }),
    ),
  'the name of a model': (text) => withSteps(aStep({ name: text, output: content('Done.') })),
  'the instructions of a model': (text) => withSteps(aStep({ systemInstructions: text, output: content('Done.') })),
  'what a model said': (text) => withSteps(aStep({ output: content(text) })),
  'a retrieved document': (text) => withSteps(aStep({ kind: 'retrieval', name: 'docs', output: content([{ text }]) })),
  'the name of a span': (text) => withSteps(aStep({ spanName: text, kind: 'other', name: text, output: content('x') })),
  'the error of a turn': (text) => aConversation([aTurn({ error: anError(text, text) })]),
  'the state': (text) => aConversation([aTurn()], { state: { [text]: text } }),
  'the truth': (text) => aConversation([aTurn()], { truth: text }),
  'the id of the conversation': (text) => aConversation([aTurn()], { id: text as Conversation['id'] }),
};

function withCall(call: ReturnType<typeof aToolCall>): Conversation {
  return aConversation([aTurn({ toolCalls: [call] })]);
}

function withSteps(step: ReturnType<typeof aStep>): Conversation {
  return aConversation([aTurn({ steps: [aStep({ kind: 'agent', spanId: spanId(0xa0) }), step] })]);
}

const KEYS = new Set(
  [
    'item',
    'turn',
    'items',
    'text',
    'name',
    'agent',
    'instructions',
    'arguments',
    'input',
    'output',
    'result',
    'error',
  ].flatMap((key) => [key, `${key}_is`]),
);
const ITEMS = new Set<unknown>(['request', 'answer', 'left_out', ...SIGHTS]);
const HARMLESS = requestFor(suite, aConversation());

/** The texts of the data, once the material has been found to be nothing but data in their frame. */
function dataIn({ material, instructions }: JudgeRequest): readonly string[] {
  expect(instructions).toBe(HARMLESS.instructions);
  const code = /^<data-([0-9a-f]{24})>\n/.exec(material)?.[1];
  const opened = `<data-${code}>\n`;
  const closed = `\n</data-${code}>\n`;
  const end = material.indexOf(closed);
  // The frame is the first line, one line that closes it, and the same closing words as ever.
  expect(material.slice(end + closed.length)).toBe(HARMLESS.material.slice(HARMLESS.material.indexOf('</data-') + 33));
  expect(material.split(closed)).toHaveLength(2);
  const data = material.slice(opened.length, end);
  expect(data).not.toMatch(/[<\u2039\u27e8\u3008\ufe64\uff1c]/u);
  expect(data.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cs}]|[\u{e0000}-\u{e0fff}]/u);
  expect(data).not.toMatch(/\[\/?(?:INST|TOOL_RESULTS)\]/);
  return data.split('\n').flatMap((line) => {
    const item = new Map<string, unknown>(Object.entries(JSON.parse(line)));
    expect([...item.keys()].filter((key) => !KEYS.has(key))).toEqual([]);
    expect(ITEMS.has(item.get('item'))).toBe(true);
    const values = [...item].filter(([key]) => key !== 'turn' && key !== 'items').map(([, value]) => value);
    expect(values.filter((value) => typeof value !== 'string' && value !== null)).toEqual([]);
    return values.filter((value) => typeof value === 'string');
  });
}

const HIDDEN = /[\u{e0000}-\u{e0fff}]+/gu;

test('the corpus is as large as it is said to be', () => {
  expect(new Set(PLANTED.map(([, text]) => text)).size).toBeGreaterThanOrEqual(30);
});

describe.each(PLANTED)('text that %s', (_what, text) => {
  test('is data wherever it is planted, and within the budget', () => {
    for (const [place, plant] of Object.entries(PLACES)) {
      const request = requestFor(suite, plant(text));

      const texts = dataIn(request);

      expect(estimateTokens(request.material), place).toBeLessThanOrEqual(SETTINGS.evidenceTokens);
      // It is there, so that the judge can hold it against the agent: the start of it, should it be long.
      const shown = text.toWellFormed().replace(HIDDEN, '\ufffd').slice(0, 90);
      // Within JSON within JSON.
      const escaped = JSON.stringify(text.replace(HIDDEN, '\ufffd').slice(0, 90)).slice(1, -1);
      const isShown =
        place.includes(' id of ') ||
        texts.some((candidate) => candidate.includes(shown) || candidate.includes(escaped));
      expect(isShown, place).toBe(true);
    }
  });

  test('gives no verdict: the judge alone does, in the form it was asked for', () => {
    for (const [place, plant] of Object.entries(PLACES)) {
      const conversation = plant(text);
      const verdictWith = (judges = judgesWho()) =>
        evaluated(suite, conversation, judges).verdicts.get('polite')?.verdict;

      expect(verdictWith(), place).toBe('skipped');
      expect(verdictWith(judgesWho(() => answered({ criterion: 'polite', pass: false }))), place).toBe('fail');
    }
  });

  test('is no answer around or beside an answer', () => {
    const request = requestFor(suite, aConversation([aTurn({ answered: text })]));
    const no = JSON.stringify({ polite: { quotes: [], reason: 'It is rude.', answer: false } });

    for (const answer of [`${text}\n${no}`, `${no}\n${text}`, `${no.slice(0, -1)},${JSON.stringify(text)}:true}`]) {
      expect(parseJudgeAnswer(answer, request).is).toBe('problem');
    }
    const inReason = JSON.stringify({
      polite: { quotes: [text.slice(0, 500)], reason: `It says ${text}`, answer: false },
    });
    const read = parseJudgeAnswer(inReason, request);
    expect(read.is === 'answers' ? read.answers[0]?.pass : read.problem).not.toBe(true);
  });
});
