/**
 * Gives suites in TypeScript what suites in YAML have, so that both can be mixed: expressions, and the built-in checks
 * by name.
 *
 *     const refund = expressions({ refund: "last(tools('refund_order')).result" });
 *     …
 *     { name: 'right', question: 'Right amount?', weight: 0.6, check: refund.check('refund.amount == truth.amount') },
 *     { name: 'no_loop', question: 'No loop?', weight: 0.4, ...uses('no_identical_loop', { in_a_row: 3 }) },
 *
 * They are compiled when the module is loaded; a mistake is thrown then, and shown with the module.
 */
import { didYouMean } from '../../model/did-you-mean.ts';
import { formatMistakes } from '../../model/mistake.ts';
import { shapeMistakes } from '../../model/shape-mistakes.ts';
import { checkEnvironment } from '../cel/environment.ts';
import { compileExpression } from '../cel/compile-expression.ts';
import type { Program } from '../cel/program.ts';
import { scopeMaker } from '../cel/scope.ts';
import { BUILT_IN_CHECKS } from '../checks/built-in-checks.ts';
import { isCriterionName } from './compile-suite.ts';
import type { Need } from '../subject/needs.ts';
import type { Subject } from '../subject/subject.ts';
import type { Answer, NotApplicable } from '../subject/answer.ts';
import { applies, expressionCheck, holds } from '../yaml/expression-check.ts';
import { compileReason } from '../yaml/reason.ts';

export interface ExpressionOptions {
  /** Why it failed, with expressions in double braces; or of either answer. */
  readonly reason?: string | { readonly pass?: string; readonly fail?: string };
  /** An expression that gives the calls or steps to look at. */
  readonly evidence?: string;
}

export interface Expressions {
  check(expression: string, options?: ExpressionOptions): (subject: Subject) => Answer;
  /** Compiles an expression of `when`. */
  when(expression: string): (subject: Subject) => boolean | NotApplicable;
  /** Compiles an expression of `completed` or `failed`. */
  holds(expression: string): (subject: Subject) => boolean;
}

/** Expressions as in YAML, with their extracts, of which each may use those above it. */
export function expressions(extract: Readonly<Record<string, string>> = {}): Expressions {
  const environment = checkEnvironment();
  const extracts = new Map<string, Program>();
  const compile = (text: string, gives: 'bool' | 'any'): Program => {
    const compiled = compileExpression(environment, text, { gives });
    if ('program' in compiled) return compiled.program;
    throw new Error(`${text.trim()}: ${compiled.mistake.problem}; expected: ${compiled.mistake.expected}`);
  };
  for (const [name, text] of Object.entries(extract)) {
    if (!isCriterionName(name) || environment.hasVariable(name)) {
      throw new Error(`'${name}' cannot be the name of an extract, or is that of something else`);
    }
    const program = compile(text, 'any');
    // Has type dyn, because it is null if its input is absent.
    environment.registerVariable(name, 'dyn');
    extracts.set(name, program);
  }
  const scopeOf = scopeMaker(extracts);
  const reasonOf = (text: string | undefined) =>
    text === undefined ? undefined : compileReason(text, (expression) => compile(expression, 'any'));
  return {
    check: (text, { reason, evidence } = {}) => {
      const { pass, fail } = typeof reason === 'string' ? { pass: undefined, fail: reason } : (reason ?? {});
      return expressionCheck({
        program: compile(text, 'bool'),
        evidence: evidence === undefined ? undefined : compile(evidence, 'any'),
        reasons: { pass: reasonOf(pass), fail: reasonOf(fail) },
        scopeOf,
      });
    },
    when: (text) => applies(compile(text, 'bool'), scopeOf),
    holds: (text) => {
      const program = compile(text, 'bool');
      return (subject) => holds(program, scopeOf(subject));
    },
  };
}

interface BuiltInParts {
  readonly check: (subject: Subject) => Answer;
  readonly needs: readonly Need[];
  readonly critical?: boolean;
  readonly readsTaskTruth?: true;
}

/** A built-in check as parts of a criterion. Checks of golden traces and tool policy have functions of their own. */
export function uses(name: string, parameters: Readonly<Record<string, unknown>> = {}): BuiltInParts {
  const builtIn = BUILT_IN_CHECKS.get(name);
  if (builtIn === undefined || builtIn.requires !== undefined) {
    const known = [...BUILT_IN_CHECKS].filter(([, { requires }]) => requires === undefined).map(([one]) => one);
    const nearest = didYouMean(name, known);
    const expected = nearest === undefined ? `one of ${known.join(', ')}` : `did you mean '${nearest}'?`;
    throw new Error(`there is no built-in check '${name}' to use like this; ${expected}`);
  }
  const parsed = builtIn.params.safeParse(parameters);
  if (!parsed.success) {
    const nowhere = { line: undefined, column: undefined };
    const origin = { file: `uses('${name}')`, placeOf: () => nowhere, placeOfKey: () => nowhere };
    const known = Object.keys(builtIn.params.shape);
    throw new Error(formatMistakes(shapeMistakes(parsed.error, origin, parameters, () => known)));
  }

  const { needs, isCritical, readsTaskTruth } = builtIn;
  return {
    check: builtIn.make(parameters),
    needs,
    ...(isCritical !== undefined && { critical: isCritical }),
    ...(readsTaskTruth !== undefined && { readsTaskTruth }),
  };
}
