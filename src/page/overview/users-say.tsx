/** How often users agree with the score, where any gave feedback: with its count and its interval, never alone. */
import type { FeedbackFigures } from '../../api/feedback-figures.ts';
import { useReply } from '../api/use-reply.ts';
import { addressOf, onlyOf, type Place, withChanges } from '../shell/place.ts';
import { ShareEstimate } from '../text/estimate.tsx';
import { counted, countText } from '../text/format.ts';

const EVERY_MS = 60_000;

export function UsersSay({ place, since }: { readonly place: Place; readonly since: string }) {
  const asked = onlyOf(place.query, ['suite', 'agent', 'since']);
  const query = asked.has('since') ? asked : withChanges(asked, { since });
  const { reply } = useReply<FeedbackFigures>('/api/v1/feedback', { query, everyMs: EVERY_MS });
  if (reply?.is !== 'here') return null;
  const { conversations, counts, agreement, undecided, cut } = reply.value;
  const { positive, neutral, negative } = conversations;
  const all = positive + neutral + negative;
  if (all === 0) return null;
  const against = counts.negative_of_success + counts.positive_of_failure;
  return (
    <section class="users-say">
      <h2>What users say</h2>
      <p>
        {`${cut ? 'At least ' : ''}${counted(all, 'conversation')} with feedback: ${countText(positive)} positive, `}
        {`${countText(negative)} negative, ${countText(neutral)} neutral. `}
        {agreement === undefined ? 'None of it can be compared with success.' : 'Agrees with success: '}
        {agreement !== undefined && <ShareEstimate estimate={agreement} />}
        {agreement !== undefined && ` of ${counted(agreement.n, 'conversation')}`}
        {undecided > 0 && `; ${countText(undecided)} not decided`}
        {'. '}
        <a href={addressOf('conversations', negativeOnes(place, query))}>Show the negative ones</a>
      </p>
      {against > 0 && (
        <p class="aside">
          {`${counted(against, 'conversation')} where users say the opposite: `}
          {`${countText(counts.negative_of_success)} negative with success, `}
          {`${countText(counts.positive_of_failure)} positive with failure. The review queue has them.`}
        </p>
      )}
      <p class="aside">Users who give feedback are not a sample of all users.</p>
    </section>
  );
}

function negativeOnes(place: Place, asked: URLSearchParams): URLSearchParams {
  return withChanges(onlyOf(place.query, ['suite', 'agent']), {
    since: asked.get('since') ?? undefined,
    feedback: 'negative',
  });
}
