/** Says that nothing has come for a while: figures of an hour ago look like those of now. */
import type { ConversationList } from '../../api/conversation-list.ts';
import { serviceNow } from '../api/service-clock.ts';
import { useReply } from '../api/use-reply.ts';
import { onlyOf, type Place, withChanges } from '../shell/place.ts';
import { durationText } from '../text/format.ts';
import { Time } from '../text/time.tsx';

const EVERY_MS = 60_000;
const WHILE_MS = 3_600_000;

export function LastSeen({ place }: { readonly place: Place }) {
  const filters = onlyOf(place.query, ['agent', 'agent_version', 'environment', 'segment']);
  const { reply } = useReply<ConversationList>('/api/v1/conversations', {
    query: withChanges(filters, { limit: '1' }),
    everyMs: EVERY_MS,
  });
  const last = reply?.is === 'here' ? reply.value.conversations[0]?.began_at : undefined;
  if (last === undefined) return null;
  const ago = serviceNow() - Date.parse(last);
  if (!(ago > WHILE_MS)) return null;
  return (
    <p class="last-seen" role="status">
      {`No conversation for ${durationText(ago)}: the last one began at `}
      <Time at={last} />.
    </p>
  );
}
