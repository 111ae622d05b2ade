/** May B be released? The decision of the release gate against A, with every rule that is not kept, and why. */
import type { GateAnswer } from '../../api/experiments.ts';
import { useReply } from '../api/use-reply.ts';
import { Here } from '../shell/here.tsx';
import { Command } from '../text/command.tsx';
import { counted } from '../text/format.ts';
import { quotedForShell } from '../text/quoted-for-shell.ts';
import { SpanText } from '../text/span-text.tsx';
import { WordMark } from '../text/word-mark.tsx';

type Rule = GateAnswer['result']['rules'][number];

const LOOKS: Readonly<Record<Rule['decision'], { readonly mark: string; readonly words: string }>> = {
  pass: { mark: '✓', words: 'pass' },
  regression: { mark: '✕', words: 'regression' },
  not_enough_evidence: { mark: '?', words: 'not enough evidence' },
  not_applicable: { mark: '–', words: 'not applicable' },
};
const ORDER: readonly Rule['decision'][] = ['regression', 'not_enough_evidence', 'pass', 'not_applicable'];
const CASES_SHOWN = 5;

export function GateDecision({ baseline, candidate }: { readonly baseline: string; readonly candidate: string }) {
  const asked = useReply<GateAnswer>('/api/v1/experiments/gate', {
    query: new URLSearchParams({ candidate, baseline }),
  });
  return (
    <section class={asked.isOld ? 'gate old' : 'gate'} aria-busy={asked.isOld}>
      <h2>May B be released?</h2>
      <Here
        of={asked}
        wait="Deciding …"
        otherwise={(why) => (
          <p class="limits">
            {'The gate decides nothing: '}
            <SpanText text={why} charactersMax={2_000} />
          </p>
        )}
      >
        {(answer) => <Decided answer={answer} baseline={baseline} />}
      </Here>
    </section>
  );
}

function Decided({
  answer: { rules: from, result },
  baseline,
}: {
  readonly answer: GateAnswer;
  readonly baseline: string;
}) {
  const { decision, sentence, rules, confidence } = result;
  const suites = new Set(rules.map(({ suite }) => suite));
  const open = rules
    .filter((one) => one.decision === 'regression' || one.decision === 'not_enough_evidence')
    .toSorted((x, y) => ORDER.indexOf(x.decision) - ORDER.indexOf(y.decision));
  const rest = rules.filter((one) => !open.includes(one));
  const row = (rule: Rule) => (
    <RuleRow key={`${rule.suite} ${rule.rule} ${rule.limit}`} rule={rule} namesSuite={suites.size > 1} />
  );
  const kept = rest.filter((one) => one.decision === 'pass').length;
  return (
    <div>
      <p class={`conclusion ${decision}`}>
        <SpanText in="b" text={sentence} charactersMax={1_000} />
      </p>
      <p class="aside">
        {from === 'file'
          ? 'Decided by gate.yaml of the folder where the service was started'
          : 'Decided by the rules that hold where there is no gate.yaml'}
        {`, on intervals at ${Number((confidence * 100).toFixed(1))} %, all rules together.`}
      </p>
      {open.length > 0 && <ul class="rules">{open.map(row)}</ul>}
      {rest.length > 0 && (
        <details>
          <summary>
            {[
              ...(kept > 0 ? [`${counted(kept, 'rule')} kept`] : []),
              ...(rest.length > kept ? [`${counted(rest.length - kept, 'rule')} not applicable`] : []),
            ].join(', ')}
          </summary>
          <ul class="rules">{rest.map(row)}</ul>
        </details>
      )}
      {from === 'default' && (
        <details>
          <summary>Rules of your own</summary>
          <p>This writes gate.yaml with rules that A keeps, to be looked over and committed:</p>
          <Command text={`npx assay gate ${quotedForShell(baseline)} --init`} />
        </details>
      )}
    </div>
  );
}

function RuleRow({ rule, namesSuite }: { readonly rule: Rule; readonly namesSuite: boolean }) {
  const { decision, because, examples } = rule;
  const more = examples.length - CASES_SHOWN;
  return (
    <li class={decision}>
      <WordMark kind={decision} {...LOOKS[decision]} />
      <SpanText in="b" text={namesSuite ? `${rule.suite}: ${rule.rule}` : rule.rule} />
      <SpanText in="span" class="rule-why" text={because} charactersMax={1_000} />
      {examples.length > 0 && (
        <span class="aside">
          {'Cases: '}
          <SpanText text={examples.slice(0, CASES_SHOWN).join(', ')} />
          {more > 0 ? ` and ${more} more` : ''}
        </span>
      )}
    </li>
  );
}
