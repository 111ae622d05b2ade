/**
 * Follows the conversations that a running service scores. The latest ones are read every two seconds, which shows
 * turns as they are scored. One that began long before is named by the service's events when it is evaluated as a whole.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { type ConversationItem, conversationList } from '../api/conversation-list.ts';
import { liveConversations } from '../api/live.ts';
import { tryParseJson } from '../model/json.ts';
import { ask, type AskedService, askResponse, reading } from './running-service.ts';

const EVERY_MS = 2_000;
const CONNECT_AGAIN_MS = 10_000;
const CONNECTED_MS = 5 * 60_000;
/** Conversations that the service lists at once by their ids. */
const LISTED_MAX = 50;
const NAMED_MAX = 1_000;
/** Conversations that are known to have been shown. */
const SHOWN_MAX = 10_000;
const EVENT_CHARACTERS_MAX = 1 << 20;

export type FollowState = 'watching' | 'away' | 'back';

interface Following {
  readonly signal: AbortSignal;
  /** Called once when all that comes will be shown, once when the service goes, and once when it is back. */
  readonly onChange: (state: FollowState) => void;
}

/** Fails if the service is not there at the beginning; later it is waited for. */
export async function* followConversations(
  service: AskedService,
  { signal, onChange }: Following,
): AsyncGenerator<ConversationItem> {
  const shown = new Map<string, string>();
  for (const item of await listed(service, [])) shown.set(item.conversation_id, scoresOf(item));
  onChange('watching');
  const named = new Set<string>();
  // Never rejects, and ends with the signal.
  void listen(service, named, signal);
  let isAway = false;
  while (!signal.aborted) {
    await wait(EVERY_MS, undefined, { signal }).catch(() => undefined);
    try {
      const ids = [...named].slice(0, LISTED_MAX);
      const items = [...(ids.length > 0 ? await listed(service, ids) : []), ...(await listed(service, []))];
      for (const id of ids) named.delete(id);
      if (isAway) onChange('back');
      isAway = false;
      for (const item of items.toSorted((a, b) => Date.parse(a.updated_at) - Date.parse(b.updated_at))) {
        const scores = scoresOf(item);
        if (item.evaluations.length === 0 || shown.get(item.conversation_id) === scores) continue;
        shown.delete(item.conversation_id);
        shown.set(item.conversation_id, scores);
        const [oldest] = shown.keys();
        if (shown.size > SHOWN_MAX && oldest !== undefined) shown.delete(oldest);
        yield item;
      }
    } catch {
      // The reason does not matter: the next answer ends it.
      if (!isAway && !signal.aborted) onChange('away');
      isAway = true;
    }
  }
}

/** Equal while nothing was scored since. */
function scoresOf({ evaluations }: ConversationItem): string {
  return JSON.stringify(evaluations.map(({ suite, turn_id, outcome, score }) => [suite, turn_id, outcome, score]));
}

/** Conversations with these ids; without ids, the latest ones. */
async function listed({ url, token }: AskedService, ids: readonly string[]): Promise<readonly ConversationItem[]> {
  const asked = new URL(`/api/v1/conversations?limit=${LISTED_MAX}`, url);
  for (const id of ids) asked.searchParams.append('conversation_id', id);
  return conversationList.parse(await ask(asked, reading(token))).conversations;
}

/** Collects the ids of conversations that were evaluated. The service ends the connection now and then. */
async function listen({ url, token }: AskedService, named: Set<string>, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      // A connection that died without a word is noticed by its age.
      const aged = AbortSignal.any([signal, AbortSignal.timeout(CONNECTED_MS)]);
      const { body } = await askResponse(new URL('/api/v1/live', url), { ...reading(token), signal: aged });
      let text = '';
      for await (const piece of body?.pipeThrough(new TextDecoderStream()) ?? []) {
        const events = (text + piece).split('\n\n');
        text = (events.pop() ?? '').slice(-EVENT_CHARACTERS_MAX);
        for (const id of events.flatMap(idsIn)) if (named.size < NAMED_MAX) named.add(id);
      }
    } catch {
      // Without events the latest conversations are shown all the same.
    }
    await wait(CONNECT_AGAIN_MS, undefined, { signal }).catch(() => undefined);
  }
}

function idsIn(event: string): readonly string[] {
  if (!event.startsWith('event: conversation\n')) return [];
  const data = event.split('\n').find((line) => line.startsWith('data: '));
  const { data: said } = liveConversations.safeParse(tryParseJson(data?.slice(6) ?? ''));
  return said?.conversations.map(({ conversation_id: id }) => id) ?? [];
}
