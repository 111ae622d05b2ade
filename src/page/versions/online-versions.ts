/** Two versions of an agent online: their figures side by side, and links to the conversations behind each difference. */
import { h, type JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import type { Facets } from '../../api/facets.ts';
import type { ApiEstimate } from '../../api/shapes.ts';
import type { Trend } from '../../api/trend.ts';
import type { VersionsCompared } from '../../api/versions.ts';
import type { About } from '../../model/evaluation.ts';
import { wordsOf } from '../../model/suite-words.ts';
import { OUTCOMES_IN_ORDER } from '../../model/severity.ts';
import { useReply } from '../api/use-reply.ts';
import { FilterBar, plainChoices, sinceFilter } from '../shell/filter-bar.ts';
import { addressOf, onlyOf, type Place, withChanges } from '../shell/place.ts';
import { Problem } from '../shell/problem.ts';
import type { ViewProps } from '../shell/view-props.ts';
import { capitalized } from '../text/capitalized.ts';
import { ScoreEstimate, ShareEstimate } from '../text/estimate.ts';
import { countText, counted } from '../text/format.ts';
import { kindsText } from '../text/kinds.ts';
import { OutcomeMark } from '../text/outcome.ts';
import { Choice, change } from './choice.ts';
import { type MeasureRow, rowsOf } from './measures.ts';
import { MeasureTable } from './measure-table.ts';
import { Command } from './no-experiments.ts';

const SINCE = '30d';
/** Spans that name no version. */
const NO_VERSION = 'unknown';
/** Parameters that choose conversations, the same in every view. */
const FILTERS = ['environment', 'segment', 'since', 'until', 'suite'];

export function OnlineVersions({ place, facets }: ViewProps): JSX.Element {
  const agents = [...new Set(facets.agent_versions.map(({ agent }) => agent))];
  const agent = place.query.get('agent') ?? agentWithVersions(facets) ?? '';
  const versions = versionsOf(facets, agent);
  const [newest, before] = versions;
  const [a, b] = [place.query.get('a') ?? before, place.query.get('b') ?? newest];
  const filters = [
    ...(facets.suites.length > 1
      ? [
          {
            name: 'suite',
            label: 'Suite',
            all: facets.suites[0] ?? 'suite',
            choices: plainChoices(facets.suites.slice(1)),
          },
        ]
      : []),
    ...(facets.environments.length > 1
      ? [
          {
            name: 'environment',
            label: 'Environment',
            all: 'all environments',
            choices: plainChoices(facets.environments),
          },
        ]
      : []),
    sinceFilter(place, 'last 30 days', SINCE),
  ];
  const asked = onlyOf(place.query, FILTERS);
  const filtered = withChanges(asked, { agent, since: asked.get('since') ?? SINCE });
  const counts = useCounts(filtered);
  const words = (version: string) => {
    const count = counts?.get(version);
    return count === undefined ? version : `${version} · ${counted(count, 'evaluation')}`;
  };
  const options = versions.map((version) => ({ value: version, words: words(version) }));
  const isWhole = ['agent', 'a', 'b'].every((name) => place.query.has(name));
  useEffect(() => {
    if (!isWhole && a !== undefined && b !== undefined) change(place, { agent, a, b }, { replaces: true });
  }, [isWhole, agent, a, b]);
  if (agent === '') return h('p', { class: 'aside lone' }, 'No conversation was evaluated in the last 30 days.');
  return h(
    'div',
    null,
    h(FilterBar, { place, filters }),
    h(
      'div',
      { class: 'choices', role: 'group', 'aria-label': 'Versions' },
      agents.length > 1 && h(AgentChoice, { place, agents, agent }),
      a !== undefined && h(Choice, { place, name: 'a', label: 'A, before', value: a, options }),
      b !== undefined && h(Choice, { place, name: 'b', label: 'B, after', value: b, options }),
    ),
    a === undefined || b === undefined
      ? h(OneVersion, { version: b ?? a })
      : h(ComparedOnline, { place, query: withChanges(filtered, { a, b }) }),
  );
}

/** The one that was seen last with two versions, or any. */
function agentWithVersions(facets: Facets): string | undefined {
  const agents = facets.agent_versions.map(({ agent }) => agent);
  return agents.find((agent) => versionsOf(facets, agent).length > 1) ?? agents[0];
}

/** The newest first. */
function versionsOf({ agent_versions: all }: Facets, agent: string): readonly string[] {
  const versions = all.filter((one) => one.agent === agent).map(({ agent_version: version }) => version);
  const named = versions.filter((version) => version !== NO_VERSION);
  return named.length > 0 ? [...named, ...versions.filter((version) => version === NO_VERSION)] : versions;
}

/** Evaluations of each version in this time. */
function useCounts(filtered: URLSearchParams): ReadonlyMap<string, number> | undefined {
  const { reply } = useReply<Trend>('/api/v1/trend', withChanges(filtered, { by: 'agent_version' }));
  if (reply?.is !== 'here') return undefined;
  return new Map(reply.value.series.map(({ key, whole }) => [key, whole.evaluations]));
}

/** Another agent has other versions. */
function AgentChoice({
  place,
  agents,
  agent,
}: {
  readonly place: Place;
  readonly agents: readonly string[];
  readonly agent: string;
}): JSX.Element {
  const without = { ...place, query: withChanges(place.query, { a: undefined, b: undefined }) };
  const options = agents.map((one) => ({ value: one, words: one }));
  return h(Choice, { place: without, name: 'agent', label: 'Agent', value: agent, options });
}

function OneVersion({ version = NO_VERSION }: { readonly version: string | undefined }): JSX.Element {
  return h(
    'section',
    { class: 'start' },
    h('h2', null, 'There is one version so far'),
    h(
      'p',
      null,
      version === NO_VERSION
        ? 'The spans of this agent name no version. Its release can, in the environment of the agent:'
        : `Only ${version} was seen. The next one is compared with it as soon as its spans name it:`,
    ),
    h(Command, { text: 'export OTEL_RESOURCE_ATTRIBUTES=service.version=v2' }),
    h('p', null, 'Before a release, experiments compare two versions on the same cases: see the other tab.'),
  );
}

function ComparedOnline({ place, query }: { readonly place: Place; readonly query: URLSearchParams }): JSX.Element {
  const { reply, isOld, again } = useReply<VersionsCompared>('/api/v1/versions/compare', query);
  if (reply === undefined) return h('p', { class: 'loading', role: 'status' }, 'Comparing …');
  if (reply.is !== 'here') return h(Problem, { of: reply, again });
  const compared = reply.value;
  const { a, b, agent, about, suite, smallest_difference: smallest } = compared;
  if ([a, b].every((side) => side.evaluations + side.other_versions === 0))
    return h('p', { class: 'aside lone' }, `The suite ${suite} scored no conversation of ${agent} in this time.`);
  const { limit } = wordsOf(about);
  const { shown, unchanged, alike } = rowsOf({
    ...compared,
    criteria: compared.criteria.map(({ criterion, compared: of }) => ({ ...of, criterion })),
  });
  const notes = [
    ...(limit === undefined ? [] : [limit]),
    ...compared.notes,
    ...[a, b].flatMap(({ agent_version: version, cut, conversations, other_versions: others }) => [
      ...(cut ? [`Of ${version}, the latest ${countText(conversations)} conversations are compared.`] : []),
      ...(others > 0
        ? [`${counted(others, 'evaluation')} of ${version} by other versions of the suite are in no figure.`]
        : []),
    ]),
  ];
  return h(
    'div',
    { class: isOld ? 'sections old' : 'sections', 'aria-busy': isOld },
    h(
      'section',
      null,
      h(
        'h2',
        null,
        suite,
        h('span', { class: 'aside' }, ' different conversations, weighed to one mix of the traffic that spans name'),
      ),
      ...notes.map((one) => h('p', { key: one, class: 'limits' }, one)),
      h(MeasureTable, {
        rows: shown,
        unchanged,
        alike,
        smallest,
        unit: 'conversations',
        label: `Figures of ${suite}`,
        behind: (row) => behindRow(row, compared, place),
      }),
    ),
    h(Sides, { compared, about, place }),
  );
}

/** The conversations in which a criterion failed, of B and of A. */
function behindRow({ criterion }: MeasureRow, { criteria, a, b, suite }: VersionsCompared, place: Place) {
  const failed = criteria.find((one) => one.criterion === criterion)?.failed;
  if (criterion === undefined || failed === undefined || failed.a + failed.b === 0) return undefined;
  const link = (letter: string, version: string, count: number) =>
    count > 0 &&
    h(
      'a',
      { key: letter, href: behind(place, suite, { agent_version: version, criterion }) },
      `${countText(count)} failed in ${letter}`,
    );
  return h('span', { class: 'behind' }, link('B', b.agent_version, failed.b), link('A', a.agent_version, failed.a));
}

function behind(place: Place, suite: string, changes: Readonly<Record<string, string>>): string {
  const filters = onlyOf(place.query, ['agent', ...FILTERS]);
  return addressOf('conversations', withChanges(filters, { suite, since: filters.get('since') ?? SINCE, ...changes }));
}

function Sides({
  compared,
  about,
  place,
}: {
  readonly compared: VersionsCompared;
  readonly about: About | undefined;
  readonly place: Place;
}): JSX.Element {
  const { a, b, suite } = compared;
  const sides = [a, b];
  const outcomes = OUTCOMES_IN_ORDER.filter((one) => sides.some((side) => (side.outcomes[one] ?? 0) > 0));
  const row = (name: string | JSX.Element, of: (side: (typeof sides)[number]) => JSX.Element | string) =>
    h(
      'tr',
      null,
      h('th', { scope: 'row' }, name),
      ...sides.map((side, index) => h('td', { key: index, class: 'number' }, of(side))),
    );
  const estimate = (of: ApiEstimate | undefined, show: (known: ApiEstimate) => JSX.Element) =>
    of === undefined ? 'not known' : show(of);
  const words = wordsOf(about);
  return h(
    'section',
    null,
    h('h2', null, 'Each by itself'),
    h(
      'table',
      { class: 'before-after two-sides' },
      h(
        'thead',
        null,
        h(
          'tr',
          null,
          h('th', { scope: 'col' }, h('span', { class: 'only-heard' }, 'Figure')),
          h('th', { scope: 'col', class: 'number' }, `A, ${a.agent_version}`),
          h('th', { scope: 'col', class: 'number' }, `B, ${b.agent_version}`),
        ),
      ),
      h(
        'tbody',
        null,
        row('Conversations', ({ conversations }) => countText(conversations)),
        row(`${capitalized(words.score)}, the mean score`, ({ tcr }) =>
          estimate(tcr, (known) => h(ScoreEstimate, { estimate: known })),
        ),
        row(capitalized(words.goodRate), ({ success }) =>
          estimate(success, (known) => h(ShareEstimate, { estimate: known })),
        ),
        ...outcomes.map((outcome) =>
          row(h(OutcomeMark, { outcome }), (side) => {
            const count = side.outcomes[outcome] ?? 0;
            if (count === 0) return '0';
            const kinds = kindsText(side.because[outcome], count);
            return h(
              'div',
              null,
              h('a', { href: behind(place, suite, { agent_version: side.agent_version, outcome }) }, countText(count)),
              kinds !== undefined && h('div', { class: 'kinds' }, kinds),
            );
          }),
        ),
      ),
    ),
  );
}
