/** Two versions of an agent online, or two experiments, side by side: is the one better, by what, and where does one see it? */
import { h, type JSX } from 'preact';
import { addressOf, onlyOf, type Place, withChanges } from '../shell/place.ts';
import type { ViewProps } from '../shell/view-props.ts';
import { Experiments } from './experiments.ts';
import { OnlineVersions } from './online-versions.ts';

const EXPERIMENTS = 'experiments';
/** Filters that stay when the other tab is opened. */
const KEPT = ['agent', 'environment', 'segment', 'suite', 'since', 'until'];

export function Versions({ place, facets }: ViewProps): JSX.Element {
  const isExperiments = place.query.get('tab') === EXPERIMENTS;
  return h(
    'div',
    { class: 'versions' },
    h('h1', { class: 'only-heard' }, 'Versions'),
    h(Tabs, { place, isExperiments }),
    isExperiments ? h(Experiments, { place }) : h(OnlineVersions, { place, facets }),
  );
}

function Tabs({ place, isExperiments }: { readonly place: Place; readonly isExperiments: boolean }): JSX.Element {
  const kept = onlyOf(place.query, KEPT);
  const tab = (words: string, query: URLSearchParams, isHere: boolean) =>
    h('a', { href: addressOf('versions', query), 'aria-current': isHere ? 'page' : undefined }, words);
  return h(
    'nav',
    { class: 'tabs', 'aria-label': 'Versions online or experiments' },
    tab('Versions online', kept, !isExperiments),
    tab('Experiments', withChanges(kept, { tab: EXPERIMENTS }), isExperiments),
  );
}
