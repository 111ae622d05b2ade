/** Two versions of an agent online: their figures side by side, and links to the conversations behind each difference. */
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import type { Facets } from '../../api/facets.ts';
import type { Trend } from '../../api/trend.ts';
import type { VersionsCompared } from '../../api/versions.ts';
import { wordsOf } from '../../model/suite-words.ts';
import { OUTCOMES_IN_ORDER } from '../../model/severity.ts';
import { useReply } from '../api/use-reply.ts';
import { FilterBar, sharedFilterList, sinceFilter, suiteFilters } from '../shell/filter-bar.tsx';
import { addressOf, onlyOf, type Place, withChanges } from '../shell/place.ts';
import { Here } from '../shell/here.tsx';
import type { ViewProps } from '../shell/view-props.ts';
import { capitalized } from '../text/capitalized.ts';
import { Command } from '../text/command.tsx';
import { ScoreEstimate, ShareEstimate } from '../text/estimate.tsx';
import { countText, counted } from '../text/format.ts';
import { kindsText } from '../text/kinds.ts';
import { OutcomeMark } from '../text/outcome.tsx';
import { Table } from '../text/table.tsx';
import { WordMark } from '../text/word-mark.tsx';
import { Choice, change } from './choice.tsx';
import { type MeasureRow, rowsOf } from './measures.ts';
import { TroublesOf } from '../overview/since-version.tsx';
import { MeasureTable } from './measure-table.tsx';

const SINCE = '30d';
/** Spans that name no version. */
const NO_VERSION = 'unknown';
/** Kinds of the gate's decisions, which have the same colours. */
const RELEASE_LOOKS = {
  promote: { kind: 'pass', mark: '✓' },
  hold: { kind: 'not_enough_evidence', mark: '?' },
  roll_back: { kind: 'regression', mark: '✕' },
} as const satisfies Record<VersionsCompared['release']['decision'], object>;
/** Parameters that choose conversations, the same in every view. */
const FILTERS = ['environment', 'segment', 'since', 'until', 'suite'];

export function OnlineVersions({ place, facets }: ViewProps) {
  const agents = [...new Set(facets.agent_versions.map(({ agent }) => agent))];
  const agent = place.query.get('agent') ?? agentWithVersions(facets) ?? '';
  const versions = versionsOf(facets, agent);
  const [newest, before] = versions;
  const [a, b] = [place.query.get('a') ?? before, place.query.get('b') ?? newest];
  const filters = [
    ...suiteFilters(place, facets),
    ...sharedFilterList(place, facets).filter(({ name }) => name === 'environment'),
    sinceFilter(place, 'last 30 days', SINCE),
  ];
  const asked = onlyOf(place.query, FILTERS);
  const filtered = withChanges(asked, { agent, since: asked.get('since') ?? SINCE });
  const counts = useCounts(filtered);
  const options = versions.map((version) => {
    const count = counts?.get(version);
    return { value: version, words: count === undefined ? version : `${version} · ${counted(count, 'evaluation')}` };
  });
  const isWhole = ['agent', 'a', 'b'].every((name) => place.query.has(name));
  useEffect(() => {
    if (!isWhole && a !== undefined && b !== undefined) change(place, { agent, a, b }, { replaces: true });
  }, [isWhole, agent, a, b]);
  if (agent === '') return <p class="aside lone">No conversation was evaluated in the last 30 days.</p>;
  return (
    <div>
      <FilterBar place={place} filters={filters} />
      <fieldset class="choices" aria-label="Versions">
        {agents.length > 1 && <AgentChoice place={place} agents={agents} agent={agent} />}
        {a !== undefined && <Choice place={place} name="a" label="A, before" value={a} options={options} />}
        {b !== undefined && <Choice place={place} name="b" label="B, after" value={b} options={options} />}
      </fieldset>
      {a === undefined || b === undefined ? (
        <OneVersion version={b ?? a} />
      ) : (
        <ComparedOnline place={place} query={withChanges(filtered, { a, b })} />
      )}
    </div>
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
  const { reply } = useReply<Trend>('/api/v1/trend', { query: withChanges(filtered, { by: 'agent_version' }) });
  if (reply?.is !== 'here') return undefined;
  return new Map(reply.value.series.map(({ key, whole }) => [key, whole.evaluations]));
}

interface AgentChoiceProps {
  readonly place: Place;
  readonly agents: readonly string[];
  readonly agent: string;
}

/** Another agent has other versions. */
function AgentChoice({ place, agents, agent }: AgentChoiceProps) {
  const without = { ...place, query: withChanges(place.query, { a: undefined, b: undefined }) };
  const options = agents.map((one) => ({ value: one, words: one }));
  return <Choice place={without} name="agent" label="Agent" value={agent} options={options} />;
}

function OneVersion({ version = NO_VERSION }: { readonly version: string | undefined }) {
  return (
    <section class="start">
      <h2>There is one version so far</h2>
      <p>
        {version === NO_VERSION
          ? 'The spans of this agent name no version. Its release can, in the environment of the agent:'
          : `Only ${version} was seen. The next one is compared with it as soon as its spans name it:`}
      </p>
      <Command text="export OTEL_RESOURCE_ATTRIBUTES=service.version=v2" />
      <p>Before a release, experiments compare two versions on the same cases: see the other tab.</p>
    </section>
  );
}

function ComparedOnline({ place, query }: { readonly place: Place; readonly query: URLSearchParams }) {
  const asked = useReply<VersionsCompared>('/api/v1/versions/compare', { query });
  return (
    <Here of={asked} wait="Comparing …">
      {(compared) => <Compared compared={compared} isOld={asked.isOld} place={place} />}
    </Here>
  );
}

interface ComparedProps {
  readonly compared: VersionsCompared;
  readonly isOld: boolean;
  readonly place: Place;
}

function Compared({ compared, isOld, place }: ComparedProps) {
  const { a, b, agent, about, suite, release, smallest_difference: smallest } = compared;
  const [word = '', ...why] = release.sentence.split(': ');
  if ([a, b].every((side) => side.evaluations + side.other_versions === 0))
    return <p class="aside lone">{`The suite ${suite} scored no conversation of ${agent} in this time.`}</p>;
  const { limit } = wordsOf(about);
  const { shown, unchanged, alike } = rowsOf({
    ...compared,
    criteria: compared.criteria.map(({ criterion, compared: of }) => ({ ...of, criterion })),
  });
  const notes = [
    ...[a, b].flatMap(({ agent_version: version, estimated }) =>
      estimated === undefined ? [] : [`${version}: ${estimated.says}`],
    ),
    ...(limit === undefined ? [] : [limit]),
    ...compared.notes,
    ...[a, b].flatMap(({ agent_version: version, cut, conversations, other_versions: others }) => [
      ...(cut ? [`Of ${version}, the latest ${countText(conversations)} conversations are compared.`] : []),
      ...(others > 0
        ? [`${counted(others, 'evaluation')} of ${version} by other versions of the suite are in no figure.`]
        : []),
    ]),
  ];
  return (
    <div class={isOld ? 'sections old' : 'sections'} aria-busy={isOld}>
      <section>
        <h2>May B get more traffic?</h2>
        <p>
          <WordMark {...RELEASE_LOOKS[release.decision]} words={word} />
          {` ${why.join(': ')}`}
        </p>
        <p class="aside">It goes by hours in which both ran, and what follows by all of this time.</p>
      </section>
      <TroublesOf asked={behind(place, { agent, agent_version: b.agent_version, suite: undefined })} />
      <section>
        <h2>
          {suite}
          <span class="aside">
            {
              ' by conversations, each counted once and weighed to the same mix of requests; effort is of those with a score'
            }
          </span>
        </h2>
        {notes.map((one) => (
          <p key={one} class="limits">
            {one}
          </p>
        ))}
        <MeasureTable
          rows={shown}
          unchanged={unchanged}
          alike={alike}
          smallest={smallest}
          unit="conversations"
          label={`Figures of ${suite}`}
          behind={(row) => behindRow(row, compared, place)}
        />
      </section>
      <Sides compared={compared} place={place} />
    </div>
  );
}

/** The conversations in which a criterion failed, of B and of A. */
function behindRow({ criterion }: MeasureRow, compared: VersionsCompared, place: Place) {
  const { criteria, a, b, suite } = compared;
  const failed = criteria.find((one) => one.criterion === criterion)?.failed;
  if (criterion === undefined || failed === undefined || failed.a + failed.b === 0) return undefined;
  const link = (letter: string, version: string, count: number) =>
    count > 0 && (
      <a
        key={letter}
        href={addressOf('conversations', behind(place, { suite, agent_version: version, criterion }))}
      >{`${counted(count, isByTurn(compared) ? 'turn' : 'conversation')} failed in ${letter}`}</a>
    );
  return (
    <span class="behind">
      {link('B', b.agent_version, failed.b)}
      {link('A', a.agent_version, failed.a)}
    </span>
  );
}

function isByTurn({ a, b }: VersionsCompared): boolean {
  return [a, b].some(({ evaluations, conversations }) => evaluations > conversations);
}

/** The filters of a list of conversations that are compared. */
function behind({ query }: Place, changes: Readonly<Record<string, string | undefined>>): URLSearchParams {
  const filters = onlyOf(query, ['agent', ...FILTERS]);
  return withChanges(filters, { since: filters.get('since') ?? SINCE, ...changes });
}

function Sides({ compared, place }: { readonly compared: VersionsCompared; readonly place: Place }) {
  const { a, b, suite, about } = compared;
  const sides = [a, b];
  const outcomes = OUTCOMES_IN_ORDER.filter((one) => sides.some((side) => (side.outcomes[one] ?? 0) > 0));
  const row = (name: string | JSX.Element, of: (side: (typeof sides)[number]) => JSX.Element | string) => (
    <tr>
      <th scope="row">{name}</th>
      {sides.map((side, index) => (
        <td key={index} class="number">
          {of(side)}
        </td>
      ))}
    </tr>
  );
  const words = wordsOf(about);
  return (
    <section>
      <h2>
        Each by itself
        <span class="aside">{isByTurn(compared) ? ' by turns, as they came' : ' as they came'}</span>
      </h2>
      <Table
        class="before-after two-sides"
        heads={{ Figure: 'only-heard', [`A, ${a.agent_version}`]: 'number', [`B, ${b.agent_version}`]: 'number' }}
      >
        {row('Conversations', ({ conversations }) => countText(conversations))}
        {row(`${capitalized(words.score)}, the mean score`, ({ tcr }) => (
          <ScoreEstimate estimate={tcr} />
        ))}
        {row(capitalized(words.goodRate), ({ success }) => (
          <ShareEstimate estimate={success} />
        ))}
        {outcomes.map((outcome) =>
          row(<OutcomeMark outcome={outcome} />, (side) => {
            const count = side.outcomes[outcome] ?? 0;
            if (count === 0) return '0';
            const kinds = kindsText(side.because[outcome], count);
            return (
              <div>
                <a
                  href={addressOf(
                    'conversations',
                    behind(place, { suite, agent_version: side.agent_version, outcome }),
                  )}
                >
                  {countText(count)}
                </a>
                {kinds !== undefined && <div class="kinds">{kinds}</div>}
              </div>
            );
          }),
        )}
      </Table>
    </section>
  );
}
