/**
 * The file of a suite's tests, `refunds.test.yaml` beside `refunds.yaml` or `refunds.ts`:
 *
 *     tests:
 *       - name: refunds what was asked for
 *         user: I want my 30 euros back.
 *         calls: [{ tool: refund_order, args: { amount: 30 }, result: { status: done } }]
 *         answer: They are on their way.
 *         truth: { amount: 30 }
 *         expect: { right_amount: pass }
 *         score: 1
 *
 * All mistakes are found at once, each with its line. `run-suite-test.ts` compares the expected verdicts with the
 * suite.
 */
import { z } from 'zod';
import { didYouMean } from '../../model/did-you-mean.ts';
import { OUTCOMES, VERDICTS } from '../../model/evaluation.ts';
import type { Excerpt, ExcerptTurn } from '../../model/excerpt.ts';
import type { Mistake } from '../../model/mistake.ts';
import { shapeMistakes } from '../../model/shape-mistakes.ts';
import { formatPath, type Path, readWrittenDocument, type WrittenDocument } from '../../model/written-document.ts';
import { FAILURE_EXPECTED, namesNoFailure } from '../subject/failure-kind.ts';
import type { Expected, ExpectedVerdict, GivenAnswer, Recorded, SuiteTest, SuiteTests } from './suite-test.ts';
import { isMapping } from '../../model/json.ts';

const CALL = {
  tool: z.string().min(1, 'the name of a tool'),
  args: z.json().optional(),
  result: z.json().optional(),
  error: z.string().optional(),
};
/** A list among the calls: these ran side by side. */
const calls = z.array(z.preprocess((one) => (Array.isArray(one) ? one : [one]), z.array(z.strictObject(CALL))));
const TURN = {
  user: z.string().optional(),
  calls: calls.optional(),
  answer: z.string().optional(),
  error: z.string().optional(),
  state: z.json().optional(),
};
const version = z.union([z.string(), z.number()]).transform(String);
const WHO = {
  agent: z.string().optional(),
  version: version.optional(),
  environment: z.string().optional(),
  instructions: z.string().optional(),
  attributes: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).optional(),
};
const TEST = {
  name: z.string().min(1, 'what it shows, in a few words'),
  suite: z.string().optional(),
  ...WHO,
  ...TURN,
  turns: z.array(z.strictObject(TURN)).min(1, 'at least one turn').optional(),
  spans: z.string().optional(),
  conversation: z.string().optional(),
  truth: z.json().optional(),
  /** Read by hand, for the sake of their messages. */
  judge: z.record(z.string(), z.unknown()).optional(),
  expect: z.record(z.string(), z.unknown()).optional(),
  score: z.number().min(0, 'from 0 to 1').max(1, 'from 0 to 1').optional(),
  outcome: z.enum(OUTCOMES).optional(),
  because: z.string().optional(),
  applies: z.boolean().optional(),
};
const FILE = { suite: z.string().optional(), ...WHO, tests: z.array(z.strictObject(TEST)).min(1, 'at least one test') };
const fileShape = z.strictObject(FILE);
type WrittenFile = z.output<typeof fileShape>;
type WrittenTest = WrittenFile['tests'][number];

const IN_FEW_LINES = ['user', 'calls', 'answer', 'error'] as const;
/** Fields that a recording gives itself. */
const NOT_WITH_SPANS = [
  ...IN_FEW_LINES,
  'turns',
  'state',
  'agent',
  'version',
  'environment',
  'instructions',
  'attributes',
] as const;
const EXPECTATIONS = ['expect', 'score', 'outcome', 'because', 'applies'] as const;

interface ReadSuiteTests {
  /** Undefined where there are mistakes. */
  readonly tests: SuiteTests | undefined;
  readonly mistakes: readonly Mistake[];
}

export function readSuiteTests(text: string, file: string): ReadSuiteTests {
  const document = readWrittenDocument(text, file);
  if (document.mistakes.length > 0) return { tests: undefined, mistakes: document.mistakes };
  const shape = fileShape.safeParse(document.value);
  if (!shape.success) {
    return { tests: undefined, mistakes: shapeMistakes(shape.error, document, document.value, knownKeys) };
  }
  const reader = new TestsReader(document, shape.data);
  const tests = reader.read();
  return reader.mistakes.length === 0 ? { tests, mistakes: [] } : { tests: undefined, mistakes: reader.mistakes };
}

class TestsReader {
  readonly mistakes: Mistake[] = [];
  readonly #document: WrittenDocument;
  readonly #written: WrittenFile;

  constructor(document: WrittenDocument, written: WrittenFile) {
    this.#document = document;
    this.#written = written;
  }

  read(): SuiteTests {
    const { suite, tests } = this.#written;
    const firsts = new Map<string, number>();
    tests.forEach(({ name }, index) => {
      const first = firsts.get(name);
      if (first !== undefined) {
        this.#mistake(['tests', index, 'name'], `'${name}' is the name of tests[${first}] too`, 'a name of its own');
      }
      firsts.set(name, first ?? index);
    });
    return { file: this.#document.file, suite, tests: tests.map((test, index) => this.#test(test, ['tests', index])) };
  }

  #test(written: WrittenTest, path: Path): SuiteTest {
    return {
      name: written.name,
      line: this.#lineOf(path),
      suite: written.suite,
      conversation: written.spans === undefined ? this.#excerpt(written, path) : this.#recorded(written, path),
      truth: written.truth,
      judges: this.#judges(written, [...path, 'judge']),
      expected: this.#expected(written, path),
    };
  }

  #recorded(written: WrittenTest, path: Path): Recorded {
    for (const field of NOT_WITH_SPANS) {
      if (written[field] === undefined) continue;
      this.#mistakeAtKey([...path, field], `\`${field}\` does not go with \`spans\``, 'what the recording says');
    }
    const { spans = '', conversation: id } = written;
    return { is: 'recorded', spans, id, line: this.#lineOf([...path, 'spans']) };
  }

  #excerpt(written: WrittenTest, path: Path): Excerpt {
    const { turns } = written;
    if (written.conversation !== undefined) {
      this.#mistakeAtKey(
        [...path, 'conversation'],
        '`conversation` says which one of a recording is meant',
        'it only next to `spans`',
      );
    }
    const given = IN_FEW_LINES.filter((field) => written[field] !== undefined);
    if (turns === undefined && given.length === 0) {
      this.#mistake(path, 'there is no conversation', '`user`, `calls` and `answer`; or `turns`; or `spans`');
    }
    if (turns !== undefined) {
      for (const field of given) {
        this.#mistakeAtKey([...path, field], `\`${field}\` does not go with \`turns\``, 'it within one of the turns');
      }
    }
    const { agent, version: ofAgent, environment, instructions, attributes } = this.#written;
    return {
      is: 'excerpt',
      agent: written.agent ?? agent,
      version: written.version ?? ofAgent,
      environment: written.environment ?? environment,
      instructions: written.instructions ?? instructions,
      attributes: new Map(Object.entries({ ...attributes, ...written.attributes })),
      state: written.state,
      // The state of the whole is recorded once, by the excerpt.
      turns: turns === undefined ? [toTurn({ ...written, state: undefined })] : turns.map(toTurn),
    };
  }

  #judges({ judge = {} }: WrittenTest, path: Path): ReadonlyMap<string, GivenAnswer> {
    const answers = new Map<string, GivenAnswer>();
    for (const [criterion, written] of Object.entries(judge)) {
      const answer = toAnswer(written);
      const line = this.#lineOf([...path, criterion]);
      if (answer !== undefined) answers.set(criterion, { ...answer, line });
      else this.#mistake([...path, criterion], 'this is no answer', '`yes`, `no`, or `{ no: why }`');
    }
    return answers;
  }

  #expected(written: WrittenTest, path: Path): Expected {
    if (EXPECTATIONS.every((field) => written[field] === undefined)) {
      this.#mistake(path, 'nothing is expected', '`expect: { <criterion>: pass }`, `score` or `outcome`');
    }
    const { expect = {}, score, outcome, because, applies } = written;
    if (because !== undefined && namesNoFailure(because))
      this.#mistake([...path, 'because'], `'${because}' is no kind of failure`, FAILURE_EXPECTED);
    if (applies === false && (written.expect ?? score ?? outcome ?? because) !== undefined) {
      this.#mistake([...path, 'applies'], 'a suite that does not apply says nothing', '`applies: false` alone');
    }
    const verdicts = new Map<string, ExpectedVerdict>();
    for (const [criterion, value] of Object.entries(expect)) {
      const verdict = this.#verdict(value, [...path, 'expect', criterion]);
      if (verdict !== undefined) verdicts.set(criterion, verdict);
    }
    return {
      verdicts,
      score: score === undefined ? undefined : { value: score, line: this.#lineOf([...path, 'score']) },
      outcome: outcome === undefined ? undefined : { value: outcome, line: this.#lineOf([...path, 'outcome']) },
      because: because === undefined ? undefined : { value: because, line: this.#lineOf([...path, 'because']) },
      applies: { value: applies ?? true, line: this.#lineOf(applies === undefined ? path : [...path, 'applies']) },
    };
  }

  #verdict(value: unknown, path: Path): ExpectedVerdict | undefined {
    const line = this.#lineOf(path);
    const { verdict: named, reason, ...others } = isMapping(value) ? value : { verdict: value };
    const verdict = VERDICTS.find((known) => known === named);
    if (verdict === undefined) {
      const nearest = typeof named === 'string' ? didYouMean(named, VERDICTS) : undefined;
      const hint = nearest === undefined ? '' : `; did you mean '${nearest}'?`;
      this.#mistake(path, 'this is no verdict', `one of ${VERDICTS.join(', ')}, or { verdict, reason }${hint}`);
      return undefined;
    }
    const stranger = Object.keys(others)[0];
    if (stranger !== undefined) {
      this.#mistakeAtKey([...path, stranger], `unknown field '${stranger}'`, 'verdict, reason');
    }
    if (reason !== undefined && typeof reason !== 'string') {
      this.#mistake([...path, 'reason'], 'this is no text', 'a text that the reason contains');
      return undefined;
    }
    return { verdict, reason, line };
  }

  #lineOf(path: Path): number | undefined {
    return this.#document.placeOf(path).line;
  }

  #mistake(path: Path, problem: string, expected: string): void {
    const { file } = this.#document;
    this.mistakes.push({ file, ...this.#document.placeOf(path), path: formatPath(path), problem, expected });
  }

  #mistakeAtKey(path: Path, problem: string, expected: string): void {
    const { file } = this.#document;
    this.mistakes.push({ file, ...this.#document.placeOfKey(path), path: formatPath(path), problem, expected });
  }
}

function toTurn({
  user,
  calls: groups = [],
  answer,
  error,
  state,
}: NonNullable<WrittenTest['turns']>[number]): ExcerptTurn {
  return {
    user,
    calls: groups.map((group) =>
      group.map(({ args = {}, ...call }) => ({ args, result: undefined, error: undefined, ...call })),
    ),
    answer,
    finish: 'stop',
    error,
    state,
  };
}

const GIVEN = 'As the test says.';

/** `yes`, `no`, true, false, `{ yes: why }`, `{ no: why }`. */
function toAnswer(written: unknown): { readonly pass: boolean; readonly reason: string } | undefined {
  if (written === 'yes' || written === true) return { pass: true, reason: GIVEN };
  if (written === 'no' || written === false) return { pass: false, reason: GIVEN };
  if (!isMapping(written)) return undefined;
  const [[answer, reason] = [], ...others] = Object.entries(written);
  if (others.length > 0 || typeof reason !== 'string' || (answer !== 'yes' && answer !== 'no')) return undefined;
  return { pass: answer === 'yes', reason };
}

function knownKeys(path: Path): readonly string[] {
  if (path.length === 0) return Object.keys(FILE);
  if (path.includes('calls')) return Object.keys(CALL);
  return Object.keys(path.includes('turns') ? TURN : TEST);
}
