/** `assay watch`: conversations as the running service scores them, one line each. */
import type { Command } from 'commander';
import type { ConversationItem } from '../../api/conversation-list.ts';
import { isFailure } from '../../model/severity.ts';
import { apiOfService } from '../api-of-service.ts';
import { conversationLine, shownEvaluation } from '../conversation-line.ts';
import { type FollowState, followConversations } from '../live-conversations.ts';
import { load } from '../load.ts';
import { refuseUnknownSuites } from '../refuse-unknown-suites.ts';
import { askedPort, askedService, type ServiceFlags, tokenOption } from '../running-service.ts';
import { settingOption } from '../setting-option.ts';
import type { Terminal } from '../terminal.ts';

type WatchFlags = ServiceFlags & { readonly agent?: string; readonly suite?: string; readonly failed?: boolean };

const STATES = {
  watching: (url) => `watching ${url}`,
  away: (url) => `${url} does not answer: waiting for it`,
  back: (url) => `${url} answers again`,
} as const satisfies Readonly<Record<FollowState, (url: string) => string>>;

const HELP = `
A line is when it was scored, the agent and its version, the outcome, the score, the first criterion that failed, and
the conversation, for \`assay explain\`. Of several suites, the one with the worst outcome is shown. A conversation that
goes on is shown again. Of several instances, those that the asked one scores are shown. Ctrl-C ends it.`;

export function addWatch(program: Command, terminal: Terminal): void {
  program
    .command('watch')
    .description('show conversations as the running service scores them, one line each')
    .option('--agent <name>', 'only conversations of this agent')
    .option('--suite <name>', 'only what this suite says')
    .option('--failed', 'only conversations with a failed outcome')
    .option('--url <url>', 'the service to ask (default: that of the configuration, on this machine)')
    .option('--json', 'print each conversation as a line of JSON, as /api/v1/conversations lists it')
    .addOption(tokenOption())
    .addOption(askedPort())
    .addOption(settingOption('config'))
    .addHelpText('after', HELP)
    .action(async (flags: WatchFlags) => {
      const { settings } = await load({ config: flags.config, httpPort: flags.httpPort }, { secrets: "the store's" });
      const service = askedService(flags, settings);
      await refuseUnknownSuites(flags.suite === undefined ? [] : [flags.suite], apiOfService(service));
      const stopped = new AbortController();
      for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stopped.abort());
      const onChange = (state: FollowState) => terminal.err(STATES[state](service.url));
      for await (const item of followConversations(service, { signal: stopped.signal, onChange })) {
        if (!isWanted(item, flags)) continue;
        if (flags.json === true) terminal.json(item);
        else terminal.out(conversationLine(terminal, item, { suite: flags.suite, width: process.stdout.columns }));
      }
    });
}

function isWanted(item: ConversationItem, { agent, suite, failed }: WatchFlags): boolean {
  if (agent !== undefined && item.agent !== agent) return false;
  const shown = shownEvaluation(item, suite);
  return (
    (suite === undefined || shown !== undefined) &&
    (failed !== true || (shown !== undefined && isFailure(shown.outcome)))
  );
}
