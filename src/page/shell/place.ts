/**
 * Place of a reader: a view, the parameters of its address, and the query. All of it is in the address, so that
 * back, reload and a link that somebody shares show the same.
 */
import { timeSince } from '../../model/since.ts';
import { PAGE_PATHS, PAGE_VIEWS, type PageView } from '../../model/page-views.ts';

export interface Place {
  readonly view: PageView;
  /** Id of the conversation that is open; undefined for a view alone. */
  readonly conversation: string | undefined;
  readonly query: URLSearchParams;
}

/** Filters that mean the same in every view: a link from one view to another keeps them. */
export const SHARED_FILTERS = ['agent', 'agent_version', 'environment', 'segment', 'suite', 'since', 'until'];
/** Filters of the list of conversations alone. */
export const LIST_FILTERS = [
  ...['outcome', 'criterion', 'sub_agent', 'score_below', 'decided_below'],
  ...['state', 'labelled', 'feedback', 'came_out', 'read', 'kind', 'fact', 'conversation_id', 'order', 'words'],
];

/** Undefined where no view has the address. */
export function placeOf({
  pathname,
  search,
}: {
  readonly pathname: string;
  readonly search: string;
}): Place | undefined {
  const query = withoutAll(new URLSearchParams(search));
  for (const view of PAGE_VIEWS) {
    for (const pattern of PAGE_PATHS[view]) {
      const [start = '', rest] = pattern.split('{conversation...}');
      if (rest === undefined && pathname === pattern) return { view, conversation: undefined, query };
      if (rest === undefined || !pathname.startsWith(start) || pathname === start) continue;
      const conversation = decoded(pathname.slice(start.length));
      if (conversation !== undefined) return { view, conversation, query };
    }
  }
  return undefined;
}

/** Grafana writes `.*` where all agents are chosen. */
function withoutAll(query: URLSearchParams): URLSearchParams {
  if (query.get('agent') === '.*') query.delete('agent');
  return query;
}

/** A value of `came_out`: it came out bad, and the suites call it fine. */
export const MISSED = 'missed';

export function addressOf(view: PageView, query: URLSearchParams, conversation?: string): string {
  const path = conversation === undefined ? PAGE_PATHS[view][0] : `/conversations/${encodeURIComponent(conversation)}`;
  const search = query.toString();
  return search === '' ? path : `${path}?${search}`;
}

/** The query with some parameters changed; undefined and an empty list take one away. */
export function withChanges(
  query: URLSearchParams,
  changes: Readonly<Record<string, string | readonly string[] | undefined>>,
): URLSearchParams {
  const changed = new URLSearchParams(query);
  for (const [name, value] of Object.entries(changes)) {
    changed.delete(name);
    for (const one of typeof value === 'string' ? [value] : (value ?? [])) if (one !== '') changed.append(name, one);
  }
  return changed;
}

/** The query with times in place of a stretch back from now: `usual` unless it names one. */
export function withFixedTime(
  query: URLSearchParams,
  { usual, now }: { readonly usual: string; readonly now: number },
): URLSearchParams {
  const asked = query.get('since') ?? usual;
  const since = timeSince(asked, now);
  if (since === undefined) return query;
  const until = query.get('until') ?? new Date(now).toISOString();
  return withChanges(query, { since: new Date(since).toISOString(), until });
}

/** The query with the parameters of that name only. */
export function onlyOf(query: URLSearchParams, names: readonly string[]): URLSearchParams {
  return new URLSearchParams([...query].filter(([name]) => names.includes(name)));
}

export function sharedFilters(query: URLSearchParams): URLSearchParams {
  return onlyOf(query, SHARED_FILTERS);
}

/** Undefined where it is not valid percent-encoding. */
function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    // The error of decodeURIComponent says nothing more.
    return undefined;
  }
}
