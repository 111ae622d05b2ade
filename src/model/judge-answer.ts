/**
 * Defines the answer of a judge, as a JSON schema for models that support one, and reads the actual answer strictly:
 *
 *     { "<criterion>": { "quotes": ["…"], "reason": "One sentence.", "answer": true }, … }
 *
 * Where the steps of a run are graded, a criterion has `"step_1": { "reason": "…", "score": 0.5 }, …` in place of
 * reason and answer, each score 1, 0.5 or 0, and the weighted mean against a threshold is the answer.
 *
 * The quotes and the reason come first, so that a model which writes from left to right has looked before it decides.
 * Anything else (prose around it, a criterion too many or too few, a key twice, `"yes"` for `true`, an answer cut
 * short) is a problem and never a verdict. Nothing is mended: what had to be guessed would be our verdict and not the
 * judge's.
 *
 * A quote that is not in the material is dropped and counted, and the answer stands without it. Quotes lead a person to
 * the place; that a judge words one freely says little about whether it is right, which is for the comparison with
 * people's labels to find out. A setting of the judge says what an answer is worth of which no quote is left.
 */
import type { Json } from './json.ts';
import { materialText } from './judge-material.ts';
import { visibleText } from './visible-text.ts';
import type { GradedSteps, JudgedAnswer, JudgedCriterion, JudgeRequest, StepGrade } from './judging.ts';

/** A vote as it was read. */
export type ReadAnswer = Omit<JudgedAnswer, 'votes'>;

type JudgeReading =
  | { readonly is: 'answers'; readonly answers: readonly ReadAnswer[] }
  /** Problem in our own words, without the answer's text. */
  | { readonly is: 'problem'; readonly problem: string };

/** Parts of a request that its answer is read by. */
type Answerable = Pick<JudgeRequest, 'criteria' | 'material'>;

/** Far more than a sentence and a few quotes for each of a hundred criteria. */
const ANSWER_LENGTH_MAX = 200_000;
const REASON_LENGTH_MAX = 1000;
const QUOTES_MAX = 5;
const QUOTE_LENGTH_MAX = 500;
const MEMBERS = ['quotes', 'reason', 'answer'] as const;

/**
 * Stays in the subset that all providers of structured output accept: no limits, no defaults, every member required.
 */
export function answerSchema({ criteria }: Pick<JudgeRequest, 'criteria'>): Json {
  const properties = criteria.map(({ name, question, graded }) => [
    name,
    { ...(graded === undefined ? CRITERION_SCHEMA : gradedSchema(graded)), description: question },
  ]);
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    required: criteria.map(({ name }) => name),
    additionalProperties: false,
  };
}

const QUOTES_SCHEMA = {
  type: 'array',
  items: { type: 'string' },
  description: 'What in the data shows it, word by word.',
} satisfies Json;
const REASON_SCHEMA = { type: 'string', description: 'Why, in one sentence.' } satisfies Json;

const CRITERION_SCHEMA = {
  type: 'object',
  properties: {
    quotes: QUOTES_SCHEMA,
    reason: REASON_SCHEMA,
    answer: { type: 'boolean', description: 'true is yes, false is no.' },
  },
  required: [...MEMBERS],
  additionalProperties: false,
} satisfies Json;

const GRADE_SCHEMA = {
  type: 'object',
  properties: {
    reason: REASON_SCHEMA,
    score: { type: 'number', enum: [1, 0.5, 0], description: '1 is right, 0.5 is partly right, 0 is wrong.' },
  },
  required: ['reason', 'score'],
  additionalProperties: false,
} satisfies Json;

function gradedSchema({ steps }: GradedSteps) {
  const keys = steps.map(stepKey);
  return {
    type: 'object',
    properties: { quotes: QUOTES_SCHEMA, ...Object.fromEntries(keys.map((key) => [key, GRADE_SCHEMA])) },
    required: ['quotes', ...keys],
    additionalProperties: false,
  } satisfies Json;
}

export function stepKey({ number }: { readonly number: number }): string {
  return `step_${number}`;
}

export function parseJudgeAnswer(text: string, { criteria, material }: Answerable): JudgeReading {
  const parsed = parseStrictly(text);
  if ('problem' in parsed) return { is: 'problem', problem: parsed.problem };
  const surplus = problemOfKeys(
    parsed.members,
    criteria.map(({ name }) => name),
  );
  if (surplus !== undefined) return { is: 'problem', problem: `The answer ${surplus}.` };
  const texts = materialText(material);
  const answers: ReadAnswer[] = [];
  for (const criterion of criteria) {
    const read = readAnswer(criterion, parsed.members.get(criterion.name));
    if (typeof read === 'string') return { is: 'problem', problem: `The answer to ${criterion.name} ${read}.` };
    const quotes = read.quotes.filter((quote) => texts.itemWith(quote) !== undefined);
    const invented = read.quotes.filter((quote) => quote.trim() !== '').length - quotes.length;
    answers.push({ ...read, quotes, ...(invented > 0 && { invented }) });
  }
  return { is: 'answers', answers };
}

function readAnswer({ name, graded }: JudgedCriterion, value: unknown): ReadAnswer | string {
  const members = membersOf(value);
  if (members === undefined) return 'is no object';
  const surplus = problemOfKeys(members, graded === undefined ? MEMBERS : ['quotes', ...graded.steps.map(stepKey)]);
  if (surplus !== undefined) return surplus;
  const given = members.get('quotes');
  if (!isTexts(given)) return 'has quotes that are no list of texts';
  const decision = graded === undefined ? readDecision(members) : readGrades(members, graded);
  if (typeof decision === 'string') return decision;
  const quotes = given.slice(0, QUOTES_MAX).map((quote) => quote.slice(0, QUOTE_LENGTH_MAX).toWellFormed());
  return { criterion: name, ...decision, quotes };
}

type Decision = Pick<ReadAnswer, 'pass' | 'reason' | 'grades'>;

function readDecision(members: ReadonlyMap<string, unknown>): Decision | string {
  const pass = members.get('answer');
  const reason = readReason(members);
  if (typeof pass !== 'boolean') return 'is neither true nor false';
  return reason === undefined ? 'has no reason' : { pass, reason };
}

function readReason(members: ReadonlyMap<string, unknown>): string | undefined {
  const reason = members.get('reason');
  if (typeof reason !== 'string' || reason.trim() === '') return undefined;
  return visibleText(reason.slice(0, REASON_LENGTH_MAX)).toWellFormed();
}

/** The reason is that of the worst step, the first of them, unless only steps that were not made are wrong. */
function readGrades(
  members: ReadonlyMap<string, unknown>,
  { steps, missing, atLeast }: GradedSteps,
): Decision | string {
  let right = 0;
  let whole = missing;
  const grades: StepGrade[] = [];
  for (const { number, weight } of steps) {
    const step = membersOf(members.get(stepKey({ number })));
    if (step === undefined) return `has no object for step ${number}`;
    const surplus = problemOfKeys(step, ['reason', 'score']);
    if (surplus !== undefined) return `${surplus} in step ${number}`;
    const score = step.get('score');
    const reason = readReason(step);
    if (score !== 1 && score !== 0.5 && score !== 0) return `has a score for step ${number} that is not 1, 0.5 or 0`;
    if (reason === undefined) return `has no reason for step ${number}`;
    right += score * weight;
    whole += weight;
    grades.push({ number, score, reason });
  }
  const [worst] = grades.toSorted((a, b) => a.score - b.score);
  if (worst === undefined) return 'grades no step';
  // Exact: weights are whole numbers, and scores are halves.
  const pass = right * 1_000_000 >= atLeast * whole;
  const comesTo = `The steps come to ${Math.floor((right / whole) * 100) / 100}, ${atLeast / 1_000_000} is wanted`;
  const isOnlyIncomplete = missing > 0 && worst.score === 1;
  const because = isOnlyIncomplete
    ? 'a required step was not made'
    : `step ${worst.number} (${worst.score}): ${worst.reason}`;
  return { pass, reason: `${comesTo}; ${because}`, grades };
}

function parseStrictly(
  text: string,
): { readonly members: ReadonlyMap<string, unknown> } | { readonly problem: string } {
  if (text.length > ANSWER_LENGTH_MAX) return { problem: `The answer has more than ${ANSWER_LENGTH_MAX} characters.` };
  if (text.trim() === '') return { problem: 'The answer is empty.' };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    const begun = text.trimStart().startsWith('{');
    return { problem: begun ? 'The answer is broken JSON, or has text after it.' : 'The answer is not JSON alone.' };
  }
  const members = membersOf(value);
  if (members === undefined) return { problem: 'The answer is no JSON object.' };
  return hasKeyTwice(text) ? { problem: 'The answer has a key twice.' } : { members };
}

function membersOf(value: unknown): ReadonlyMap<string, unknown> | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  return new Map(Object.entries(value));
}

function problemOfKeys(members: ReadonlyMap<string, unknown>, expected: readonly string[]): string | undefined {
  const missing = expected.find((name) => !members.has(name));
  if (missing !== undefined) return `lacks ${missing}`;
  return members.size > expected.length ? 'has more than was asked for' : undefined;
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

/**
 * JSON.parse keeps the last of two members with one name, and nobody knows which one was meant. The text is known to be
 * JSON.
 */
function hasKeyTwice(text: string): boolean {
  const open: Set<string>[] = [];
  for (const [token, , colon] of text.matchAll(/"(?:[^"\\]|\\.)*"(\s*(:))?|[{}]/g)) {
    if (token === '{') open.push(new Set());
    else if (token === '}') open.pop();
    else if (colon !== undefined) {
      // Written out, since `"answer"` and `"\u0061nswer"` are one key.
      const key = String(JSON.parse(token.slice(0, token.lastIndexOf('"') + 1)));
      const keys = open.at(-1);
      if (keys?.has(key) === true) return true;
      keys?.add(key);
    }
  }
  return false;
}
