/** Two versions of an agent online, or two experiments, side by side: is the one better, by what, and where does one see it? */
import { addressOf, onlyOf, type Place, withChanges } from '../shell/place.ts';
import type { ViewProps } from '../shell/view-props.ts';
import { Experiments } from './experiments.tsx';
import { OnlineVersions } from './online-versions.tsx';

const EXPERIMENTS = 'experiments';
/** Filters that stay when the other tab is opened. */
const KEPT = ['agent', 'environment', 'segment', 'suite', 'since', 'until'];

export function Versions({ place, facets }: ViewProps) {
  const isExperiments = place.query.get('tab') === EXPERIMENTS;
  return (
    <div class="versions">
      <h1 class="only-heard">Versions</h1>
      <Tabs place={place} isExperiments={isExperiments} />
      {isExperiments ? <Experiments place={place} /> : <OnlineVersions place={place} facets={facets} />}
    </div>
  );
}

function Tabs({ place, isExperiments }: { readonly place: Place; readonly isExperiments: boolean }) {
  const kept = onlyOf(place.query, KEPT);
  const tab = (words: string, query: URLSearchParams, isHere: boolean) => (
    <a href={addressOf('versions', query)} aria-current={isHere ? 'page' : undefined}>
      {words}
    </a>
  );
  return (
    <nav class="tabs" aria-label="Versions online or experiments">
      {tab('Versions online', kept, !isExperiments)}
      {tab('Experiments', withChanges(kept, { tab: EXPERIMENTS }), isExperiments)}
    </nav>
  );
}
