/** How far people and the criterion agree, and whether more labels are worth giving. It follows each answer. */
import { useEffect } from 'preact/hooks';
import type { ReviewAgreement } from '../../api/review.ts';
import { useReply } from '../api/use-reply.ts';
import { Here } from '../shell/here.tsx';
import { ScoreEstimate, ShareEstimate } from '../text/estimate.tsx';
import { counted, countText } from '../text/format.ts';
import { SpanText } from '../text/span-text.tsx';

interface AgreementProps {
  readonly suite: string;
  readonly criterion: string;
  /** Asks again whenever it changes. */
  readonly changes: number;
}

export function Agreement({ suite, criterion, changes }: AgreementProps) {
  const asked = useReply<ReviewAgreement>('/api/v1/review/agreement', {
    query: new URLSearchParams({ suite, criterion }),
  });
  const { again } = asked;
  useEffect(() => {
    if (changes > 0) again();
  }, [changes, again]);
  return (
    <section class="agreement" aria-label="Agreement">
      <h3>People and the criterion</h3>
      <Here of={asked} otherwise={(why) => <p class="mistake">{why}</p>}>
        {(agreement) => <Figures agreement={agreement} />}
      </Here>
    </section>
  );
}

const NOT_CORRECTED: Readonly<Record<string, string>> = {
  'code-answers': 'The criterion is answered by code: nothing is corrected.',
  'nothing-judged': 'The judge has not answered anything yet.',
  'none-of-passed': 'Corrected pass rate: needs a label of something that it passed.',
  'none-of-failed': 'Corrected pass rate: needs a label of something that it failed.',
};

function Figures({ agreement }: { readonly agreement: ReviewAgreement }) {
  const [latest, ...earlier] = agreement.versions;
  if (latest === undefined) {
    return <p>Nobody has labelled what it answered yet. The first labels show how far it agrees with people.</p>;
  }
  const { counts, agreed, kappa, corrected_rate: corrected, not_corrected_because: because } = latest;
  const more = latest.more_labels;
  return (
    <div>
      <dl class="agreement-figures">
        {[
          ['Kappa', kappa === undefined ? 'unknown: all answers are the same' : <ScoreEstimate estimate={kappa} />],
          ['Agreed', agreed === undefined ? 'unknown' : <ShareEstimate estimate={agreed} />],
          ...(corrected === undefined
            ? []
            : [['Corrected pass rate', <ShareEstimate estimate={corrected} />] as const]),
        ].flatMap(([name, value]) => [
          <dt key={`${String(name)} name`}>{name}</dt>,
          <dd key={String(name)}>{value}</dd>,
        ])}
      </dl>
      {corrected === undefined && because !== undefined && <p class="aside">{NOT_CORRECTED[because] ?? because}</p>}
      <p class="limits" role="status">
        {more === 0
          ? `${counted(latest.labelled, 'label')}: kappa is known to 0.1 on either side. More labels change little.`
          : `${counted(latest.labelled, 'label')}; about ${countText(more)} more are worth giving${ofWhat(latest)}.`}
      </p>
      <table class="confusion">
        <caption class="only-heard">What people and the criterion said</caption>
        <thead>
          <tr>
            <td />
            <th scope="col">people: pass</th>
            <th scope="col">people: fail</th>
          </tr>
        </thead>
        <tbody>
          <tr>
            <th scope="row">it: pass</th>
            {cell(counts.pass_of_pass)}
            {cell(counts.pass_of_fail)}
          </tr>
          <tr>
            <th scope="row">it: fail</th>
            {cell(counts.fail_of_pass)}
            {cell(counts.fail_of_fail)}
          </tr>
        </tbody>
      </table>
      {latest.disputed > 0 && (
        <p class="limits">{`People disagree about ${counted(latest.disputed, 'answer')}: these count for neither.`}</p>
      )}
      <People people={agreement.people} />
      {earlier.length > 0 && (
        <p class="aside">{`${counted(earlier.length, 'earlier version')} of it have labels as well.`}</p>
      )}
    </div>
  );
}

function ofWhat({ missing, label_next: next }: ReviewAgreement['versions'][number]): string {
  const kinds = next === undefined ? missing : [next];
  return kinds.length === 0 ? '' : `, above all of what it ${kinds.join(' and ')}`;
}

function cell(count: number) {
  return <td class="number">{countText(count)}</td>;
}

function People({ people }: { readonly people: ReviewAgreement['people'] }) {
  const { labellers, subjects, agreed, kappa } = people;
  if (labellers.length < 2) return null;
  return (
    <div class="people">
      <h3>People among themselves</h3>
      <SpanText in="p" class="aside" text={labellers.join(', ')} />
      {subjects === 0 && <p>No two people have answered the same conversation yet.</p>}
      {agreed !== undefined && (
        <p>
          {'Agreed '}
          <ShareEstimate estimate={agreed} />
        </p>
      )}
      {kappa !== undefined && (
        <p>
          {'Kappa '}
          <ScoreEstimate estimate={kappa} />
        </p>
      )}
    </div>
  );
}
