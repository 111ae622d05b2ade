/** Figures, outcomes and conversations as they are and as they would have been, and the diff of the suite's file. */
import type { ApiEstimate } from '../../api/shapes.ts';
import type { WhatIf } from '../../api/what-if.ts';
import type { About } from '../../model/evaluation.ts';
import { wordsOf } from '../../model/suite-words.ts';
import { OUTCOMES_IN_ORDER } from '../../model/severity.ts';
import type { WhyNotWeighed } from '../../model/what-if.ts';
import { addressOf } from '../shell/place.ts';
import { capitalized } from '../text/capitalized.ts';
import { Command } from '../text/command.tsx';
import { ScoreEstimate, ShareEstimate } from '../text/estimate.tsx';
import { counted, countText, points, scoreText } from '../text/format.ts';
import { OutcomeMark } from '../text/outcome.tsx';
import { SpanText } from '../text/span-text.tsx';
import { Table } from '../text/table.tsx';

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

export function WhatIfResult({ answer, about }: ResultProps) {
  const { compared, changed, scope, moved, not_answered: notAnswered = {}, yaml, is_diff: isDiff } = answer;
  const what = scope === 'turn' ? 'turn' : 'conversation';
  return (
    <div class="what-if-result">
      <p role="status">
        {compared === 0
          ? `No ${what} of this time was scored by this suite.`
          : `${countText(changed)} of ${counted(compared, what)} would have a different score or outcome.`}
      </p>
      <ul class="limits">
        {Object.entries(notAnswered).map(([why, count]) => (
          // The cast holds because the keys are those of the type.
          <li key={why}>{`${countText(count)} are in no figure: they ${REASONS[why as WhyNotWeighed]}`}</li>
        ))}
      </ul>
      {compared > 0 && <Figures answer={answer} about={about} />}
      {moved.length > 0 && <MovedList moved={moved} changed={changed} />}
      {yaml !== '' && isDiff && <Diff yaml={yaml} />}
      {!isDiff && <SpanText in="p" class="aside" text={yaml} charactersMax={600} />}
    </div>
  );
}

function Figures({ answer: { before, after }, about }: ResultProps) {
  const { goodRate: name, score } = wordsOf(about);
  const outcomes = OUTCOMES_IN_ORDER.filter((one) => before.outcomes[one] + after.outcomes[one] > 0);
  return (
    <Table class="before-after" heads={{ Figure: 'only-heard', Is: 'number', 'Would be': 'number', Change: 'number' }}>
      <EstimateRow
        name={`${capitalized(score)}, the mean score`}
        is={before.tcr}
        would={after.tcr}
        of={ScoreEstimate}
      />
      <EstimateRow name={capitalized(name)} is={before.success} would={after.success} of={ShareEstimate} />
      {outcomes.map((outcome) => {
        const [is, would] = [before.outcomes[outcome], after.outcomes[outcome]];
        return (
          <tr key={outcome}>
            <th scope="row">
              <OutcomeMark outcome={outcome} />
            </th>
            <td class="number">{countText(is)}</td>
            <td class="number">{countText(would)}</td>
            <td class="number">{is === would ? '' : `${would < is ? '−' : '+'}${countText(Math.abs(would - is))}`}</td>
          </tr>
        );
      })}
    </Table>
  );
}

interface EstimateRowProps {
  readonly name: string;
  readonly is: ApiEstimate | undefined;
  readonly would: ApiEstimate | undefined;
  readonly of: typeof ScoreEstimate;
}

function EstimateRow({ name, is, would, of: Estimate }: EstimateRowProps) {
  const change = is === undefined || would === undefined ? '' : points(would.value - is.value);
  return (
    <tr>
      <th scope="row">{name}</th>
      <td class="number">
        <Estimate estimate={is} />
      </td>
      <td class="number">
        <Estimate estimate={would} />
      </td>
      <td class="number">{change === '0.0' || change === '' ? change : `${change} points`}</td>
    </tr>
  );
}

function MovedList({ moved, changed }: { readonly moved: WhatIf['moved']; readonly changed: number }) {
  const more = changed - moved.length;
  return (
    <div>
      <h3>What changes most</h3>
      <ul class="moved-list">
        {moved.map((one) => (
          <li key={`${one.conversation_id} ${one.turn_id ?? ''}`}>
            <a href={addressOf('conversations', NO_FILTERS, one.conversation_id)}>
              <SpanText text={one.conversation_id} charactersMax={60} />
            </a>
            <Side of={one.before} />
            <span aria-hidden="true">→</span>
            <span class="only-heard">{' would be '}</span>
            <Side of={one.after} />
          </li>
        ))}
      </ul>
      {more > 0 && <p class="aside">{`${countText(more)} more change.`}</p>}
    </div>
  );
}

function Diff({ yaml }: { readonly yaml: string }) {
  return (
    <details class="diff">
      <summary>The change of the suite's file</summary>
      <Command text={yaml} label="Copy the diff" />
    </details>
  );
}

function Side({ of: { outcome, score } }: { readonly of: WhatIf['moved'][number]['before'] }) {
  return (
    <span class="side">
      <OutcomeMark outcome={outcome} />
      {score === null ? ' no score' : ` ${scoreText(score)}`}
    </span>
  );
}
