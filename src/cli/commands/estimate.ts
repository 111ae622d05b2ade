/** `assay estimate`: how many conversations went well for their users, from readings in the running service. */
import { userInfo } from 'node:os';
import { type Command, Option } from 'commander';
import { type EstimateAnswer, estimateAnswer } from '../../api/estimate.ts';
import { facets } from '../../api/facets.ts';
import { CommandFailure, EXIT } from '../exit-codes.ts';
import { keysOfTerminal, readConversations } from '../read-conversations.ts';
import { printEstimate, printExplained } from '../print-estimate.ts';
import { ask, askedPort, reading, type ServiceFlags, serviceOf, tokenOption } from '../running-service.ts';
import { settingOption } from '../setting-option.ts';
import { safe, type Terminal } from '../terminal.ts';

const HELP = `
Readings are put there with --read, on the page, or with \`assay labels import <file> --readings\`.

Examples:
  assay estimate --agent shop
  assay estimate --agent shop --since 30d --read --by ana`;

const NO_KEYS =
  '--read waits for keys and needs a terminal; import a file with `assay labels import <file> --readings`';

type EstimateFlags = ServiceFlags & {
  readonly [Name in 'agent' | 'agentVersion' | 'environment' | 'segment' | 'since' | 'by']?: string;
} & { readonly explain?: boolean; readonly read?: boolean };

export function addEstimate(program: Command, terminal: Terminal): void {
  program
    .command('estimate')
    .description('estimate how many conversations went well for their users, from those that people have read')
    .option('--agent <name>', 'the agent (default: the only one since --since, else a line for each)')
    .option('--agent-version <version>', 'conversations of this version only')
    .option('--environment <name>', 'conversations in this environment only')
    .option('--segment <name>', 'conversations of this segment only')
    .option('--since <time>', 'conversations that began since then, a duration or a time (default: 7d)')
    .option('--explain', 'print all that the interval is computed from')
    .addOption(new Option('--read', 'show conversations one by one, and ask how each went').conflicts('json'))
    .option('--by <person>', 'with --read: your name (default: that of your account on this machine)')
    .option('--url <url>', 'the service to ask (default: that of the configuration, on this machine)')
    .option('--json', 'print the answer of the API')
    .addOption(settingOption('config'))
    .addOption(tokenOption())
    .addOption(askedPort())
    .addHelpText('after', HELP)
    .action(async (flags: EstimateFlags) => {
      const agents = flags.agent === undefined ? await agentsOf(flags) : [flags.agent];
      const [agent = ''] = agents;
      if (agents.length === 1) await estimateOf(agent, flags, terminal);
      else await estimateOfEach(agents, flags, terminal);
    });
}

/** Agents of the window: those of an older one may have ended. */
async function agentsOf(flags: EstimateFlags): Promise<readonly string[]> {
  const { url, token } = serviceOf(flags);
  const { since } = flags;
  const { agents } = facets
    .pick({ agents: true })
    .loose()
    .parse(
      await ask(
        new URL(`/api/v1/facets${since === undefined ? '' : `?since=${encodeURIComponent(since)}`}`, url),
        reading(token),
      ),
    );
  if (agents.length === 0)
    throw new CommandFailure(
      `${url} has evaluated no conversation ${since === undefined ? 'in 30 days' : `since ${safe(since, 40)}`}: give --agent, or an earlier --since`,
      EXIT.input,
    );
  return agents;
}

async function estimateOf(agent: string, flags: EstimateFlags, terminal: Terminal): Promise<void> {
  if (flags.read === true) {
    if (!process.stdin.isTTY || !process.stdout.isTTY) throw new CommandFailure(NO_KEYS, EXIT.usage);
    const service = serviceOf(flags);
    const { idKeys } = service.settings.conversation;
    const by = flags.by ?? userInfo().username;
    await readConversations(terminal, keysOfTerminal(), { service, by, idKeys, query: queryOf(agent, flags) });
  }
  const answer = await answerOf(agent, flags);
  if (flags.json === true) {
    terminal.json(answer);
    return;
  }
  printEstimate(terminal, answer);
  if (answer.explained !== undefined) printExplained(terminal, answer, answer.explained);
}

async function estimateOfEach(agents: readonly string[], flags: EstimateFlags, terminal: Terminal): Promise<void> {
  if (flags.read === true || flags.explain === true) {
    const there = agents.map((name) => safe(name, 80)).join(', ');
    throw new CommandFailure(`there are several agents: --agent with one of ${there}`, EXIT.usage);
  }
  const answers: EstimateAnswer[] = [];
  for (const agent of agents) answers.push(await answerOf(agent, flags));
  if (flags.json === true) terminal.json(answers);
  else for (const { agent, says } of answers) terminal.out(`${safe(agent, 80)}: ${safe(says, 600)}`);
}

async function answerOf(agent: string, flags: EstimateFlags): Promise<EstimateAnswer> {
  const { url, token } = serviceOf(flags);
  const asked = new URL(`/api/v1/estimate?${queryOf(agent, flags)}`, url);
  if (flags.explain === true) asked.searchParams.set('explain', 'true');
  return estimateAnswer.parse(await ask(asked, reading(token)));
}

function queryOf(agent: string, { agentVersion, environment, segment, since }: EstimateFlags): string {
  const given = { agent, agent_version: agentVersion, environment, segment, since };
  return new URLSearchParams(
    Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  ).toString();
}
