/** The blocks `golden` and `tool_policy` of a suite, and what is wrong with them or with the files that they name. */
import type { Mistake } from '../../model/mistake.ts';
import type { Path } from '../../model/written-document.ts';
import { patternMistake } from '../cel/linear-regex.ts';
import type { GoldenFiles } from '../trajectory/golden-files.ts';
import { type Judging, seenBy } from '../judge/judged-criterion.ts';
import type { SuiteParts } from '../trajectory/assess-run.ts';
import { type GoldenChoice, GoldenLibrary } from '../trajectory/golden-library.ts';
import { type ReportMistake, readArguments } from '../trajectory/read-arguments.ts';
import { type ForbiddenCall, PolicyGuard } from '../trajectory/tool-policy.ts';
import type { WrittenGolden, WrittenToolPolicy } from './trajectory-shape.ts';

interface WrittenParts {
  readonly golden?: WrittenGolden | undefined;
  readonly tool_policy?: WrittenToolPolicy | undefined;
  readonly criteria: readonly { readonly uses?: string | undefined; readonly judge?: Judging | undefined }[];
}

const POLICY_CHECK = 'no_unsafe_action';
const GOLDEN_CHECKS = [
  'follows_golden_path',
  'trajectory_score',
  'within_step_budget',
  'output_contains',
  'more_concise',
];

export function readSuiteParts(
  written: WrittenParts,
  {
    files,
    mistake,
    add,
  }: {
    readonly files: GoldenFiles;
    readonly mistake: ReportMistake;
    /** Adds mistakes in other files than the suite's. */
    readonly add: (mistakes: readonly Mistake[]) => void;
  },
): SuiteParts {
  const { golden, tool_policy: policy, criteria } = written;
  const uses = (names: readonly string[]) =>
    criteria.some(({ uses: name }) => name !== undefined && names.includes(name));
  const isJudgedBy = criteria.some(({ judge }) => judge !== undefined && seenBy(judge).has('golden'));
  if (golden !== undefined && !isJudgedBy && !uses([...GOLDEN_CHECKS, POLICY_CHECK])) {
    const problem = 'no criterion asks about the golden traces';
    mistake(['golden'], problem, `a criterion with \`uses\`: ${GOLDEN_CHECKS.slice(0, 4).join(', ')}`);
  }
  if (policy !== undefined && !uses([POLICY_CHECK])) {
    mistake(['tool_policy'], 'no criterion asks about the tool policy', `a criterion with \`uses: ${POLICY_CHECK}\``);
  }
  return {
    golden: golden === undefined ? undefined : readLibrary(golden, files, mistake, add),
    policy: policy === undefined ? undefined : readPolicy(policy, mistake),
  };
}

export function readLibrary(
  { files: references, choose = {}, writes, reads }: WrittenGolden,
  files: GoldenFiles,
  mistake: ReportMistake,
  add: (mistakes: readonly Mistake[]) => void,
): GoldenLibrary {
  const list = typeof references === 'string' ? [references] : references;
  const { traces, mistakes, unread } = files(list);
  for (const [index, problem] of unread) {
    mistake(
      typeof references === 'string' ? ['golden', 'files'] : ['golden', 'files', index],
      problem,
      'a file or folder of golden traces',
    );
  }
  if (list.length === 0) mistake(['golden', 'files'], 'no files are named', 'files or folders of golden traces');
  add(mistakes);
  const choice: Partial<GoldenChoice> = {
    ...(choose.scenario !== undefined && { scenario: choose.scenario }),
    ...(choose.tags !== undefined && { tags: choose.tags }),
    ...(choose.similarity !== undefined && { similarity: choose.similarity }),
  };
  return new GoldenLibrary(traces, choice, { writes, reads });
}

export function readPolicy(written: WrittenToolPolicy, mistake: ReportMistake): PolicyGuard {
  const at = (...inner: Path): Path => ['tool_policy', ...inner];
  const forbidden = (written.forbidden ?? []).map((entry, index): ForbiddenCall => {
    if (typeof entry === 'string') return { tool: entry, args: undefined, because: undefined };
    const { tool, args, because } = entry;
    const path = at('forbidden', index);
    const read = args === undefined ? undefined : readArguments({ args }, { path, argsKey: 'args', mistake });
    return { tool, args: read, because };
  });
  const confirmFirst = (written.confirm_first ?? []).map(({ tool, by, by_user: byUser }, index) => {
    const path = at('confirm_first', index);
    if (by === undefined && byUser === undefined) {
      mistake(path, 'nothing says what confirms it', '`by`: a tool, or `by_user`: a pattern for what the user says');
    }
    const problem = byUser === undefined ? undefined : patternMistake(byUser);
    if (problem !== undefined) mistake([...path, 'by_user'], problem, 'a pattern in RE2 syntax');
    return { tool, by, byUser };
  });
  if (Object.keys(written).length === 0)
    mistake(at(), 'the policy says nothing', 'what is allowed, forbidden or limited');
  return new PolicyGuard({
    allowed: written.allowed,
    forbidden,
    confirmFirst,
    maxCalls: written.max_calls,
    maxCallsOf: new Map(Object.entries(written.max_calls_of ?? {})),
  });
}
