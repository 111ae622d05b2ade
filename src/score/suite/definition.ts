/**
 * Describes as text what the verdicts of a suite depend on, to find the criteria that two versions of a suite would
 * answer in the same way. Weights, caps, outcome rules and what is only said to people (questions of checks, reasons,
 * evidence) are not in it.
 *
 * Code is undefined here, and equal to nothing, because nothing is known of it.
 */
import { createHash } from 'node:crypto';
import type { ToolNames } from '../../model/tool-names.ts';
import type { Judged } from '../judge/judged-criterion.ts';
import type { Need } from '../subject/needs.ts';

/** Definition of the suite as a whole. */
interface WrittenDefinition {
  /** Inputs of criteria besides the conversation: extracts, golden traces, the tool policy, the described tools. */
  readonly sight: string | undefined;
  readonly match: string | undefined;
  readonly completed: string | undefined;
  readonly failed: string | undefined;
}

export interface SuiteDefinition extends WrittenDefinition {
  /**
   * Key that is equal for suites whose criteria have the same names, in the same order, and are known to answer alike.
   */
  readonly id: string;
}

/** Definitions as an author writes them, without code. */
export interface WrittenDefinitions {
  /** All of it. */
  readonly text: string;
  readonly suite: WrittenDefinition;
  /** Criteria by place; only `when` of those for a judge is read. */
  readonly criteria: readonly { readonly check: string | undefined; readonly when: string | undefined }[];
}

const ID_LENGTH = 16;
/** Text of conditions that are not written. */
const BY_DEFAULT = '';

export function criterionDefinition(
  criterion: {
    readonly needs: readonly Need[];
    readonly when: unknown;
    readonly judged: Judged | undefined;
    /** Which built-in judgment it uses. */
    readonly uses: string | undefined;
  },
  written: WrittenDefinitions['criteria'][number] | undefined,
): string | undefined {
  const { needs, judged, uses } = criterion;
  const when = criterion.when === undefined ? BY_DEFAULT : written?.when;
  if (when === undefined) return undefined;
  if (judged === undefined) {
    return written?.check === undefined ? undefined : JSON.stringify([needs, when, written.check]);
  }
  const { judge, question, guidance, sees, shared, gradesAtLeast } = judged;
  return JSON.stringify([needs, when, judge, uses ?? null, question, guidance, sees, shared, gradesAtLeast ?? null]);
}

/** Definition of a suite that may be code; absent parts are known. */
export function definitionOfCode(
  suite: {
    readonly match?: { readonly whyNot?: unknown } | undefined;
    readonly extract?: unknown;
    readonly golden?: unknown;
    readonly toolPolicy?: unknown;
    readonly tools?: ToolNames;
    readonly completed?: unknown;
    readonly failed?: unknown;
  },
  configured?: ToolNames,
): WrittenDefinition {
  const { match, extract, golden, toolPolicy, tools, completed, failed } = suite;
  const seesMore = extract !== undefined || golden !== undefined || toolPolicy !== undefined;
  return {
    sight: seesMore ? undefined : sightOf([tools, configured]),
    match: match?.whyNot === undefined ? JSON.stringify(match ?? null) : undefined,
    completed: completed === undefined ? BY_DEFAULT : undefined,
    failed: failed === undefined ? BY_DEFAULT : undefined,
  };
}

/** Inputs of criteria besides the conversation, as text. */
export function sightOf(parts: readonly unknown[]): string {
  return parts.some((part) => part !== undefined) ? JSON.stringify(parts) : BY_DEFAULT;
}

export function suiteDefinition(
  { sight, match, completed, failed }: WrittenDefinition,
  scope: string,
  criteria: readonly { readonly name: string; readonly definition: string | undefined }[],
): SuiteDefinition {
  const parts = [scope, sight, match, completed, failed, criteria.map(({ name, definition }) => [name, definition])];
  const text = JSON.stringify(parts, (_, value: unknown) => (value === undefined ? null : value));
  const id = createHash('sha256').update(text).digest('hex').slice(0, ID_LENGTH);
  return { id, sight, match, completed, failed };
}
