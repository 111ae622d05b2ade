/**
 * An expression, parsed and type-checked when the suite is loaded, evaluated against a scope.
 *
 * Evaluating has several ends, because absence is not falsehood: a value; `absent`, where something the expression
 * reads is not there, and `gap`, where it was not recorded (the check is then not applicable); or an error. `has(x.y)`,
 * `x.?y.orValue(z)` and `x == null` are the ways to ask about absence itself.
 */
import type { TurnTest } from './turn-test.ts';

export type Evaluated =
  | { readonly kind: 'value'; readonly value: unknown }
  /** `root` is the variable that the absent thing would have been part of, where that is known; `of` an argument, the call is there. */
  | {
      readonly kind: 'absent';
      readonly reason: string;
      readonly root: string | undefined;
      readonly of: 'argument' | 'other';
    }
  /** Content that was not recorded whole: not even its absence is certain. */
  | { readonly kind: 'gap'; readonly reason: string }
  | { readonly kind: 'error'; readonly reason: string };

export interface Program {
  readonly text: string;
  /** The static type: 'bool', 'dyn', 'string', 'list<ToolCall>', ... */
  readonly type: string;
  /** An expression that holds for a turn of each conversation for which this one holds; undefined where there is none. */
  readonly turnCondition: string | undefined;
  /** Test of a turn that is equivalent to the expression, if it is simple enough to need no evaluation. */
  readonly turnTest: TurnTest | undefined;
  /** True if the value is always the same, because it reads nothing of the conversation. */
  readonly isConstant: boolean;
  /** Fields of arguments, results and state, as written, without which it has no value; those of the extracts it reads among them. */
  fieldsRead(extracts: ReadonlyMap<string, Program>): readonly string[];
  /** Whether nothing that it reads, by itself or through extracts, is evidence that the task was done. */
  readsFormOnly(extracts: ReadonlyMap<string, Program>): boolean;
  /** Whether it asks for steps that are tools. */
  seeksTools(extracts: ReadonlyMap<string, Program>): boolean;
  run(scope: object): Evaluated;
  /** Why it was false, with the values compared. To be asked right after it was. */
  describeFalse(scope: object): string;
}
