/** How far people and the criterion agree, and whether more labels are worth giving. It follows each answer. */
import { h, type JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import type { ReviewAgreement } from '../../api/review.ts';
import { useReply } from '../api/use-reply.ts';
import { ScoreEstimate, ShareEstimate } from '../text/estimate.ts';
import { counted, countText } from '../text/format.ts';
import { SpanText } from '../text/span-text.ts';

interface AgreementProps {
  readonly suite: string;
  readonly criterion: string;
  /** Asks again whenever it changes. */
  readonly changes: number;
}

export function Agreement({ suite, criterion, changes }: AgreementProps): JSX.Element {
  const { reply, again } = useReply<ReviewAgreement>(
    '/api/v1/review/agreement',
    new URLSearchParams({ suite, criterion }),
  );
  useEffect(() => {
    if (changes > 0) again();
  }, [changes, again]);
  return h(
    'section',
    { class: 'agreement', 'aria-label': 'Agreement' },
    h('h3', null, 'People and the criterion'),
    reply === undefined && h('p', { class: 'loading', role: 'status' }, 'Loading …'),
    reply !== undefined && reply.is !== 'here' && h('p', { class: 'mistake' }, reply.why),
    reply?.is === 'here' && h(Figures, { agreement: reply.value }),
  );
}

const NOT_CORRECTED: Readonly<Record<string, string>> = {
  'code-answers': 'The criterion is answered by code: nothing is corrected.',
  'nothing-judged': 'The judge has not answered anything yet.',
  'none-of-passed': 'Corrected pass rate: needs a label of something that it passed.',
  'none-of-failed': 'Corrected pass rate: needs a label of something that it failed.',
};

function Figures({ agreement }: { readonly agreement: ReviewAgreement }): JSX.Element {
  const [latest, ...earlier] = agreement.versions;
  if (latest === undefined) {
    return h(
      'p',
      null,
      'Nobody has labelled what it answered yet. The first labels show how far it agrees with people.',
    );
  }
  const { counts, agreed, kappa, corrected_rate: corrected, not_corrected_because: because } = latest;
  const more = latest.more_labels;
  return h(
    'div',
    null,
    h(
      'dl',
      { class: 'agreement-figures' },
      [
        ['Kappa', kappa === undefined ? 'unknown: all answers are the same' : h(ScoreEstimate, { estimate: kappa })],
        ['Agreed', agreed === undefined ? 'unknown' : h(ShareEstimate, { estimate: agreed })],
        ...(corrected === undefined
          ? []
          : [['Corrected pass rate', h(ShareEstimate, { estimate: corrected })] as const]),
      ].flatMap(([name, value]) => [
        h('dt', { key: `${String(name)} name` }, name),
        h('dd', { key: String(name) }, value),
      ]),
    ),
    corrected === undefined && because !== undefined && h('p', { class: 'aside' }, NOT_CORRECTED[because] ?? because),
    h(
      'p',
      { class: 'limits', role: 'status' },
      more === 0
        ? `${counted(latest.labelled, 'label')}: kappa is known to 0.1 on either side. More labels change little.`
        : `${counted(latest.labelled, 'label')}; about ${countText(more)} more are worth giving${ofWhat(latest)}.`,
    ),
    h(
      'table',
      { class: 'confusion' },
      h('caption', { class: 'only-heard' }, 'What people and the criterion said'),
      h(
        'thead',
        null,
        h(
          'tr',
          null,
          h('td', null),
          h('th', { scope: 'col' }, 'people: pass'),
          h('th', { scope: 'col' }, 'people: fail'),
        ),
      ),
      h(
        'tbody',
        null,
        h('tr', null, h('th', { scope: 'row' }, 'it: pass'), cell(counts.pass_of_pass), cell(counts.pass_of_fail)),
        h('tr', null, h('th', { scope: 'row' }, 'it: fail'), cell(counts.fail_of_pass), cell(counts.fail_of_fail)),
      ),
    ),
    latest.disputed > 0 &&
      h(
        'p',
        { class: 'limits' },
        `People disagree about ${counted(latest.disputed, 'answer')}: these count for neither.`,
      ),
    h(People, { people: agreement.people }),
    earlier.length > 0 &&
      h('p', { class: 'aside' }, `${counted(earlier.length, 'earlier version')} of it have labels as well.`),
  );
}

function ofWhat({ missing, label_next: next }: ReviewAgreement['versions'][number]): string {
  const kinds = next === undefined ? missing : [next];
  return kinds.length === 0 ? '' : `, above all of what it ${kinds.join(' and ')}`;
}

function cell(count: number): JSX.Element {
  return h('td', { class: 'number' }, countText(count));
}

function People({ people }: { readonly people: ReviewAgreement['people'] }): JSX.Element | null {
  const { labellers, subjects, agreed, kappa } = people;
  if (labellers.length < 2) return null;
  return h(
    'div',
    { class: 'people' },
    h('h3', null, 'People among themselves'),
    h('p', { class: 'aside' }, h(SpanText, { text: labellers.join(', ') })),
    subjects === 0 && h('p', null, 'No two people have answered the same conversation yet.'),
    agreed !== undefined && h('p', null, 'Agreed ', h(ShareEstimate, { estimate: agreed })),
    kappa !== undefined && h('p', null, 'Kappa ', h(ScoreEstimate, { estimate: kappa })),
  );
}
