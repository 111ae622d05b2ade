/** May B be released? The decision of the release gate against A, with every rule that is not kept, and why. */
import { h, type JSX } from 'preact';
import type { GateAnswer } from '../../api/experiments.ts';
import { useReply } from '../api/use-reply.ts';
import { counted } from '../text/format.ts';
import { quotedForShell } from '../text/quoted-for-shell.ts';
import { SpanText } from '../text/span-text.ts';
import { Command } from './no-experiments.ts';

type Rule = GateAnswer['result']['rules'][number];

const WORDS: Readonly<Record<Rule['decision'], string>> = {
  pass: 'pass',
  regression: 'regression',
  not_enough_evidence: 'not enough evidence',
  not_applicable: 'not applicable',
};
const MARKS: Readonly<Record<Rule['decision'], string>> = {
  pass: '✓',
  regression: '✕',
  not_enough_evidence: '?',
  not_applicable: '–',
};
const ORDER: readonly Rule['decision'][] = ['regression', 'not_enough_evidence', 'pass', 'not_applicable'];
const CASES_SHOWN = 5;

export function GateDecision({
  baseline,
  candidate,
}: {
  readonly baseline: string;
  readonly candidate: string;
}): JSX.Element {
  const { reply, isOld } = useReply<GateAnswer>(
    '/api/v1/experiments/gate',
    new URLSearchParams({ candidate, baseline }),
  );
  return h(
    'section',
    { class: isOld ? 'gate old' : 'gate', 'aria-busy': isOld },
    h('h2', null, 'May B be released?'),
    reply === undefined && h('p', { class: 'loading', role: 'status' }, 'Deciding …'),
    reply !== undefined &&
      reply.is !== 'here' &&
      h('p', { class: 'limits' }, 'The gate decides nothing: ', h(SpanText, { text: reply.why, charactersMax: 2_000 })),
    reply?.is === 'here' && h(Decided, { answer: reply.value, baseline }),
  );
}

function Decided({
  answer: { rules: from, result },
  baseline,
}: {
  readonly answer: GateAnswer;
  readonly baseline: string;
}): JSX.Element {
  const { decision, sentence, rules, confidence } = result;
  const suites = new Set(rules.map(({ suite }) => suite));
  const open = rules
    .filter((one) => one.decision === 'regression' || one.decision === 'not_enough_evidence')
    .toSorted((x, y) => ORDER.indexOf(x.decision) - ORDER.indexOf(y.decision));
  const rest = rules.filter((one) => !open.includes(one));
  const row = (rule: Rule) =>
    h(RuleRow, { key: `${rule.suite} ${rule.rule} ${rule.limit}`, rule, namesSuite: suites.size > 1 });
  const kept = rest.filter((one) => one.decision === 'pass').length;
  return h(
    'div',
    null,
    h('p', { class: `conclusion ${decision}` }, h('b', null, h(SpanText, { text: sentence, charactersMax: 1_000 }))),
    h(
      'p',
      { class: 'aside' },
      from === 'file'
        ? 'Decided by gate.yaml of the folder where the service was started'
        : 'Decided by the rules that hold where there is no gate.yaml',
      `, on intervals at ${Number((confidence * 100).toFixed(1))} %, all rules together.`,
    ),
    open.length > 0 && h('ul', { class: 'rules' }, ...open.map(row)),
    rest.length > 0 &&
      h(
        'details',
        null,
        h(
          'summary',
          null,
          [
            ...(kept > 0 ? [`${counted(kept, 'rule')} kept`] : []),
            ...(rest.length > kept ? [`${counted(rest.length - kept, 'rule')} not applicable`] : []),
          ].join(', '),
        ),
        h('ul', { class: 'rules' }, ...rest.map(row)),
      ),
    from === 'default' &&
      h(
        'details',
        null,
        h('summary', null, 'Rules of your own'),
        h('p', null, 'This writes gate.yaml with rules that A keeps, to be looked over and committed:'),
        h(Command, { text: `npx assay gate ${quotedForShell(baseline)} --init` }),
      ),
  );
}

function RuleRow({ rule, namesSuite }: { readonly rule: Rule; readonly namesSuite: boolean }): JSX.Element {
  const { decision, because, examples } = rule;
  const more = examples.length - CASES_SHOWN;
  return h(
    'li',
    { class: decision },
    h(
      'span',
      { class: `word ${decision}` },
      h('span', { class: 'mark', 'aria-hidden': 'true' }, MARKS[decision]),
      WORDS[decision],
    ),
    h('b', null, h(SpanText, { text: namesSuite ? `${rule.suite}: ${rule.rule}` : rule.rule })),
    h('span', { class: 'rule-why' }, h(SpanText, { text: because, charactersMax: 1_000 })),
    examples.length > 0 &&
      h(
        'span',
        { class: 'aside' },
        'Cases: ',
        h(SpanText, { text: examples.slice(0, CASES_SHOWN).join(', ') }),
        more > 0 ? ` and ${more} more` : '',
      ),
  );
}
