/** Writes the result of a release gate as JSON, as JUnit XML, and as Markdown for a pull request. */
import {
  type GateLook,
  type GateResult,
  type GateSide,
  isLastLook,
  isWaived,
  mayRelease,
  type JudgedByChance,
  type JudgedCount,
  type JudgedLimit,
  type JudgedRule,
  type RuleDecision,
} from '../../model/gate.ts';
import type { GateJson, GateLimitJson } from '../../api/gate.ts';
import { counted } from '../../model/counted.ts';
import { unreachable } from '../../model/unreachable.ts';
import type { About } from '../../model/evaluation.ts';
import { speaksOfSuccess, wordsOf } from '../../model/suite-words.ts';
import { junitDocument, type JUnitResult } from './junit-document.ts';
import { markdownCode, markdownText } from './markdown-text.ts';

export function gateJson(result: GateResult): GateJson {
  const { decision, sentence, confidence, look, candidate, baseline, rules, about, warnings } = result;
  return {
    decision,
    sentence,
    confidence,
    look: look === undefined ? null : lookJson(look),
    candidate: sideJson(candidate),
    baseline: baseline === undefined ? null : sideJson(baseline),
    warnings,
    suites: [...new Set(rules.map(({ suite }) => suite))].map((suite) => ({ suite, about: about.get(suite) ?? null })),
    rules: rules.map(ruleJson),
  };
}

function lookJson({ number, of, cases, ofCases, share, isEnd }: GateLook): GateJson['look'] {
  return {
    number,
    of,
    cases,
    of_cases: ofCases,
    share_of_error: share,
    ended_early: cases < ofCases && isEnd,
  };
}

/** Where a sequential gate stands; empty for any other. */
export function lookText({ look, decision }: GateResult): string {
  if (look === undefined) return '';
  const count = look.ofCases - look.cases;
  const left = counted(count, 'case');
  const at = `Look ${look.number} of ${look.of}, at ${look.cases} of ${look.ofCases} cases`;
  if (isLastLook(look)) return `${at}.`;
  const answer = decision === 'not_enough_evidence' ? 'not decided' : 'decided';
  return look.isEnd
    ? `${at}: ${answer}. The experiment ended here, and ${left} ${count === 1 ? 'was' : 'were'} not run.`
    : `${at}: ${answer}, and ${left} ${count === 1 ? 'is' : 'are'} left to run.`;
}

/** Such as `95 %`. */
export function confidenceText({ confidence, look }: GateResult): string {
  const percent = (share: number, places: number) => `${Number((share * 100).toFixed(places))} %`;
  if (look === undefined || look.share === 1) return percent(confidence, 1);
  return `${percent(1 - (1 - confidence) * look.share, 2)} at this look, which is ${percent(confidence, 1)} over all looks`;
}

function ruleJson(rule: JudgedRule): GateJson['rules'][number] {
  switch (rule.is) {
    case 'limit':
      return limitJson(rule);
    case 'count':
      return { ...casesJson(rule), rule: rule.rule, limit: 'cases', allowed: rule.allowed };
    case 'by_chance':
      return {
        ...casesJson(rule),
        rule: rule.rule,
        limit: 'by_chance',
        allowed: null,
        tests: rule.tests.map(({ criterion, isBroken, ...test }) => ({
          of: criterion === undefined ? 'success' : `criterion.${criterion}`,
          ...test,
          broken: isBroken,
        })),
      };
    default:
      return unreachable(rule);
  }
}

function limitJson(rule: JudgedLimit): GateLimitJson {
  return {
    suite: rule.suite,
    rule: rule.rule,
    limit: rule.limit,
    allowed: rule.allowed,
    decision: rule.decision,
    because: rule.because,
    value: finite(rule.figures?.value),
    lower: finite(rule.figures?.lower),
    upper: finite(rule.figures?.upper),
    baseline: finite(rule.figures?.baseline),
    candidate: finite(rule.figures?.candidate),
    relative: rule.figures?.isRelative ?? null,
    paired: rule.figures?.isPaired ?? null,
    cases: rule.figures?.cases ?? null,
    cases_moved: rule.figures?.moved ?? null,
    cases_needed: rule.casesNeeded ?? null,
    examples: rule.examples,
  };
}

/** Has every case, where other documents have the first few. */
function casesJson({ suite, decision, because, counted, readWith }: JudgedCount | JudgedByChance) {
  const { broken, changed, undecided, notRun, cases, leftOut } = counted;
  return {
    suite,
    decision,
    because,
    value: cases === 0 && broken.length === 0 ? null : broken.length,
    cases,
    examples: broken,
    changed,
    undecided,
    not_run: notRun,
    left_out: leftOut,
    command: readWith ?? null,
  };
}

/** Open intervals have no bound on one side, which JSON can't say otherwise. */
function finite(value: number | undefined): number | null {
  return value === undefined || !Number.isFinite(value) ? null : value;
}

function sideJson({ id, name, agentVersion, commit, startedAt, runs }: GateSide): GateJson['candidate'] {
  return { id, name, agent_version: agentVersion ?? null, commit: commit ?? null, started_at: startedAt, runs };
}

/** The decision and each rule are a test: a regression is a failure, and what can't be told is skipped, unless it counts as a failure. */
export function gateJUnit(
  result: GateResult,
  { onNotEnoughEvidence }: { readonly onNotEnoughEvidence: 'fail' | 'pass' },
): string {
  const { sentence, decision, rules } = result;
  const isStopped = !mayRelease(result, onNotEnoughEvidence);
  const whole: JUnitResult = isStopped
    ? { is: 'failed', type: decision, message: sentence, details: [] }
    : decision === 'pass'
      ? { is: 'passed' }
      : { is: 'skipped', message: sentence };
  return junitDocument([
    { name: 'gate', cases: [{ name: 'decision', result: whole }] },
    ...[...Map.groupBy(rules, ({ suite }) => suite)].map(([suite, rows]) => ({
      name: `gate.${suite}`,
      cases: rows.map((rule) => ({
        name: `${rule.rule} ${rule.shown.allowed}`,
        result: resultOf(rule, onNotEnoughEvidence),
      })),
    })),
  ]);
}

function resultOf(rule: JudgedRule, onNotEnoughEvidence: 'fail' | 'pass'): JUnitResult {
  const { decision, because: message, examples } = rule;
  if (decision === 'pass') return { is: 'passed' };
  if (decision === 'not_applicable' || isWaived(rule, onNotEnoughEvidence)) return { is: 'skipped', message };
  const cases = examples.length === 0 ? [] : [`Cases: ${examples.join(', ')}`];
  return { is: 'failed', type: decision, message, details: [...cases, ...commandOf(rule)] };
}

function commandOf(rule: JudgedRule): readonly string[] {
  return rule.is !== 'limit' && rule.readWith !== undefined ? [rule.readWith] : [];
}

const TITLES = {
  pass: 'The release gate passes',
  regression: 'The release gate found a regression',
  not_enough_evidence: 'The release gate has not enough evidence',
} as const satisfies Record<GateResult['decision'], string>;

const MARKS = {
  pass: 'pass',
  regression: '**regression**',
  not_enough_evidence: 'not enough evidence',
  not_applicable: 'not applicable',
} as const satisfies Record<RuleDecision, string>;

/** The order in which a reader wants them. */
const ORDER: readonly RuleDecision[] = ['regression', 'not_enough_evidence', 'pass', 'not_applicable'];

export function gateMarkdown(result: GateResult): string {
  const { decision, sentence, look, candidate, baseline, rules, about, warnings } = result;
  const lines = [`## ${TITLES[decision]}`, '', markdownText(sentence, 1000), ''];
  lines.push(
    baseline === undefined
      ? `${sideText(candidate)}, against fixed numbers.`
      : `${sideText(candidate)}, against ${sideText(baseline)}.`,
    '',
  );
  if (look !== undefined) lines.push(lookText(result), '');
  for (const warning of warnings) lines.push(`> ${markdownText(warning, 1000)}`, '');
  for (const [suite, rows] of Map.groupBy(rules, (rule) => rule.suite)) {
    const { limit } = wordsOf(about.get(suite));
    lines.push(`### ${markdownText(suite)}`, '', ...(limit === undefined ? [] : [`${limit}.`, '']));
    lines.push('| rule | allowed | found | interval | |', '|---|---|---|---|---|');
    const sorted = rows.toSorted((a, b) => ORDER.indexOf(a.decision) - ORDER.indexOf(b.decision));
    for (const rule of sorted) {
      const cells = [ruleCell(rule, about.get(suite)), rule.shown.allowed, rule.shown.value, rule.shown.interval];
      lines.push(`| ${cells.join(' | ')} | ${MARKS[rule.decision]} |`);
    }
    lines.push('');
    for (const rule of sorted.filter(({ decision: one }) => one === 'regression' || one === 'not_enough_evidence')) {
      const cases = rule.examples.map((id) => markdownCode(id, 80)).join(', ');
      const which = cases === '' ? '' : ` Cases: ${cases}.`;
      const read = commandOf(rule).map((command) => ` Read the first: ${markdownCode(command)}.`);
      lines.push(`* ${markdownCode(rule.rule)}: ${markdownText(rule.because, 1000)}${which}${read.join('')}`);
    }
    lines.push('');
  }
  lines.push(
    `Decided on intervals at ${confidenceText(result)}, all rules together. ` +
      `The cases: ${markdownCode(`assay show ${candidate.id} <case>`)}` +
      (baseline === undefined ? '.' : `, ${markdownCode(`assay compare ${baseline.id} ${candidate.id}`)}.`),
  );
  return `${lines.join('\n').replace(/\n{3,}/g, '\n\n')}\n`;
}

/** The rule as `gate.yaml` writes it, and what it is about in a suite that has no evidence of the task. */
export function gateRuleName(rule: Pick<JudgedRule, 'rule'>, about: About | undefined): string {
  const called = calledHere(rule, about);
  return called === undefined ? rule.rule : `${rule.rule} (${called})`;
}

function ruleCell(rule: JudgedRule, about: About | undefined): string {
  const called = calledHere(rule, about);
  return called === undefined ? markdownCode(rule.rule) : `${markdownCode(rule.rule)} (${called})`;
}

function calledHere({ rule }: Pick<JudgedRule, 'rule'>, about: About | undefined): string | undefined {
  if (speaksOfSuccess(about)) return undefined;
  const { goodRate, score, one } = wordsOf(about);
  if (rule === 'success_rate') return goodRate;
  if (rule === 'tcr') return score;
  return rule.endsWith('_per_success') ? `per ${one}` : undefined;
}

function sideText({ id, name, agentVersion, commit, runs }: GateSide): string {
  const version = agentVersion === undefined ? '' : `, version ${markdownCode(agentVersion, 80)}`;
  const at = commit === undefined ? '' : `, commit ${markdownCode(commit.slice(0, 12))}`;
  return `${markdownCode(name, 80)} (${markdownCode(id)}${version}${at}, ${counted(runs, 'run')})`;
}
