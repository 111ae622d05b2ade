/**
 * The fleet: one line for each agent, the one that does most harm first, each a link to the overview of its agent. It is
 * shown where there are several agents and none is chosen.
 */
import { useState } from 'preact/hooks';
import type { Facets } from '../../api/facets.ts';
import type { Fleet as Known, FleetAgent } from '../../api/fleet.ts';
import { OTHER } from '../../model/agent-labels.ts';
import { timeSince } from '../../model/since.ts';
import { serviceNow } from '../api/service-clock.ts';
import { useReply } from '../api/use-reply.ts';
import { useService } from '../api/use-service.ts';
import { Here } from '../shell/here.tsx';
import { leaveField, useKeys } from '../shell/keys.ts';
import { goTo } from '../shell/navigation.ts';
import { addressOf, onlyOf, type Place, sharedFilters, withChanges } from '../shell/place.ts';
import { useActiveRow } from '../shell/use-active-row.ts';
import { counted, countText } from '../text/format.ts';
import { FleetRows } from './fleet-rows.tsx';

const EVERY_MS = 60_000;
/** With more agents there is a field to find some. */
const FEW_AGENTS = 8;
const DAY_MS = 86_400_000;
/** The service compares windows up to this length. */
const LONGEST_MS = 8 * DAY_MS;

interface FleetProps {
  readonly place: Place;
  readonly facets: Facets;
  /** Beginning of the time that is shown, as the address would have it. */
  readonly since: string;
}

/** Nothing where there is one agent, or a filter that is about parts of agents. */
export function Fleet({ place, facets, since }: FleetProps) {
  const isChosen = ['agent', 'agent_version', 'segment'].some((name) => place.query.has(name));
  if (isChosen || facets.agents.length < 2) return null;
  return <FleetSection place={place} facets={facets} since={since} />;
}

function FleetSection({ place, facets, since }: FleetProps) {
  const query = fleetQueryOf(place, since, serviceNow());
  const fleet = useReply<Known>('/api/v1/fleet', { query, everyMs: EVERY_MS });
  return (
    <section class={fleet.isOld ? 'fleet old' : 'fleet'} aria-busy={fleet.isOld}>
      <h2>Agents, most harm first</h2>
      <Here of={fleet} wait="Loading the agents …">
        {(known) => <FleetList fleet={known} hrefOf={(one) => addressOfAgent(one, place, facets)} />}
      </Here>
    </section>
  );
}

/** A time that is too long is cut to its last 7 days. */
export function fleetQueryOf({ query }: Place, usual: string, now: number): URLSearchParams {
  const asked = onlyOf(query, ['suite', 'environment', 'since', 'until']);
  const since = asked.get('since') ?? usual;
  const until = timeSince(asked.get('until') ?? '', now) ?? now;
  const isLong = until - (timeSince(since, now) ?? now) > LONGEST_MS;
  const last = asked.has('until') ? new Date(until - 7 * DAY_MS).toISOString() : '7d';
  return withChanges(asked, { since: isLong ? last : since });
}

/** With the suite of the line, unless the overview shows it anyway. */
function addressOfAgent({ agent, suite }: FleetAgent, { query }: Place, { suites }: Facets): string {
  const own = suite === suites[0] ? undefined : suite;
  return addressOf('overview', withChanges(sharedFilters(query), { agent, suite: own }));
}

interface ListProps {
  readonly fleet: Known;
  readonly hrefOf: (one: FleetAgent) => string;
}

function FleetList({ fleet, hrefOf }: ListProps) {
  const { agents, agents_left_out: leftOut, alarms_known: knowsAlarms, related } = fleet;
  const [words, setWords] = useState('');
  const found = agentsWith(agents, words);
  const { active, reached, setActive, move } = useActiveRow(-1);
  useKeys([
    { key: 'j', does: 'next agent', press: () => void move(1, found.length) },
    { key: 'k', does: 'previous agent', press: () => void move(-1, found.length) },
    { key: 'enter', does: 'open its overview', press: () => open(found[reached()], hrefOf) },
    { key: '/', does: 'find agents', press: () => document.getElementById('fleet-words')?.focus() },
  ]);
  if (agents.length === 0) return <p class="aside">No agent was evaluated in this time or in the one before it.</p>;
  return (
    <>
      <div class="fleet-head">
        {agents.length > FEW_AGENTS && (
          <search>
            <input
              id="fleet-words"
              type="search"
              aria-label="Find agents by name, version or what is said"
              placeholder="Find: a name, a version, worse, alarm"
              maxLength={200}
              value={words}
              onKeyDown={leaveField}
              onInput={({ currentTarget }) => setWords(currentTarget.value)}
            />
          </search>
        )}
        <p class="aside" role="status">
          {words.trim() === ''
            ? counted(agentsIn(agents), 'agent')
            : `${countText(agentsIn(found))} of ${counted(agentsIn(agents), 'agent')}`}
          {leftOut > 0 && `; ${countText(leftOut)} without a line of their own`}
          {'. Harm is failures an hour: a partial one counts twice, a hard one three times.'}
          {!knowsAlarms && ' Alarms are not known here.'}
        </p>
      </div>
      {found.length > 0 && <FleetRows agents={found} active={active} hrefOf={hrefOf} onActive={setActive} />}
      {related.note !== undefined && <p class="limits">{related.note}</p>}
      <Withheld />
    </>
  );
}

/** Agents that are counted together are none. */
function agentsIn(lines: readonly FleetAgent[]): number {
  return lines.filter(({ agent }) => agent !== OTHER).length;
}

const PARTS = {
  effort: 'steps and costs',
  criteria: 'verdicts by criterion',
  buckets: 'buckets of histograms',
} as const;
const NAMED = 3;

/** Agents of which Prometheus has less than the page. */
function Withheld() {
  const withheld = useService()?.withheld;
  const lacking = Object.entries(PARTS).flatMap(([part, words]) => {
    // The cast holds: it is a key of the parts.
    const agents = withheld?.[part as keyof typeof PARTS] ?? [];
    const more =
      agents.length > NAMED ? `, … (${countText(agents.length)}${agents.length < 100 ? '' : ' or more'})` : '';
    return agents.length === 0 ? [] : [`${words} of ${agents.slice(0, NAMED).join(', ')}${more}`];
  });
  if (lacking.length === 0) return null;
  return (
    <p class="limits">
      {`Prometheus lacks ${lacking.join('; ')}: there are more series than metrics.max_series. The page has all of it.`}
    </p>
  );
}

function open(one: FleetAgent | undefined, hrefOf: ListProps['hrefOf']): void {
  if (one !== undefined) goTo(hrefOf(one));
}

/** Each word is in the name, the newest version or the sentence. */
export function agentsWith(agents: readonly FleetAgent[], words: string): readonly FleetAgent[] {
  const asked = words.toLowerCase().split(/\s+/).filter(Boolean);
  if (asked.length === 0) return agents;
  return agents.filter(({ agent, sentence, newest }) => {
    const text = `${agent} ${newest?.agent_version ?? ''} ${sentence}`.toLowerCase();
    return asked.every((word) => text.includes(word));
  });
}
