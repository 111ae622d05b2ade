/**
 * A suite in YAML, its expressions compiled, as the same `Suite` that TypeScript suites are. Finds all mistakes, here
 * and in `compileSuite`, each with its line.
 */
import { didYouMean } from '../../model/did-you-mean.ts';
import type { Mistake } from '../../model/mistake.ts';
import { present } from '../../model/present.ts';
import { shapeMistakes } from '../../model/shape-mistakes.ts';
import {
  formatPath,
  type Path,
  type Place,
  readWrittenDocument,
  type WrittenDocument,
} from '../../model/written-document.ts';
import { checkEnvironment, outcomeEnvironment, variablesOf } from '../cel/environment.ts';
import { compileExpression } from '../cel/compile-expression.ts';
import type { Program } from '../cel/program.ts';
import { type Scope, scopeMaker } from '../cel/scope.ts';
import type { BuiltInCheck } from '../checks/built-in-check.ts';
import { BUILT_IN_CHECKS, insteadOfCheck } from '../checks/built-in-checks.ts';
import { type GoldenFiles, goldenFilesIn } from '../trajectory/golden-files.ts';
import { sightOf, type WrittenDefinitions } from './definition.ts';
import { type CompiledWithMistakes, type CompileOptions, compileSuite, isCriterionName } from './compile-suite.ts';
import { orderCheck } from '../order/order-check.ts';
import { compileCondition } from '../order/step-selector.ts';
import type { OutcomeView, Subject } from '../subject/subject.ts';
import type { Answer } from '../subject/answer.ts';
import type { Criterion, Match, OutcomeRule, Suite } from './suite.ts';
import { readSuiteParts } from '../yaml/read-trajectory.ts';
import { applies, expressionCheck, holds, whyNotBy } from '../yaml/expression-check.ts';
import { misplacedNextToJudge } from './read-judge.ts';
import { readOrder } from '../yaml/read-order.ts';
import { compileReason, type Reason } from '../yaml/reason.ts';
import { knownSuiteKeys, lenientSuite, strictSuite, type WrittenCriterion, type WrittenSuite } from './suite-shape.ts';

interface AroundSuite {
  /** Golden traces are read relative to where one stands, unless this says otherwise. */
  readonly files?: GoldenFiles;
  /** Tools as the configuration describes them. */
  readonly tools?: CompileOptions['tools'];
}

export function readSuite(text: string, file: string, around: AroundSuite = {}): CompiledWithMistakes {
  const document = readWrittenDocument(text, file);
  if (document.mistakes.length > 0) return { suite: undefined, mistakes: document.mistakes };
  const strict = strictSuite.safeParse(document.value);
  if (strict.success) return new SuiteReader(document, strict.data, around).read([]);
  const mistakes = shapeMistakes(strict.error, document, document.value, knownSuiteKeys);
  const lenient = lenientSuite.safeParse(document.value);
  return lenient.success
    ? new SuiteReader(document, lenient.data, around).read(mistakes)
    : { suite: undefined, mistakes };
}

const WAYS_TO_ANSWER = ['check', 'uses', 'order', 'judge'] as const;

class SuiteReader {
  readonly #document: WrittenDocument;
  readonly #written: WrittenSuite;
  readonly #environment = checkEnvironment();
  readonly #mistakes: Mistake[] = [];
  readonly #parts: ReturnType<typeof readSuiteParts>;
  readonly #configuredTools: CompileOptions['tools'];
  readonly #extracts = new Map<string, Program>();
  #goldenFingerprint: string | undefined;
  #scopeOf: (subject: Subject) => Scope = scopeMaker(new Map());
  #matchesTurn: CompileOptions['matchesTurn'];

  constructor(document: WrittenDocument, written: WrittenSuite, { files = goldenFilesIn('.'), tools }: AroundSuite) {
    this.#configuredTools = tools;
    this.#document = document;
    this.#written = written;
    this.#parts = readSuiteParts(written, {
      files: (references) => {
        const loaded = files(references);
        this.#goldenFingerprint = loaded.fingerprint;
        return loaded;
      },
      mistake: (path, problem, expected, offset) =>
        this.#mistake(path, problem, expected, offset === undefined ? undefined : document.placeInText(path, offset)),
      add: (mistakes) => this.#mistakes.push(...mistakes),
    });
  }

  read(shape: readonly Mistake[]): CompiledWithMistakes {
    const written = this.#written;
    // The order matters: `match` comes before the extracts, and each extract may use the ones above it.
    const match = this.#match();
    this.#readExtracts();
    this.#scopeOf = scopeMaker(this.#extracts);
    const criteria = written.criteria.map((criterion, index) => this.#criterion(criterion, index));
    const completed = this.#condition(['completed'], written.completed);
    const failed = this.#condition(['failed'], written.failed);
    const outcomes = this.#outcomes();
    const { suite: name, version, description, scope, normalize, about, crash, tools } = written;
    const suite: Suite = {
      ...{ name, scope, criteria },
      ...present({ version, description, normalize, minDecided: written.min_decided, about, crash, match, tools }),
      ...(written.hard_failure_keeps_score === true && { hardFailureKeepsScore: true }),
      ...present({ completed, failed, outcomes, golden: this.#parts.golden, toolPolicy: this.#parts.policy }),
    };
    const weightsAreKnown = !written.criteria.some(({ weight }) => Number.isNaN(weight));
    const compiled = compileSuite(suite, this.#document, {
      weightsAreKnown,
      matchesTurn: this.#matchesTurn,
      definitions: this.#definitions(),
      tools: this.#configuredTools,
    });
    const reported = new Set(shape.map(({ path }) => path));
    const more = [...this.#mistakes, ...compiled.mistakes].filter(({ path }) => !reported.has(path));
    const mistakes = [...shape, ...more].sort((a, b) => (a.line ?? 0) - (b.line ?? 0));
    return mistakes.length === 0 ? compiled : { ...compiled, suite: undefined, mistakes };
  }

  #definitions(): WrittenDefinitions {
    const { match, extract, golden, tool_policy: policy, tools, completed = '', failed = '', criteria } = this.#written;
    return {
      text: JSON.stringify([this.#written, this.#goldenFingerprint]),
      suite: {
        sight: sightOf([extract, golden, this.#goldenFingerprint, policy, tools, this.#configuredTools]),
        match: JSON.stringify(match ?? null),
        completed,
        failed,
      },
      criteria: criteria.map(({ check, uses, with: parameters, order, when }) => ({
        check: JSON.stringify({ check, uses, parameters, order }),
        when,
      })),
    };
  }

  #match(): Match | undefined {
    const { match } = this.#written;
    if (match === undefined) return undefined;
    const { expression, agent, version, environment, attributes } = match;
    const program = expression === undefined ? undefined : this.#compile(['match', 'expression'], expression, 'bool');
    this.#matchesTurn = this.#turnTest(program);
    return present({
      ...{ agent, version, environment, attributes },
      whyNot: program && whyNotBy(program, this.#scopeOf),
    });
  }

  #turnTest(match: Program | undefined): CompileOptions['matchesTurn'] {
    if (match?.turnCondition === undefined) return undefined;
    const condition = this.#compile(['match', 'expression'], match.turnCondition, 'bool');
    if (condition?.turnTest !== undefined) return condition.turnTest;
    const whyNot = condition && whyNotBy(condition, this.#scopeOf);
    return whyNot && ((conversation) => whyNot(conversation) === undefined);
  }

  #readExtracts(): void {
    for (const [name, text] of Object.entries(this.#written.extract ?? {})) {
      const path = ['extract', name];
      if (!isCriterionName(name) || this.#environment.hasVariable(name)) {
        const taken = this.#environment.hasVariable(name);
        this.#mistake(
          path,
          taken ? `'${name}' is the name of something else` : `'${name}' cannot be a name in an expression`,
          taken ? `a name that is none of ${variablesOf(this.#environment).join(', ')}` : 'letters, digits and _',
          this.#document.placeOfKey(path),
        );
        continue;
      }
      const program = this.#compile(path, text, 'any');
      // Has type dyn, because it is null if its input is absent.
      this.#environment.registerVariable(name, 'dyn');
      if (program !== undefined) this.#extracts.set(name, program);
    }
  }

  #criterion(written: WrittenCriterion, index: number): Criterion {
    const path: Path = ['criteria', index];
    const when = written.when === undefined ? undefined : this.#compile([...path, 'when'], written.when, 'bool');
    const builtIn = this.#builtIn(written, path);
    const critical = written.critical ?? builtIn?.isCritical;
    const program = written.check === undefined ? undefined : this.#compile([...path, 'check'], written.check, 'bool');
    const readsFormOnly = (one: Program) => one.readsFormOnly(this.#extracts);
    const expressions = [when, program].filter((one) => one !== undefined);
    const restsOn = [...new Set(expressions.flatMap((one) => one.fieldsRead(this.#extracts)))];
    return {
      name: written.name,
      question: written.question,
      weight: written.weight,
      ...(written.judge === undefined
        ? { check: builtIn?.check ?? this.#order(written, path) ?? this.#check(written, program, path) }
        : { judge: written.judge }),
      needs: [
        ...(builtIn?.needs ?? []),
        ...(written.order !== undefined || expressions.some((one) => one.seeksTools(this.#extracts))
          ? ['tools' as const]
          : []),
        ...(written.needs ?? []),
      ],
      ...(when !== undefined && { when: applies(when, (subject) => this.#scopeOf(subject)) }),
      ...(written.when_not_applicable !== undefined && { whenNotApplicable: written.when_not_applicable }),
      ...(critical !== undefined && { critical }),
      ...(written.fails_as !== undefined && {
        failsAs:
          typeof written.fails_as === 'string'
            ? written.fails_as
            : written.fails_as.map(({ kind, if_passed: ifPassed }) => ({ kind, ifPassed })),
      }),
      ...(written.about !== undefined && { about: written.about }),
      restsOn,
      ...(builtIn?.readsTaskTruth && { readsTaskTruth: true }),
      ...(expressions.some(({ isConstant }) => isConstant) && { isConstant: true }),
      // A condition on what tools did ties the answer to it.
      readsFormOnly: program !== undefined && readsFormOnly(program) && (when === undefined || readsFormOnly(when)),
    };
  }

  #order(written: WrittenCriterion, path: Path): ((subject: Subject) => Answer) | undefined {
    if (written.order === undefined) return undefined;
    const rule = readOrder(written.order, [...path, 'order'], {
      mistake: (at, problem, expected) => this.#mistake(at, problem, expected),
      unknownField: (at, problem, expected) => this.#mistake(at, problem, expected, this.#document.placeOfKey(at)),
      condition: (at, text) => {
        const compiled = compileCondition(this.#environment, text, (subject) => this.#scopeOf(subject));
        if ('condition' in compiled) return compiled.condition;
        const { problem, expected, at: offset } = compiled.mistake;
        this.#mistake(at, problem, expected, this.#document.placeInText(at, offset ?? 0));
        return undefined;
      },
    });
    return rule && orderCheck(rule);
  }

  #check(written: WrittenCriterion, program: Program | undefined, path: Path): (subject: Subject) => Answer {
    if (written.check === undefined) return () => true;
    const scopeOf = this.#scopeOf;
    const evidence =
      written.evidence === undefined ? undefined : this.#compile([...path, 'evidence'], written.evidence, 'any');
    const reasons = typeof written.reason === 'string' ? { fail: written.reason } : (written.reason ?? {});
    const reasonPath = typeof written.reason === 'string' ? [...path, 'reason'] : undefined;
    const reason = (kind: 'pass' | 'fail'): Reason | undefined => {
      const text = reasons[kind];
      const at = reasonPath ?? [...path, 'reason', kind];
      if (text === undefined) return undefined;
      return compileReason(text, (expression, offset) => this.#compile(at, expression, 'any', offset));
    };
    const told = { pass: reason('pass'), fail: reason('fail') };
    return program === undefined ? () => true : expressionCheck({ program, evidence, reasons: told, scopeOf });
  }

  #builtIn(
    written: WrittenCriterion,
    path: Path,
  ):
    | (Pick<BuiltInCheck, 'needs' | 'isCritical' | 'readsTaskTruth'> & { readonly check: (subject: Subject) => Answer })
    | undefined {
    const { uses } = written;
    const ways = WAYS_TO_ANSWER.filter((way) => written[way] !== undefined);
    if (ways.length !== 1) {
      const problem =
        ways.length === 0 ? 'nothing says how it is answered' : `there are both ${quoted(ways).join(' and ')}`;
      this.#mistake(path, problem, `one of ${quoted(WAYS_TO_ANSWER).join(', ')}`);
      return undefined;
    }
    if (written.judge !== undefined) {
      for (const { field, problem, expected } of misplacedNextToJudge(written)) {
        this.#mistake([...path, field], problem, expected, this.#document.placeOfKey([...path, field]));
      }
      return undefined;
    }
    if (uses === undefined) {
      const at = [...path, 'with'];
      if (written.with !== undefined)
        this.#mistake(at, '`with` belongs to `uses`', 'no `with` next to `check`', this.#document.placeOfKey(at));
      return undefined;
    }
    const builtIn = BUILT_IN_CHECKS.get(uses);
    if (builtIn === undefined) {
      this.#mistake([...path, 'uses'], `there is no built-in check '${uses}'`, insteadOfCheck(uses));
      return undefined;
    }
    const { requires } = builtIn;
    if (requires !== undefined && !Object.hasOwn(Object(this.#document.value), requires)) {
      this.#mistake([...path, 'uses'], `'${uses}' needs a block \`${requires}\``, `\`${requires}\` in the suite`);
      return undefined;
    }
    // Mistakes of the block have been reported.
    if (requires !== undefined && this.#parts[requires === 'golden' ? 'golden' : 'policy'] === undefined)
      return undefined;
    return this.#withParameters(builtIn, written.with ?? {}, [...path, 'with']);
  }

  #withParameters(builtIn: BuiltInCheck, parameters: Readonly<Record<string, unknown>>, path: Path) {
    const parsed = builtIn.params.safeParse(parameters);
    if (parsed.success) return { ...builtIn, check: builtIn.make(parameters, this.#parts) };
    const document = this.#document;
    const origin = {
      file: document.file,
      placeOf: (inner: Path) => document.placeOf([...path, ...inner]),
      placeOfKey: (inner: Path) => document.placeOfKey([...path, ...inner]),
    };
    const known = Object.keys(builtIn.params.shape);
    const mistakes = shapeMistakes(parsed.error, origin, parameters, () => known);
    this.#mistakes.push(
      ...mistakes.map((mistake) => ({ ...mistake, path: [formatPath(path), mistake.path].filter(Boolean).join('.') })),
    );
    return undefined;
  }

  #condition(path: Path, text: string | undefined): ((subject: Subject) => boolean) | undefined {
    const program = text === undefined ? undefined : this.#compile(path, text, 'bool');
    if (program === undefined) return undefined;
    const scopeOf = this.#scopeOf;
    return (subject) => holds(program, scopeOf(subject));
  }

  #outcomes(): readonly OutcomeRule[] | undefined {
    const { outcomes, criteria } = this.#written;
    if (outcomes === undefined) return undefined;
    const names = criteria.map(({ name }) => name).filter(isCriterionName);
    const environment = outcomeEnvironment(this.#environment, [...new Set(names)]);
    const scopeOf = this.#scopeOf;
    return outcomes.map(({ outcome, when }, index) => {
      if (when === undefined) return { outcome };
      const path = ['outcomes', index, 'when'];
      const program = this.#compile(path, when, 'bool', 0, environment, names);
      if (program === undefined) return { outcome, when: () => false };
      const rule = (view: OutcomeView) => {
        const scope = scopeOf(view.subject);
        scope.setOutcome(view);
        return holds(program, scope);
      };
      return { outcome, when: rule, because: when.trim() };
    });
  }

  #compile(
    path: Path,
    text: string,
    gives: 'bool' | 'any',
    offset = 0,
    environment = this.#environment,
    criteria: readonly string[] = [],
  ): Program | undefined {
    const compiled = compileExpression(environment, text, { gives });
    if ('program' in compiled) return compiled.program;
    const { at, problem, expected } = compiled.mistake;
    const place = this.#document.placeInText(path, offset + (at ?? 0));
    const unknownCriterion = /^No such key: (\S+)/.exec(problem)?.[1];
    if (unknownCriterion !== undefined && text.includes(`criteria.${unknownCriterion}`)) {
      const nearest = didYouMean(unknownCriterion, criteria);
      this.#mistake(
        path,
        problem.replace(/^No such key: \S+/, `there is no criterion '${unknownCriterion}'`),
        nearest === undefined ? `one of ${criteria.join(', ')}` : `did you mean '${nearest}'?`,
        place,
      );
    } else this.#mistake(path, problem, expected, place);
    return undefined;
  }

  #mistake(path: Path, problem: string, expected: string, place: Place = this.#document.placeOf(path)): void {
    this.#mistakes.push({ file: this.#document.file, ...place, path: formatPath(path), problem, expected });
  }
}

function quoted(names: readonly string[]): readonly string[] {
  return names.map((name) => `\`${name}\``);
}
