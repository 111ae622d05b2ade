/** The frame of the page: navigation, the view, and the states in which there is no view. */
import type { ComponentType, JSX } from 'preact';
import { useEffect, useErrorBoundary, useState } from 'preact/hooks';
import { PAGE_VIEWS, type PageView } from '../../model/page-views.ts';
import type { Facets } from '../../api/facets.ts';
import type { NoReply } from '../api/ask.ts';
import { timeSince } from '../../model/since.ts';
import { serviceNow } from '../api/service-clock.ts';
import { useReply } from '../api/use-reply.ts';
import { ClockNote } from './clock-note.tsx';
import { Loading } from './here.tsx';
import { IgnoredNote } from './ignored-note.tsx';
import { KeyHelp } from './key-help.tsx';
import { useKeys } from './keys.ts';
import { goTo, usePlace } from './navigation.ts';
import { addressOf, onlyOf, type Place, sharedFilters } from './place.ts';
import { Problem } from './problem.tsx';
import { TopBar } from './top-bar.tsx';
import type { ViewProps } from './view-props.ts';
import { VIEWS } from './views.ts';

const NOTHING_ASKED = new URLSearchParams();
const MONTH_MS = 30 * 86_400_000;
/** The page shows the first conversation by itself. */
const FIRST_EVERY_MS = 3_000;
/** A service that has stopped is reported, and new versions and segments get into the filters. */
const FACETS_EVERY_MS = 10_000;
/** A role that is refused does not change by itself. */
const REFUSED_EVERY_MS = 60_000;
/** A service that is reached but does not answer has stopped for the reader. */
const ANSWERED_WITHIN_MS = 10_000;

export function App() {
  const place = usePlace();
  const [everyMs, setEveryMs] = useState(FIRST_EVERY_MS);
  const [helps, setHelps] = useState(false);
  const query = facetsQuery(place?.query ?? NOTHING_ASKED);
  const facets = useReply<Facets>('/api/v1/facets', { query, everyMs, withinMs: ANSWERED_WITHIN_MS });
  const { reply } = facets;
  const hasAny = reply?.is === 'here' && reply.value.conversations > 0;
  const isAway = facets.away !== undefined;
  const isRefused = reply?.is === 'signed-out' || reply?.is === 'forbidden';
  useEffect(
    () => setEveryMs(isRefused ? REFUSED_EVERY_MS : hasAny && !isAway ? FACETS_EVERY_MS : FIRST_EVERY_MS),
    [hasAny, isAway, isRefused],
  );
  useKeys([
    ...PAGE_VIEWS.map((view) => ({
      key: `g ${VIEWS[view].key}`,
      does: `go to ${VIEWS[view].title}`,
      press: () => goTo(addressOf(view, sharedFilters(place?.query ?? NOTHING_ASKED))),
    })),
    { key: '?', does: 'show the keys of the view', press: () => setHelps(true) },
  ]);
  const view = place?.view;
  useEffect(() => {
    document.title = view === undefined ? 'Assay' : `${VIEWS[view].title} · Assay`;
  }, [view]);
  return (
    <div class="frame">
      <a class="skip" href="#view">
        Skip to the view
      </a>
      <TopBar place={place} onHelp={() => setHelps(true)} />
      <main id="view" tabIndex={-1}>
        <ClockNote />
        {facets.away !== undefined && <p class="away" role="status">{`What is shown may be old. ${facets.away}`}</p>}
        {content({ place, facets: reply, again: facets.again })}
      </main>
      {helps && <KeyHelp onClose={() => setHelps(false)} />}
    </div>
  );
}

/** The service knows the agents of a month unless it is asked for more. */
function facetsQuery(query: URLSearchParams): URLSearchParams {
  const now = serviceNow();
  const since = timeSince(query.get('since') ?? '', now);
  return since !== undefined && since < now - MONTH_MS ? onlyOf(query, ['since']) : NOTHING_ASKED;
}

function content({
  place,
  facets,
  again,
}: {
  readonly place: Place | undefined;
  readonly facets: ReturnType<typeof useReply<Facets>>['reply'];
  readonly again: () => void;
}) {
  if (facets === undefined) return <Loading />;
  if (facets.is !== 'here') return alone(<Problem of={facets} again={again} />, facets);
  if (place === undefined) {
    const missing = { is: 'missing', why: 'No view has this address. The views are in the bar above.' } as const;
    return alone(<Problem of={missing} />, missing);
  }
  if (facets.value.conversations === 0 && !WITHOUT_TRAFFIC.includes(place.view) && place.conversation === undefined)
    return <LoadedView name="start" load={start} place={place} facets={facets.value} />;
  return (
    <>
      <IgnoredNote place={place} facets={facets.value} />
      <LoadedView name={place.view} load={VIEWS[place.view].load} place={place} facets={facets.value} />
    </>
  );
}

/** Only who has no conversation yet needs it. */
const start = async () => (await import('../start/start.tsx')).Start;

/** Views that have something to show before the first conversation. */
const WITHOUT_TRAFFIC: readonly PageView[] = ['suites', 'versions'];

/** With a heading of the first level, which being signed out has already. */
function alone(problem: JSX.Element, { is }: NoReply) {
  return (
    <div>
      {is !== 'signed-out' && <h1 class="only-heard">Assay</h1>}
      {problem}
    </div>
  );
}

interface LoadedViewProps extends ViewProps {
  readonly name: string;
  readonly load: () => Promise<ComponentType<ViewProps>>;
}

function LoadedView({ name, load, ...props }: LoadedViewProps) {
  const [mistake, reset] = useErrorBoundary((error: unknown) => console.error(error));
  const [loaded, setLoaded] = useState<
    { readonly name: string; readonly show: ComponentType<ViewProps> } | undefined
  >();
  const [failed, setFailed] = useState(false);
  useEffect(() => {
    let isWanted = true;
    load().then(
      (show) => isWanted && setLoaded({ name, show }),
      () => isWanted && setFailed(true),
    );
    return () => {
      isWanted = false;
    };
  }, [name, load]);
  if (mistake !== undefined) {
    const why = `This view could not be drawn, which is a mistake of Assay: ${String(mistake)}`;
    return <Problem of={{ is: 'away', why }} again={reset} />;
  }
  if (failed) {
    const why = 'A part of the page could not be loaded. The service may have been upgraded meanwhile.';
    return <Problem of={{ is: 'away', why }} again={() => location.reload()} />;
  }
  if (loaded === undefined || loaded.name !== name) return <Loading />;
  return <loaded.show {...props} />;
}
