/**
 * `assay release`: may this version get more traffic? It asks the service, adds what a gate found on cases, and answers
 * by its exit code, for scripts that roll out.
 */
import { readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import type { Command } from 'commander';
import { type GateJson, gateResult } from '../../api/gate.ts';
import { versionsCompared } from '../../api/versions.ts';
import { durationMs } from '../../config/quantities.ts';
import { errorMessage } from '../../model/error-message.ts';
import { tryParseJson } from '../../model/json.ts';
import { fleetOf } from '../../model/release.ts';
import { visibleJson } from '../../model/visible-text.ts';
import { unreadable } from '../../model/why-unreadable.ts';
import { CommandFailure, failUndecided, RELEASE_EXIT, undecidedUnlessHelp } from '../exit-codes.ts';
import { ask, askedPort, reading, serviceOf, tokenOption } from '../running-service.ts';
import { settingOption } from '../setting-option.ts';
import { safe, type Terminal } from '../terminal.ts';

interface ReleaseFlags extends Question {
  readonly agent: readonly string[];
  readonly gate?: string;
  readonly wait?: string;
  readonly url?: string;
  readonly token?: string;
  readonly config?: string;
  readonly httpPort?: string;
  readonly json?: boolean;
}

/** Parts that all agents have in common. */
interface Question {
  readonly against: string;
  readonly suite?: string;
  readonly environment?: string;
  readonly since?: string;
  readonly maxDrop: string;
}

const LOOK_EVERY_MS = 60_000;
/** The service compares one pair after the other. */
const ANSWER_MS = 60_000;

const HELP = `
  promote    its success rate is shown to be down by no more than --max-drop
  roll back  it is shown to be worse, on the cases of the gate or in traffic
  hold       neither is shown yet

Where both run beside each other, each is wrong in at most one of forty releases, however often it is asked. A gate has
its own error.
Exit codes: 0 promote, 1 roll back, 2 hold, 3 an error.

Examples:
  assay gate v2 --baseline v1 --json > gate.json
  assay release v2 --against v1 --agent shop --gate gate.json --wait 2h`;

export function addRelease(program: Command, terminal: Terminal): void {
  program
    .command('release')
    .description('decide whether a version that has some of the traffic may get more: promote, hold or roll back')
    .argument('<version>', 'the new version, as spans name it')
    .requiredOption('--against <version>', 'the version before')
    .requiredOption('--agent <agents...>', 'the agent, or several that get the version together')
    .option('--suite <suite>', 'the suite that decides (default: the first that the gate tested, or of the service)')
    .option('--environment <environment>', 'only conversations of this environment')
    .option('--since <time>', 'conversations since then (default: 30d)')
    .option('--max-drop <points>', 'points of the success rate that it may lose', '5')
    .option('--gate <file>', 'what `assay gate --json` wrote: evidence from cases counts as well')
    .option('--wait <duration>', 'while the answer is hold, ask each minute, for so long')
    .option('--url <url>', 'the service to ask (default: that of the configuration, on this machine)')
    .option('--json', 'print the answer as JSON')
    .addOption(tokenOption())
    .addOption(askedPort())
    .addOption(settingOption('config'))
    .addHelpText('after', HELP)
    .exitOverride(undecidedUnlessHelp)
    .action(async (version: string, flags: ReleaseFlags) => {
      const answer = await decided(terminal, version, flags).catch(failUndecided);
      terminal.out(flags.json === true ? visibleJson(answer) : safe(answer.sentence, 500));
      const code = RELEASE_EXIT[answer.decision];
      if (code !== 0) throw new CommandFailure('', code);
    });
}

async function decided(terminal: Terminal, version: string, flags: ReleaseFlags) {
  const gate = flags.gate === undefined ? undefined : gateIn(flags.gate);
  if (gate !== undefined) checkSides(terminal, gate, { version, against: flags.against });
  if (gate?.decision === 'regression')
    return { decision: 'roll_back' as const, sentence: `Roll back: the gate says so. ${gate.sentence}` };
  if (gate?.may_release === false)
    return { decision: 'hold' as const, sentence: `Hold: the gate says so. ${gate.sentence}` };
  const until = Date.now() + waitOf(flags.wait);
  let answer: Awaited<ReturnType<typeof askedOf>> = await askedOf(terminal, version, flags, gate);
  while (answer.decision === 'hold' && Date.now() < until) {
    terminal.err(safe(answer.sentence, 500));
    await wait(Math.min(LOOK_EVERY_MS, until - Date.now()));
    const before = answer;
    // A service that has answered, and restarts, is asked again.
    answer = await askedOf(terminal, version, flags, gate).catch((error: unknown) => {
      if (Date.now() >= until) throw error;
      terminal.err(safe(errorMessage(error), 500));
      return before;
    });
  }
  return answer;
}

/** A gate of other versions says nothing of these. An experiment may name none. */
function checkSides(
  terminal: Terminal,
  { candidate, baseline }: GateJson,
  asked: { readonly version: string; readonly against: string },
): void {
  for (const [side, version] of [
    [candidate, asked.version],
    [baseline, asked.against],
  ] as const) {
    if (side === null) continue;
    if (side.agent_version === null)
      terminal.err(safe(`--gate: ${side.name} names no version, and is taken to be ${version}`, 500));
    else if (side.agent_version !== version)
      throw new Error(
        `--gate: ${safe(side.name, 200)} is of version ${safe(side.agent_version, 200)}, not ${safe(version, 200)}`,
      );
  }
}

/** One agent after the other: the service compares one pair at a time. */
async function askedOf(terminal: Terminal, version: string, flags: ReleaseFlags, gate: GateJson | undefined) {
  const { agent: named, ...rest } = flags;
  const { url, token } = serviceOf(rest);
  const agents = [];
  let known = 0;
  let scoredBy = '';
  for (const agent of new Set(named)) {
    const question = new URL(questionOf(version, { ...rest, agent }, gate), url);
    const {
      release,
      suite,
      a: before,
    } = versionsCompared.parse(await ask(question, { ...reading(token), waitMs: ANSWER_MS }));
    known += before.conversations;
    scoredBy = suite;
    if (before.conversations === 0 && named.length > 1)
      terminal.err(
        safe(`no conversation of version ${flags.against} of ${agent} was scored by ${suite}: it is held`, 500),
      );
    agents.push({ agent, ...release });
  }
  // With a wrong name it would be held for ever.
  if (known === 0)
    throw new Error(
      `no conversation of version ${safe(flags.against, 200)} of ${safe(named.join(', '), 200)} was scored by ${safe(scoredBy, 200)}: are these their names?`,
    );
  const [one, ...others] = agents;
  if (one !== undefined && others.length === 0) return one;
  return {
    ...fleetOf(
      agents.map((each) => ({ ...each, traffic: each.evidence.traffic })),
      one?.evidence.cases ?? 1,
    ),
    agents,
  };
}

function questionOf(
  version: string,
  { agent, against: a, suite, environment, since, maxDrop }: Question & { readonly agent: string },
  gate: GateJson | undefined,
): string {
  const drop = Number(maxDrop);
  if (!(drop >= DROP_MIN && drop < 100))
    throw new Error(`--max-drop: points from ${DROP_MIN} to below 100: 5 is from 90 % to 85 %`);
  const found = gate === undefined ? undefined : foundIn(gate, suite);
  const query = { suite, ...found, agent, a, b: version, environment, since, smallest: String(drop / 100) };
  const given = Object.entries(query).filter((one): one is [string, string] => one[1] !== undefined);
  return `/api/v1/versions/compare?${new URLSearchParams(given)}`;
}

/** A share such as 0.05 is meant as 5. */
const DROP_MIN = 0.5;

/** Results of the gate about success, of the suite that is asked about, or of the first that it tested. */
function foundIn({ rules: all }: GateJson, asked: string | undefined) {
  const tested = all.filter((rule) => 'tests' in rule && rule.tests.some(({ of }) => of === 'success'));
  const suite = asked ?? tested[0]?.suite;
  const rules = all.filter((rule) => rule.suite === suite);
  const [test] = rules.flatMap((rule) => ('tests' in rule ? rule.tests : [])).filter(({ of }) => of === 'success');
  if (test === undefined) throw new Error('--gate: no rule of it tested success: write `cases_worse: by chance`');
  // An open limit of any suite holds the release.
  const limits = all.filter((one) => 'on_these_cases' in one && one.on_these_cases);
  const cases = limits.length === 0 ? undefined : limits.every(({ decision }) => decision === 'pass') ? 'kept' : 'open';
  return { suite, evidence: String(Math.min(test.evidence ?? 1, EVIDENCE_MAX)), cases };
}

/** More says nothing more. */
const EVIDENCE_MAX = 1e9;

function gateIn(file: string): GateJson {
  const parsed = gateResult.safeParse(tryParseJson(textOf(file)));
  if (!parsed.success) throw new Error(`--gate: ${safe(file, 200)} is not what \`assay gate --json\` writes`);
  return parsed.data;
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new Error(unreadable(file, error));
  }
}

const waitSchema = durationMs({ min: 0, max: 7 * 86_400_000 });

function waitOf(text: string | undefined): number {
  if (text === undefined) return 0;
  const parsed = waitSchema.safeParse(text);
  if (!parsed.success) throw new Error('--wait: a time up to a week, such as 30m or 2h');
  return parsed.data;
}
