/** How many conversations of an agent went well for their users, as far as people have read them. */
import type { EstimateAnswer } from '../../api/estimate.ts';
import type { Facets } from '../../api/facets.ts';
import { OTHER } from '../../model/agent-labels.ts';
import { useReply } from '../api/use-reply.ts';
import { Here } from '../shell/here.tsx';
import { entry } from '../overview/figures.tsx';
import { addressOf, MISSED, onlyOf, type Place, sharedFilters, withChanges } from '../shell/place.ts';
import { SomeFirst } from '../shell/some-first.tsx';
import { ShareEstimate } from '../text/estimate.tsx';
import { counted, countText } from '../text/format.ts';
import { SpanText } from '../text/span-text.tsx';

export const ESTIMATE_FILTERS = ['agent', 'agent_version', 'environment', 'segment', 'since', 'until'];
const EVERY_MS = 60_000;
/** Each is a question that takes the service some time. */
const AGENTS_SHOWN = 3;

export function WentWell({ place, facets }: { readonly place: Place; readonly facets: Pick<Facets, 'agents'> }) {
  const chosen = place.query.getAll('agent');
  const agents = (chosen.length === 0 ? facets.agents : chosen).filter((one) => one !== OTHER);
  // The fleet leads to each of many.
  if (agents.length === 0 || (chosen.length === 0 && agents.length > AGENTS_SHOWN)) return null;
  return (
    <section class="figures went-well" aria-label="How many went well">
      <SomeFirst of={agents} atATime={AGENTS_SHOWN}>
        {(shown) => shown.map((agent) => <OfAgent key={agent} agent={agent} place={place} />)}
      </SomeFirst>
    </section>
  );
}

function OfAgent({ agent, place }: { readonly agent: string; readonly place: Place }) {
  const query = withChanges(onlyOf(place.query, ESTIMATE_FILTERS), { agent });
  const asked = useReply<EstimateAnswer>('/api/v1/estimate', { query, everyMs: EVERY_MS });
  const read = addressOf('read', withChanges(sharedFilters(place.query), { agent }));
  const isUsual = !place.query.has('since') && !place.query.has('until');
  return (
    <div class="of-agent">
      <h2>
        {'Did it go well for users? '}
        <span class="aside">
          <SpanText text={agent} charactersMax={80} />
          {isUsual ? ', the last 7 days, by people who read conversations' : ', by people who read conversations'}
        </span>
      </h2>
      <Here of={asked} otherwise={(why) => <p class="mistake">{why}</p>}>
        {(estimate) => (
          <>
            <Estimated estimate={estimate} read={read} />
            <RealOutcomes
              outcomes={estimate.outcomes}
              missed={withChanges(query, { since: isUsual ? '7d' : estimate.since, came_out: MISSED })}
            />
          </>
        )}
      </Here>
    </div>
  );
}

/** The figures are those of the API, which no surface computes again. */
export function Estimated({ estimate, read }: { readonly estimate: EstimateAnswer; readonly read: string }) {
  const { success, miss_rate: missRate, says, next, readings, conversations } = estimate;
  const link = <a href={read}>Read conversations</a>;
  if (success === undefined)
    return (
      <p>
        {`${says} ${next} `}
        {link}
      </p>
    );
  return (
    <>
      <dl>
        {entry('Went well', <ShareEstimate estimate={success} of="reading" isAlone />, 'main')}
        {missRate !== undefined &&
          entry(
            'Of those that went badly, called fine by the suites',
            <ShareEstimate estimate={missRate} of="reading" isAlone />,
          )}
        {entry('Readings', <span class="value">{countText(readings.sample)}</span>)}
        {entry('Conversations spoken for', <span class="value">{countText(conversations.spoken_for)}</span>)}
      </dl>
      {notSpokenFor(conversations).map((one) => (
        <p key={one} class="limits">
          {one}
        </p>
      ))}
      <p class="aside">
        {`${next} `}
        {link}
      </p>
    </>
  );
}

type RealOutcomesProps = Pick<EstimateAnswer, 'outcomes'> & { readonly missed: URLSearchParams };

/** `missed` is the query of a list that shows what the suites miss. */
export function RealOutcomes({ outcomes: { good, bad, bad_called_fine: fine }, missed }: RealOutcomesProps) {
  if (good + bad === 0) return null;
  return (
    <p>
      {`${countText(bad)} of ${counted(good + bad, 'conversation')} with real outcomes came out bad. `}
      {fine > 0 && (
        <a href={addressOf('conversations', missed)}>{`The suites call ${countText(fine)} of these fine`}</a>
      )}
    </p>
  );
}

export function notSpokenFor({ later, unreadable }: EstimateAnswer['conversations']): readonly string[] {
  return [
    ...(later === 0 ? [] : [`${counted(later, 'conversation')} began later and come first to be read: not spoken for`]),
    ...(unreadable === 0 ? [] : [`${counted(unreadable, 'conversation')} without recorded words: not spoken for`]),
  ];
}
