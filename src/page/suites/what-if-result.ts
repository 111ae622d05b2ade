/** Figures, outcomes and conversations as they are and as they would have been, and the diff of the suite's file. */
import { h, type JSX } from 'preact';
import type { ApiEstimate } from '../../api/shapes.ts';
import type { WhatIf } from '../../api/what-if.ts';
import type { About } from '../../model/evaluation.ts';
import { wordsOf } from '../../model/suite-words.ts';
import { OUTCOMES_IN_ORDER } from '../../model/severity.ts';
import type { WhyNotWeighed } from '../../model/what-if.ts';
import { addressOf } from '../shell/place.ts';
import { Copy } from '../text/copy.ts';
import { capitalized } from '../text/capitalized.ts';
import { ScoreEstimate, ShareEstimate } from '../text/estimate.ts';
import { counted, countText, points, scoreText } from '../text/format.ts';
import { OutcomeMark } from '../text/outcome.ts';
import { SpanText } from '../text/span-text.ts';

const NO_FILTERS = new URLSearchParams();
const REASONS: Readonly<Record<WhyNotWeighed, string>> = {
  no_verdicts_kept: 'were stored before verdicts were kept for this',
  other_version: 'are by a version of the suite with other criteria',
  other_question: 'have a criterion or condition in code, which may have been other code then',
  other_judge: 'were judged by another model, or asked in another way',
  reads_conversation: 'need the conversation itself, because a rule for outcomes looks at it',
};

interface ResultProps {
  readonly answer: WhatIf;
  readonly about: About;
}

export function WhatIfResult({ answer, about }: ResultProps): JSX.Element {
  const { compared, changed, scope, moved, not_answered: notAnswered = {}, yaml, is_diff: isDiff } = answer;
  const what = scope === 'turn' ? 'turn' : 'conversation';
  return h(
    'div',
    { class: 'what-if-result' },
    h(
      'p',
      { role: 'status' },
      compared === 0
        ? `No ${what} of this time was scored by this suite.`
        : `${countText(changed)} of ${counted(compared, what)} would have a different score or outcome.`,
    ),
    h(
      'ul',
      { class: 'limits' },
      ...Object.entries(notAnswered).map(([why, count]) =>
        // The cast holds because the keys are those of the type.
        h('li', { key: why }, `${countText(count)} are in no figure: they ${REASONS[why as WhyNotWeighed]}`),
      ),
    ),
    compared > 0 && h(Figures, { answer, about }),
    moved.length > 0 && h(MovedList, { moved, changed }),
    yaml !== '' && isDiff && h(Diff, { yaml }),
    !isDiff && h('p', { class: 'aside' }, h(SpanText, { text: yaml, charactersMax: 600 })),
  );
}

function Figures({ answer: { before, after }, about }: ResultProps): JSX.Element {
  const { goodRate: name, score } = wordsOf(about);
  const outcomes = OUTCOMES_IN_ORDER.filter((one) => before.outcomes[one] + after.outcomes[one] > 0);
  return h(
    'table',
    { class: 'before-after' },
    h(
      'thead',
      null,
      h(
        'tr',
        null,
        h('th', { scope: 'col' }, h('span', { class: 'only-heard' }, 'Figure')),
        ...['Is', 'Would be', 'Change'].map((one) => h('th', { key: one, scope: 'col', class: 'number' }, one)),
      ),
    ),
    h(
      'tbody',
      null,
      estimateRow(`${capitalized(score)}, the mean score`, [before.tcr, after.tcr], (estimate) =>
        h(ScoreEstimate, { estimate }),
      ),
      estimateRow(capitalized(name), [before.success, after.success], (estimate) => h(ShareEstimate, { estimate })),
      ...outcomes.map((outcome) => {
        const [is, would] = [before.outcomes[outcome], after.outcomes[outcome]];
        return h(
          'tr',
          { key: outcome },
          h('th', { scope: 'row' }, h(OutcomeMark, { outcome })),
          h('td', { class: 'number' }, countText(is)),
          h('td', { class: 'number' }, countText(would)),
          h(
            'td',
            { class: 'number' },
            is === would ? '' : `${would < is ? '−' : '+'}${countText(Math.abs(would - is))}`,
          ),
        );
      }),
    ),
  );
}

function estimateRow(
  name: string,
  [is, would]: readonly [ApiEstimate | undefined, ApiEstimate | undefined],
  show: (estimate: ApiEstimate) => JSX.Element,
): JSX.Element {
  const shown = (one: ApiEstimate | undefined) => (one === undefined ? 'not known' : show(one));
  const change = is === undefined || would === undefined ? '' : points(would.value - is.value);
  return h(
    'tr',
    { key: name },
    h('th', { scope: 'row' }, name),
    h('td', { class: 'number' }, shown(is)),
    h('td', { class: 'number' }, shown(would)),
    h('td', { class: 'number' }, change === '0.0' || change === '' ? change : `${change} points`),
  );
}

function MovedList({ moved, changed }: { readonly moved: WhatIf['moved']; readonly changed: number }): JSX.Element {
  const more = changed - moved.length;
  return h(
    'div',
    null,
    h('h3', null, 'What changes most'),
    h(
      'ul',
      { class: 'moved-list' },
      ...moved.map((one) =>
        h(
          'li',
          { key: `${one.conversation_id} ${one.turn_id ?? ''}` },
          h(
            'a',
            { href: addressOf('conversations', NO_FILTERS, one.conversation_id) },
            h(SpanText, { text: one.conversation_id, charactersMax: 60 }),
          ),
          h('span', { class: 'side' }, h(OutcomeMark, { outcome: one.before.outcome }), scoreOf(one.before.score)),
          h('span', { 'aria-hidden': 'true' }, '→'),
          h('span', { class: 'only-heard' }, ' would be '),
          h('span', { class: 'side' }, h(OutcomeMark, { outcome: one.after.outcome }), scoreOf(one.after.score)),
        ),
      ),
    ),
    more > 0 && h('p', { class: 'aside' }, `${countText(more)} more change.`),
  );
}

function Diff({ yaml }: { readonly yaml: string }): JSX.Element {
  return h(
    'details',
    { class: 'diff' },
    h('summary', null, "The change of the suite's file"),
    h('div', { class: 'command' }, h('pre', { tabIndex: 0 }, yaml), h(Copy, { text: yaml, label: 'Copy the diff' })),
  );
}

function scoreOf(score: number | null): string {
  return score === null ? ' no score' : ` ${scoreText(score)}`;
}
