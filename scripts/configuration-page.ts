/**
 * The page about the configuration, made from the declarations of the settings. Text that belongs to no single setting
 * is written here.
 */
import { restartNames } from '../src/config/reloadable.ts';
import { isOf, type Level, settingsIn, type Section } from '../src/config/section.ts';
import { REMOVED } from '../src/config/removed-settings.ts';
import type { Setting } from '../src/config/setting.ts';
import { ALL_SECTIONS, SECTIONS, TOP_SECTIONS } from '../src/config/sections.ts';
import { withReadingTime } from './reading-time.ts';
import { flow, isByName, settingsYaml } from './settings-yaml.ts';
import { wrapProse } from './wrap-prose.ts';

const { service, suites, process } = TOP_SECTIONS;
const { judging, kafka, sharedStore, ...mappings } = SECTIONS;
const SETTINGS = ALL_SECTIONS.flatMap(({ declared }) => settingsIn(declared));

export function configurationPage(): string {
  return withReadingTime(
    wrapProse(`<!-- Made by \`npm run docs:config\` from the declarations in src/config. Change those; a test compares. -->

# Configuration

*For people who run Assay. 1 minute.*

Assay runs without a configuration. Put the settings that you want to change into \`assay.yaml\` in the folder where you
start it (or \`--config <file>\`). Environment variables win over the file, flags over both. \`npx assay validate\`
checks all of it and reports every mistake at once.

In the Docker stack the configuration is a folder, with \`assay.yaml\`, the suites and the files of secrets that it
names; user 1000 must be able to read them:

<!-- not run: needs a Docker engine -->
\`\`\`sh
cp -r deploy/compose/one-machine my-assay           # with Kafka: deploy/compose/instances
export ASSAY_CONFIG_DIR=./my-assay
docker compose run --rm --no-deps assay validate
docker compose up -d
\`\`\`

This file has the common settings with their defaults; settings without one are commented out and show an example. Paths
in it are relative to it. The reference of the [common](#common-settings) and of the [rare](#rare-settings) ones has the bounds, the environment variable and the flag of each.

\`\`\`yaml
# assay.yaml
${settingsYaml('common', [service, suites, process, ...Object.values<Section<unknown>>(mappings)])}\`\`\`

Judges are models that criteria may ask (see [judges.md](../score/judges.md)). There is none unless you name one; \`provider\` and \`model\` must be there:

\`\`\`yaml
${settingsYaml('common', [judging])}\`\`\`

With Kafka and a shared store (see [kafka.md](../operate/kafka.md) and [scaling.md](../operate/scaling.md)) there is more:

\`\`\`yaml
${settingsYaml('common', [kafka, sharedStore])}\`\`\`

Few deployments need the others:

\`\`\`yaml
${settingsYaml('rare', [service, suites, process, ...Object.values<Section<unknown>>(mappings)])}
${settingsYaml('rare', [judging])}
${settingsYaml('rare', [kafka])}\`\`\`

Durations are \`250ms\`, \`10s\`, \`5m\`, \`24h\`, \`30d\`; a bare number is seconds. Sizes are \`64KiB\`, \`16MiB\`, \`8GiB\`; a bare number is bytes.
A secret is given as a file that holds it, or in an environment variable, because configuration files end up in repositories.

## What happens at each limit

| limit | what happens | you see |
|---|---|---|
| ${name('journal.max_bytes')}, disk full | new requests are refused: 503 with \`Retry-After: 1\`, gRPC UNAVAILABLE with RetryInfo | \`assay_refused_requests_total{reason="not-admitted"}\`, \`/readyz\` |
| 256 MiB of requests in flight, or an eighth of the memory | the same, before the body is read | \`assay_refused_requests_total{reason="overloaded"}\` |
| a request of more than 64 MiB | 413, not to be tried again | \`…{reason="too-large"}\` |
| 5000 spans of a turn, ${name('turn.max_bytes')} | the turn closes and is scored; later spans of it are left out | \`assay_turns_closed_total{cause="size"}\`, \`assay_late_records_total{fate="over-limit"}\` |
| a million open turns (Kafka: 50,000 in each partition), or ten times as many open spans | the turns that would close first close now, a few at a time; receiving goes on | \`assay_turns_closed_total{cause="pressure"}\` |
| a check that runs for a second | the check is stopped: verdict \`error\`; after three of one agent it is suspended for 1, 5, then 30 minutes for conversations of that agent that are as heavy. A critical one that is an \`error\` leaves the conversation \`unscored\` | \`assay_check_errors_total{reason="timeout"}\`, \`assay_check_suspensions_total\` |
| ${name('metrics.max_label_values')} | counted under \`other\` | \`assay_series_folded_total{label="agent"}\`, \`assay_label_values\` |
| a tenth of ${name('metrics.max_label_values')}, at least 20, as segments of an agent | the segment is \`other\` | \`assay_series_folded_total{label="segment"}\` |
| 200 streams of one suite (agent and environment) under detection | those that were silent for a week make room, else newcomers are not watched | \`assay_detection_kept_out\` |
| 1,000,000 results that no backend took | the oldest are left out | \`assay_results_total{fate="dropped"}\` |
| 1,000 notices that no webhook took | the oldest are dropped | \`assay_detection_problems_total{kind="dropped"}\` |
| a record of more than 64 MiB, or that is no OTLP | to the topic of dead letters, and on | \`assay_kafka_unreadable_records_total\` |
| 2048 turns to file, or ${name('journal.max_bytes')} of open turns (Kafka) | nothing more is read until there is room | \`assay_scoring_queue_length\`, \`assay_kafka_lag_records\` |
| ${name('store.max_bytes')}, ${name('store.keep')}, ${name('store.keep_failed')} | old conversations go, counters stay | \`assay_store_pruned_conversations_total\` |

## Change it while it runs

\`\`\`sh
npx assay validate                          # says what would be wrong
kill -HUP <pid>                             # one process
curl -X POST http://127.0.0.1:4319/api/v1/reload -H 'content-type: application/json' -d '{}'     # and says what came of it; to a container, with a token
\`\`\`

<!-- not run: needs a Docker engine -->
\`\`\`sh
docker compose exec assay sh -c 'kill -HUP 1'       # in the stack; with Kafka each of assay-1, assay-2, assay-3
\`\`\`

(Do not use \`docker compose kill -s HUP\`: Docker treats a container that it sends a signal to as stopped by hand, and does not restart it when it fails:
[moby 41302](https://github.com/moby/moby/issues/41302).)

The files of suites and these settings are read again: ${reloadable()}; secrets in files as well.
Other changes wait for the next start; the log and \`needs_restart\` of the API's answer name them. The names are ${restarts()};
\`judges\` stands for \`judging\` as well. Environment variables and flags keep their values from the start. A reload requested while Assay starts follows the start; the API answers 202 if that takes more than a minute.

If there is any mistake, nothing changes: all mistakes are logged, \`assay_config_last_reload_successful\` is 0, and \`AssayInstanceProblem\` fires. Scoring finishes the batch in progress and continues with the new suites, so no conversation is scored with half of each. Data received meanwhile wait in the journal. Existing evaluations stay as they are. With several instances, reload each one; until then it scores with its own suites. On Kubernetes a changed ConfigMap takes a minute to appear in the pod; a rollout has the same effect without a signal.

## Who may do what

On a loopback address, programs on the same machine need nothing. On any other address every client needs a token, and Assay does not start without one: [security.md](../operate/security.md) lists the roles and says how to make tokens. \`assay_access_total\` counts accepted callers, \`assay_access_refused_total\` rejected ones.

\`http.write_token_file\` is older and still works: a client that sends it may use the routes that the API lists as \`PUT\` and \`POST\` (\`curl http://127.0.0.1:4319/\`). With it, writing takes a token on loopback as well. \`openssl rand -hex 32\` makes a good one. Bodies are JSON, with \`content-type: application/json\`. \`assay_api_requests_total\` counts accepted and rejected writes.

## Data folder

\`journal/\` holds data that are not scored yet, \`assay.db\` and \`content/\` the store, and \`judge-answers.db\` the answers of judges to commands. \`redaction-salt\` is the salt for hashing user ids; \`access/\` holds the hashes of tokens and the audit log. Only one process may use a folder at a time. To back it
up, stop Assay and copy the folder. If part of the journal is found corrupt at a start, it is copied to \`journal/quarantine/\`,
reported, and the rest is used.

## Common settings

*Reload* says whether a reload takes a new value. Where a setting has no default, its value is not set.

${reference('common')}
## Rare settings

${reference('rare')}
## Removed settings

The names of these settings, removed in 0.2.0, are accepted with a warning. The next version refuses them as unknown.

${table(
  ['setting', 'now'],
  REMOVED.map(({ key, variable, now }) => [
    [key, ...(variable === undefined ? [] : [variable])].map((one) => `\`${one}\``).join(', '),
    now,
  ]),
)}`),
  );
}

/** The settings of a level, by section. */
function reference(level: Level): string {
  const top = settingTable(Object.values<Section<unknown>>(TOP_SECTIONS), level);
  const sections = Object.values<Section<unknown>>(SECTIONS).map((section) => sectionTables(section, level));
  return [`### At the top level\n\n${top}`, ...sections.filter((tables) => tables !== '')].join('\n');
}

function restarts(): string {
  return restartNames()
    .map((one) => `\`${one}\``)
    .join(', ');
}

/** A setting that the text mentions: it throws where there is none. */
function name(key: string): string {
  if (!SETTINGS.some((setting) => setting.key === key)) throw new Error(`the page names '${key}', which is no setting`);
  return `\`${key}\``;
}

function sectionTables(section: Section<unknown>, level: Level): string {
  const settings = settingsIn(section.declared);
  const groups = new Set(settings.map(({ key }) => `\`${key.split('.')[0]}\``));
  const own = settings.some((setting) => isOf(level, setting)) ? [settingTable([section], level)] : [];
  const tables = [...own, ...settings.flatMap((setting) => memberTable(setting, level))];
  return tables.length === 0 ? '' : [`### ${[...groups].join(' and ')}\n\n${section.help}\n`, ...tables].join('\n');
}

function settingTable(sections: readonly Section<unknown>[], level: Level): string {
  const rows = sections.flatMap(({ declared, reload }) =>
    settingsIn(declared)
      .filter((setting) => isOf(level, setting))
      .map((setting) => {
        const isTaken = setting.reload ?? reload;
        return [
          setting.variableOnly ? '(only the variable)' : `\`${setting.key}\``,
          shown(setting),
          takes(setting),
          given(setting),
          isTaken ? 'yes' : 'no',
        ];
      }),
  );
  return table(['setting', 'default', 'values', 'variable, flag', 'reload'], rows);
}

function memberTable(setting: Setting<unknown>, level: Level): string[] {
  const of = isByName(setting) ? `${setting.key}.<name>` : `${setting.key}[]`;
  const rows = Object.values<Setting<unknown>>(setting.members ?? {})
    .filter((member) => isOf(level, member))
    .map((member) => [`\`${member.key}\``, member.required ? 'required' : shown(member), takes(member), member.help]);
  return rows.length === 0 ? [] : [table([`of \`${of}\``, 'default', 'values', ''], rows)];
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [head, head.map(() => '---'), ...rows].map((cells) => `|${cells.map((cell) => ` ${cell} |`).join('')}`);
  return `${lines.join('\n').replaceAll('|  |', '| |')}\n`;
}

function shown({ default: usual }: Setting<unknown>): string {
  return usual === undefined ? '' : `\`${flow(usual)}\``;
}

/** Without the examples that a message has for somebody who made a mistake. */
function takes(setting: Setting<unknown>): string {
  return setting.takes
    .replace(/,? such as .*?(?=, from |$)/, '')
    .replace(', from', ' from')
    .replaceAll('|', '\\|');
}

function given({ variable, flag }: Setting<unknown>): string {
  const names = [variable, flag].filter((one) => one !== undefined);
  return names.map((one) => `\`${one}\``).join(', ');
}

/** Whole sections by their mapping, else setting by setting. */
function reloadable(): string {
  const names = ALL_SECTIONS.flatMap(({ declared, reload }) => {
    const settings = settingsIn(declared);
    const taken = settings.filter((setting) => setting.reload ?? reload).map(({ key }) => key);
    const [group = ''] = taken[0]?.split('.') ?? [];
    const others = SETTINGS.filter((one) => one.key.startsWith(`${group}.`)).length;
    return taken.length > 0 && taken.length === others ? [group] : taken;
  });
  return names.map((one) => `\`${one}\``).join(', ');
}
