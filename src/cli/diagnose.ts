/**
 * Says what a running service received, what became of it, what is missing, and in what its agents fail: from what it exports as metrics, so the two cannot disagree.
 * Process counters begin at zero with each start of the service; evaluations are totals of its store.
 */
import type { ExporterList } from '../api/exporters.ts';
import { counted } from '../model/counted.ts';
import { DOUBT_WORDS, doubtText } from '../model/doubts.ts';
import { DOUBTS } from '../model/turn.ts';
import { SILENT_TURNS } from '../model/exporter-traffic.ts';
import { TURN_FATES, type TurnFate } from '../model/events/scoring-events.ts';
import { type RefuseReason, REFUSE_REASONS } from '../model/events/receive-events.ts';
import { FAILED_OUTCOMES } from '../model/severity.ts';
import type { Scrape } from './scraped-series.ts';

export interface Diagnosis {
  readonly facts: readonly Fact[];
  /** The most urgent first. */
  readonly advice: readonly Advice[];
  /** Failures of the agents, by suite; `advice` is about the service. */
  readonly agents: readonly Advice[];
}

interface Fact {
  readonly about: string;
  readonly text: string;
}

interface Advice {
  readonly problem: string;
  readonly remedy: string;
}

export interface Observed {
  readonly scrape: Scrape;
  /** Why the service is not ready; empty if it is. */
  readonly notReady: readonly string[];
  /** Needs of criteria by `suite/criterion`, as far as they are known. */
  readonly needs?: ReadonlyMap<string, readonly string[]>;
  /** A conversation among the worst of each suite, as far as they are known. */
  readonly worst?: ReadonlyMap<string, string>;
  /** Exporters that neither Assay nor the configuration knows, as far as they can be had. */
  readonly exporters?: ExporterList['exporters'];
  /** Address to which agents send their spans. */
  readonly otlp: string;
}

const NAMES_SHOWN = 5;
const CRITERIA_SHOWN = 3;
/** Fewer may all be about something else. */
const NEVER_SCORED_MIN = 10;
const BEHIND_FROM_SECONDS = 30;
/** Share of a criterion's verdicts. Below it, only a few conversations lacked something. */
const UNDECIDED_SHARE = 0.5;

/** Turns that brought nothing to score, and what to do; `undefined` where nothing is wrong. */
const REMEDIES = {
  stored: undefined,
  revised: undefined,
  'stored-already': undefined,
  duplicate: undefined,
  'too-late': 'find out what holds the spans back for more than a day',
  pruned: 'raise `store.keep`: the conversation had been deleted',
  forgotten: 'nothing to do: somebody asked for its conversation or its user to be forgotten',
  'over-limit': 'raise `turn.max_bytes`, or end traces sooner',
  'logs-without-spans': 'export the spans of the same traces as well',
  'no-agent-steps':
    'nothing to do if other services send here too; an agent that is among them is not understood: docs/start/frameworks.md',
  'not-understood': 'read the log: it names the trace and the reason',
} satisfies Record<TurnFate, string | undefined>;

const REFUSAL_REMEDIES = {
  malformed: 'the client does not send OTLP: check its exporter and its endpoint',
  'too-large': 'send smaller batches: a request has at most 64 MiB',
  'unsupported-type': 'send protobuf or JSON',
  'unsupported-encoding': 'send gzip, deflate, zstd or no compression',
  'unknown-path': 'the endpoint is the address alone; exporters add /v1/traces',
  'wrong-method': 'exporters use POST; a browser or a health check asks another port',
  access: 'give the client a token: `assay token create --role ingest`; `assay_access_refused_total` says why',
  overloaded: 'clients retry; add an instance if it lasts',
  'not-admitted': 'clients retry; the journal is full or cannot be written: read the log',
  aborted: 'the client ended the connection: raise the timeout of its exporter',
  timeout: 'the client was too slow',
  internal: 'read the log, and report it',
} satisfies Record<RefuseReason, string>;

export function diagnose(observed: Observed): Diagnosis {
  const { scrape } = observed;
  return {
    facts: [received(scrape), turns(scrape), ...evaluations(scrape), agents(scrape)],
    advice: adviceOf(observed),
    agents: failing(observed),
  };
}

/** Suites in whose evaluations an agent failed. */
export function failingSuites(scrape: Scrape): readonly string[] {
  const suites = scrape.by('suite', 'assay_evaluations_total').map(([suite]) => suite);
  return suites.slice(0, NAMES_SHOWN).filter((suite) => failedIn(scrape, suite) > 0);
}

function failedIn(scrape: Scrape, suite: string): number {
  return FAILED_OUTCOMES.reduce((sum, outcome) => sum + lasting(scrape, 'evaluations', { suite, outcome }), 0);
}

function failing({ scrape, worst }: Observed): readonly Advice[] {
  return failingSuites(scrape).map((suite) => {
    const all = lasting(scrape, 'evaluations', { suite });
    const criteria = scrape
      .by('criterion', 'assay_verdicts_total', { suite, verdict: 'fail' })
      .map(([criterion]) => [criterion, lasting(scrape, 'verdicts', { suite, criterion, verdict: 'fail' })] as const)
      .filter(([, count]) => count > 0)
      .slice(0, CRITERIA_SHOWN)
      .map(([criterion, count]) => `${criterion} (${count})`);
    const most = criteria.length === 0 ? '' : `, most of them ${criteria.join(', ')}`;
    const id = worst?.get(suite);
    return {
      problem: `${suite}: ${failedIn(scrape, suite)} of ${counted(all, 'evaluation')} failed${most}`,
      remedy:
        id === undefined
          ? `list the worst: /api/v1/conversations?suite=${encodeURIComponent(suite)}&order=worst`
          : `read one of the worst: npx assay explain ${quoted(id)}`,
    };
  });
}

/** Late spans are corrected: the total less its twin. */
function lasting(scrape: Scrape, of: 'evaluations' | 'verdicts', where: Readonly<Record<string, string>>): number {
  return scrape.sum(`assay_${of}_total`, where) - scrape.sum(`assay_${of}_withdrawn_total`, where);
}

/** Id quoted for a shell. */
function quoted(id: string): string {
  return /^[\w.:@/-]+$/.test(id) ? id : `'${id.replaceAll("'", String.raw`'\''`)}'`;
}

function received(scrape: Scrape): Fact {
  const [spans, logs] = ['traces', 'logs'].map(
    (signal) =>
      scrape.sum('assay_received_records_total', { signal }) + scrape.sum('assay_kafka_rows_total', { signal }),
  );
  const refused = scrape.sum('assay_refused_requests_total');
  const parts = [
    counted(spans ?? 0, 'span'),
    ...(logs === 0 ? [] : [counted(logs ?? 0, 'log record')]),
    ...(refused === 0 ? [] : [`${counted(refused, 'request')} refused`]),
  ];
  return { about: 'received', text: parts.join(', ') };
}

function turns(scrape: Scrape): Fact {
  const open = scrape.sum('assay_open_turns');
  const queued = scrape.sum('assay_scoring_queue_length');
  const parts = [
    `${scrape.sum('assay_turns_scored_total')} scored`,
    ...(open === 0 ? [] : [`${open} open`]),
    ...(queued === 0 ? [] : [`${queued} queued`]),
    ...lost(scrape).map(([fate, count]) => `${count} ${fate}`),
  ];
  return { about: 'turns', text: parts.join(', ') };
}

function lost(scrape: Scrape): readonly (readonly [TurnFate, number])[] {
  return TURN_FATES.filter((fate) => REMEDIES[fate] !== undefined)
    .map((fate) => [fate, scrape.sum('assay_turns_closed_total', { fate })] as const)
    .filter(([, count]) => count > 0);
}

/** A line for each suite. */
function evaluations(scrape: Scrape): readonly Fact[] {
  const suites = scrape.by('suite', 'assay_evaluations_total');
  if (suites.length === 0) return [{ about: 'evaluations', text: 'none yet' }];
  return suites.slice(0, NAMES_SHOWN).map(([suite]) => {
    const outcomes = scrape.by('outcome', 'assay_evaluations_total', { suite }).flatMap(([outcome]) => {
      const left = lasting(scrape, 'evaluations', { suite, outcome });
      return left <= 0 ? [] : [`${left} ${outcome.replaceAll('_', ' ')}`];
    });
    return { about: suite, text: outcomes.join(', ') };
  });
}

function agents(scrape: Scrape): Fact {
  const versions = new Map<string, Set<string>>();
  for (const { labels, value } of scrape.of('assay_evaluations_total')) {
    if (value === 0) continue;
    const agent = labels.get('agent') ?? '';
    versions.set(agent, (versions.get(agent) ?? new Set()).add(labels.get('agent_version') ?? ''));
  }
  const shown = [...versions].map(([agent, of]) => `${agent} (${[...of].slice(0, NAMES_SHOWN).join(', ')})`);
  const more = shown.length - NAMES_SHOWN;
  const text = `${shown.slice(0, NAMES_SHOWN).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
  return { about: 'agents', text: text === '' ? 'none yet' : text };
}

function adviceOf(observed: Observed): readonly Advice[] {
  const { scrape, notReady } = observed;
  return [
    ...notReady.map((reason) => ({ problem: `not ready: ${reason}`, remedy: 'read the log' })),
    ...flagged(scrape),
    ...nothingReceived(observed),
    ...REFUSE_REASONS.flatMap((reason) => {
      const count = scrape.sum('assay_refused_requests_total', { reason });
      return count === 0
        ? []
        : [{ problem: `${counted(count, 'request')} refused (${reason})`, remedy: REFUSAL_REMEDIES[reason] }];
    }),
    ...lost(scrape).map(([fate, count]) => ({
      problem: `${counted(count, 'turn')} not scored (${fate})`,
      remedy: REMEDIES[fate] ?? '',
    })),
    ...behind(scrape),
    ...unscored(scrape),
    ...doubted(scrape),
    ...unknownExporters(observed),
    ...undecided(observed),
    ...neverScored(scrape),
    ...unnamed(scrape),
  ];
}

const FLAGS: readonly (readonly [metric: string, bad: number, problem: string, remedy: string])[] = [
  [
    'assay_insecure_no_auth',
    1,
    'everybody who reaches it can read and send',
    'create tokens: docs/operate/security.md',
  ],
  ['assay_config_last_reload_successful', 0, 'the configuration could not be reloaded', 'run `assay validate`'],
  [
    'assay_problem',
    1,
    'the store or Kafka cannot be used',
    'read the log; check the disk, `store.url` or `kafka.brokers`',
  ],
  ['assay_judge_stopped', 1, 'a judge cannot answer', 'read the log: a key, a quota or a certificate'],
];

function flagged(scrape: Scrape): readonly Advice[] {
  return FLAGS.flatMap(([metric, bad, problem, remedy]) =>
    scrape.of(metric).some(({ value }) => value === bad) ? [{ problem, remedy }] : [],
  );
}

function nothingReceived({ scrape, otlp }: Observed): readonly Advice[] {
  const records = scrape.sum('assay_received_records_total') + scrape.sum('assay_kafka_rows_total');
  if (records > 0 || scrape.sum('assay_evaluations_total') > 0) return [];
  return [
    {
      problem: 'nothing has been received',
      remedy: `set OTEL_EXPORTER_OTLP_ENDPOINT=${otlp} where your agent runs, or call \`assay init\` in its folder; \`assay demo\` shows an example`,
    },
  ];
}

function behind(scrape: Scrape): readonly Advice[] {
  const seconds = Math.max(scrape.sum('assay_log_lag_seconds'), scrape.sum('assay_cluster_time_lag_seconds'));
  return seconds < BEHIND_FROM_SECONDS
    ? []
    : [{ problem: `scoring is ${Math.round(seconds)} s behind`, remedy: 'see docs/operate/scaling.md if it grows' }];
}

function unscored(scrape: Scrape): readonly Advice[] {
  const count = scrape.sum('assay_conversations_unscored_total', { reason: 'no_suite_matched' });
  return count === 0
    ? []
    : [{ problem: `${counted(count, 'conversation')} matched no suite`, remedy: 'look at `match` in your suites' }];
}

function doubted(scrape: Scrape): readonly Advice[] {
  return DOUBTS.flatMap((doubt) => {
    const count = scrape.sum('assay_turns_doubted_total', { doubt });
    return count === 0
      ? []
      : [{ problem: doubtText(doubt, counted(count, 'turn')), remedy: DOUBT_WORDS[doubt].remedy }];
  });
}

function unknownExporters({ exporters }: Observed): readonly Advice[] {
  // In a turn with a tool call nobody asks whether one would have been sent.
  const all = (exporters ?? []).filter((seen) => seen.turns_with_tools < seen.turns);
  const more = all.length - NAMES_SHOWN;
  const left = { problem: `${counted(more, 'more exporter')} that nobody knows`, remedy: 'see /api/v1/exporters' };
  return [...all.slice(0, NAMES_SHOWN).map(unknownExporter), ...(more > 0 ? [left] : [])];
}

function unknownExporter(seen: ExporterList['exporters'][number]): Advice {
  const { scope, turns_with_tools: calling, turns_speaking_of_tools: speaking, turns: all, entry } = seen;
  const shows = `${calling} of its ${counted(all, 'turn')} show tool calls, ${speaking} speak of tools`;
  return {
    problem: `nobody knows what the exporter ${scope === '' ? 'without a name' : scope} sends: ${shows}`,
    remedy:
      entry === undefined
        ? `one tool call shows it, or ${SILENT_TURNS} turns that speak of tools without one; or say it under exporters.known`
        : `npx assay doctor --accept ${quoted(scope)}, which notes ${noted(entry.lacks)}`,
  };
}

function noted(lacks: readonly string[]): string {
  if (lacks.length === 0) return 'that it sends tool calls and their errors';
  return lacks.includes('tools') ? 'that it sends no tool calls' : 'that it sends tool calls; no error of one was seen';
}

const CAPTURE = 'switch content capture on: docs/start/frameworks.md';

/** Content that does not come with spans: the agent or its users have to send it. */
const SENT_REMEDIES: readonly (readonly [need: string, remedy: string])[] = [
  ['truth', 'attach the truth that they compare with: docs/start/instrument.md'],
  [
    'feedback',
    'send what users say, or leave it: they are undecided where no user said anything (docs/score/feedback.md)',
  ],
  ['state', 'record the state at the end, by recordState() or assay.conversation.state: docs/start/instrument.md'],
];

/** Advice for each reason and remedy, with the suites and criteria that are affected. */
function undecided({ scrape, needs }: Observed): readonly Advice[] {
  const affectedBy = (reason: string) =>
    scrape.of('assay_criteria_undecided_total', { reason }).flatMap(({ labels, value }) => {
      const of = { suite: labels.get('suite') ?? '', criterion: labels.get('criterion') ?? '' };
      return value > 0 && value >= UNDECIDED_SHARE * asked(scrape, of) ? [`${of.suite}/${of.criterion}`] : [];
    });
  const lacking = Map.groupBy(affectedBy('not_recorded'), (name) => {
    const own = needs?.get(name) ?? [];
    const sent = SENT_REMEDIES.filter(([need]) => own.includes(need));
    const remedies = [...sent.map(([, remedy]) => remedy), ...(own.length > sent.length ? [CAPTURE] : [])];
    return remedies.length === 0 ? CAPTURE : remedies.join('; ');
  });
  const argument = 'the tool is called without the argument that the criterion reads: look at the criterion';
  return [
    ...[...lacking].map(([remedy, names]) => ({ problem: undecidedText(names, 'not_recorded'), remedy })),
    ...[affectedBy('argument_absent')].flatMap((names) =>
      names.length === 0 ? [] : [{ problem: undecidedText(names, 'argument_absent'), remedy: argument }],
    ),
  ];
}

function undecidedText(names: readonly string[], reason: string): string {
  const more = names.length > NAMES_SHOWN ? ` and ${names.length - NAMES_SHOWN} more` : '';
  return `${names.slice(0, NAMES_SHOWN).join(', ')}${more} mostly undecided (${reason})`;
}

/** Passes, failures and questions without an answer. */
function asked(scrape: Scrape, of: { readonly suite: string; readonly criterion: string }): number {
  const decided = ['pass', 'fail'].map((verdict) => scrape.sum('assay_verdicts_total', { ...of, verdict }));
  return decided.reduce((sum, count) => sum + count, scrape.sum('assay_criteria_undecided_total', of));
}

/** A suite that nothing decides looks like one that nothing fails. */
function neverScored(scrape: Scrape): readonly Advice[] {
  return scrape.by('suite', 'assay_evaluations_total').flatMap(([suite]) => {
    const all = lasting(scrape, 'evaluations', { suite });
    if (all < NEVER_SCORED_MIN || lasting(scrape, 'evaluations', { suite, outcome: 'unscored' }) < all) return [];
    return [
      {
        problem: `${suite} has never given a score, in ${counted(all, 'evaluation')}`,
        remedy:
          '`assay explain` of a conversation says why; `assay backtest` of its file names tools that nobody called',
      },
    ];
  });
}

function unnamed(scrape: Scrape): readonly Advice[] {
  const isUnnamed = (label: string) =>
    scrape.of('assay_evaluations_total').some(({ labels, value }) => value > 0 && labels.get(label) === 'unknown');
  return [
    ...(isUnnamed('agent')
      ? [{ problem: 'an agent has no name', remedy: 'set gen_ai.agent.name or service.name' }]
      : []),
    ...(isUnnamed('agent_version')
      ? [{ problem: 'an agent has no version: releases cannot be compared', remedy: 'set service.version' }]
      : []),
  ];
}
