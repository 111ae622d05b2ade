/** Judges: how far each can be trusted, and what is left of the budget. Nothing where no judge is configured. */
import type { Judges, Judging } from '../../api/judges.ts';
import { useReply } from '../api/use-reply.ts';
import { addressOf, type Place, sharedFilters, withChanges } from '../shell/place.ts';
import { ScoreEstimate } from '../text/estimate.tsx';
import { counted } from '../text/format.ts';
import { Time } from '../text/time.tsx';

const EVERY_MS = 60_000;
/** Agreement beyond chance below which people call it poor. */
const POOR_KAPPA = 0.4;

export function JudgeSection({ place }: { readonly place: Place }) {
  const { reply } = useReply<Judges>('/api/v1/judges', { everyMs: EVERY_MS });
  const hasJudges = reply?.is === 'here' && reply.value.judges.length > 0;
  const judging = useReply<Judging>(hasJudges ? '/api/v1/judging' : undefined, { everyMs: EVERY_MS });
  if (reply?.is !== 'here' || !hasJudges) return null;
  const { judges, budget } = reply.value;
  const state = judging.reply?.is === 'here' ? judging.reply.value : undefined;
  return (
    <section class="judges">
      <h2>{judges.length === 1 ? 'The judge' : 'The judges'}</h2>
      {state !== undefined && <p>{spending(state, budget)}</p>}
      <ul>
        {judges.map((judge) => (
          <li key={judge.name}>
            <b>{judge.name}</b>
            {` (${judge.model}). `}
            {waiting(state, judge.name)}
            {trust(judge, place)}
          </li>
        ))}
      </ul>
    </section>
  );
}

function spending({ spent }: Judging, { per_hour: perHour, per_day: perDay }: Judges['budget']) {
  const windows = [
    { of: 'hour', money: spent.last_hour, limit: perHour },
    { of: 'day', money: spent.last_day, limit: perDay },
  ];
  const isLimited = perHour !== undefined || perDay !== undefined;
  const words = windows
    .filter(({ limit }) => !isLimited || limit !== undefined)
    .map(
      ({ of, money, limit }) =>
        `${amount(money)}${limit === undefined ? '' : ` of ${amount(limit)}`} in the last ${of}`,
    );
  const empty = windows.filter(({ money, limit }) => limit !== undefined && money >= limit).map(({ of }) => of);
  const spentWords = `Spent: ${words.join(', ')}${isLimited ? '' : ', without a limit'}. `;
  if (empty.length === 0) return [spentWords];
  return [
    spentWords,
    <span class="limits">{`The budget of the ${empty.join(' and the ')} is used up: questions wait.`}</span>,
  ];
}

/** The currency is that of the configured prices, which nobody names. */
function amount(money: number): string {
  return money > 0 && money < 0.01 ? money.toPrecision(1) : money.toFixed(2);
}

function waiting(state: Judging | undefined, judge: string) {
  const one = state?.waiting.find(({ judge: name }) => name === judge);
  if (one === undefined) return [];
  return [
    `${counted(one.questions, 'question')} ${one.questions === 1 ? 'waits' : 'wait'}, the oldest since `,
    <Time at={one.oldest_at} />,
    '. ',
  ];
}

/** A judge that nobody has checked is said to be that, as plainly as a bad one. */
function trust({ criteria }: Judges['judges'][number], place: Place) {
  const known = criteria.filter(({ kappa }) => kappa !== undefined);
  if (known.length === 0) {
    const labels = criteria.reduce((sum, one) => sum + one.labels, 0);
    const few =
      labels === 0
        ? 'nobody has labelled what it was asked'
        : `${counted(labels, 'label')} cannot tell yet how far it can be trusted`;
    return [
      <span class="limits">{`Unchecked: ${few}. `}</span>,
      <a href={addressOf('review', sharedFilters(place.query))}>Label some</a>,
    ];
  }
  return known.flatMap(({ suite, criterion, kappa, labels }) => [
    <span key={`${suite} ${criterion}`} class="judged-criterion">
      <a href={addressOf('review', withChanges(sharedFilters(place.query), { suite, criterion }))}>{criterion}</a>
      {' kappa '}
      {kappa === undefined ? '' : <ScoreEstimate estimate={kappa} />}
      {` on ${counted(labels, 'label')}`}
      {kappa !== undefined && kappa.value < POOR_KAPPA && <span class="limits">{' poor'}</span>}
      {'. '}
    </span>,
  ]);
}
