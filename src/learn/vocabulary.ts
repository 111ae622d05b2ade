/**
 * The words that expressions can ask with: tools, values of their arguments and results, and words of texts. It
 * knows nothing of how the conversations went, so that choosing from it is all the choosing that has to be paid for.
 */
import type { Conversation } from '../model/conversation.ts';
import { isMapping } from '../model/json.ts';
import type { ToolCall } from '../model/turn.ts';

export interface Vocabulary {
  readonly tools: readonly string[];
  /** Fields of arguments and results. */
  readonly fields: readonly Field[];
  /** Words of users, by which requests differ. */
  readonly asked: readonly string[];
  /** Words of answers. */
  readonly said: readonly string[];
}

export interface Field {
  readonly tool: string;
  readonly of: 'args' | 'result';
  readonly name: string;
  /** Values that are common, where it has few. */
  readonly values: readonly string[];
  /** Its quartiles, where it is a number. */
  readonly limits: readonly number[];
  /** Somebody may have to name its values. */
  readonly isNamed: boolean;
}

const TOOLS_MAX = 30;
const PARTS = ['args', 'result'] as const;
const FIELDS_MAX = 120;
const VALUES_MAX = 8;
const WORDS_MAX = 60;
/** More common words are of every conversation. */
const WORD_SHARE_MAX = 0.6;
const TEXT_MAX = 60;
const TOOL = /^[\w.:/-]{1,80}$/;
const FIELD = /^[A-Za-z_]\w{0,40}$/;
/** Numbers of which none is more than another. */
const NAMES = /(?:^|_)(?:id|ids|number|no|nr|code|zip|phone|year)$|Id$/;
const WORD = /\p{L}{3,20}/gu;

export function vocabularyOf(conversations: readonly Conversation[]): Vocabulary {
  const least = Math.max(3, Math.ceil(conversations.length * 0.04));
  const tools = new Map<string, number>();
  const seen = new Map<
    string,
    {
      readonly of: Omit<Field, 'values' | 'limits' | 'isNamed'>;
      readonly texts: Map<string, number>;
      readonly numbers: number[];
      count: number;
    }
  >();
  const asked = new Map<string, number>();
  const said = new Map<string, number>();
  for (const conversation of conversations) {
    const calls = conversation.turns.flatMap(({ toolCalls }) => toolCalls).filter(({ name }) => TOOL.test(name));
    countEach(
      tools,
      calls.map(({ name }) => name),
    );
    for (const [key, found] of fieldsOf(calls)) {
      const field = seen.get(key) ?? { of: found.of, texts: new Map<string, number>(), numbers: [], count: 0 };
      seen.set(key, field);
      field.count += 1;
      countEach(field.texts, found.texts);
      field.numbers.push(...found.numbers);
    }
    countEach(asked, wordsOf(conversation.turns.map(({ userInput }) => userInput.text)));
    countEach(said, wordsOf(conversation.turns.map(({ finalAnswer }) => finalAnswer.text)));
  }
  return {
    tools: commonest(tools, least, Number.POSITIVE_INFINITY).slice(0, TOOLS_MAX),
    fields: [...seen.values()]
      .filter(({ count }) => count >= least)
      .toSorted((a, b) => b.count - a.count || (keyOf(a.of) < keyOf(b.of) ? -1 : 1))
      .slice(0, FIELDS_MAX)
      .map(({ of, texts, numbers }) => ({
        ...of,
        values:
          texts.size <= 4 * VALUES_MAX ? commonest(texts, least, Number.POSITIVE_INFINITY).slice(0, VALUES_MAX) : [],
        limits: NAMES.test(of.name) ? [] : quartiles(numbers),
        isNamed: of.of === 'args' && (texts.size > 1 || NAMES.test(of.name)),
      })),
    asked: commonest(asked, least, conversations.length * WORD_SHARE_MAX).slice(0, WORDS_MAX),
    said: commonest(said, least, conversations.length * WORD_SHARE_MAX).slice(0, WORDS_MAX),
  };
}

interface FoundField {
  readonly of: Pick<Field, 'tool' | 'of' | 'name'>;
  readonly texts: string[];
  readonly numbers: number[];
}

function fieldsOf(calls: readonly ToolCall[]): ReadonlyMap<string, FoundField> {
  const found = new Map<string, FoundField>();
  for (const call of calls) {
    for (const part of PARTS) {
      const { json: value } = call[part];
      if (!isMapping(value)) continue;
      for (const [name, one] of Object.entries(value).slice(0, 40)) {
        if (!FIELD.test(name)) continue;
        const field = { tool: call.name, of: part, name };
        const key = keyOf(field);
        const known = found.get(key) ?? { of: field, texts: [], numbers: [] };
        found.set(key, known);
        if (typeof one === 'string' && one.length <= TEXT_MAX && isPlain(one)) known.texts.push(one);
        if (typeof one === 'boolean') known.texts.push(String(one));
        if (typeof one === 'number' && Number.isFinite(one)) known.numbers.push(one);
      }
    }
  }
  return found;
}

function keyOf({ tool, of, name }: Pick<Field, 'tool' | 'of' | 'name'>): string {
  return `${tool} ${of} ${name}`;
}

/** Control characters and quotes need escapes that nobody reads. */
function isPlain(text: string): boolean {
  return text !== '' && !/[\p{C}'"\\]/u.test(text);
}

function wordsOf(texts: readonly string[]): readonly string[] {
  return texts.flatMap((text) => text.slice(0, 20_000).toLowerCase().match(WORD) ?? []);
}

function countEach(counts: Map<string, number>, values: readonly string[]): void {
  for (const one of new Set(values)) counts.set(one, (counts.get(one) ?? 0) + 1);
}

function commonest(counts: ReadonlyMap<string, number>, least: number, most: number): readonly string[] {
  return [...counts]
    .filter(([, count]) => count >= least && count <= most)
    .toSorted((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))
    .map(([one]) => one);
}

function quartiles(numbers: readonly number[]): readonly number[] {
  if (numbers.length < 8) return [];
  const sorted = numbers.toSorted((a, b) => a - b);
  return [...new Set([0.25, 0.5, 0.75].map((share) => sorted[Math.floor(share * sorted.length)] ?? 0))];
}
