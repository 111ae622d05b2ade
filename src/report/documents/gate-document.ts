/** `assay gate` for a person: the decision, and each rule with its figures. */
import { counted } from '../../model/counted.ts';
import type { About } from '../../model/evaluation.ts';
import {
  type GateResult,
  type GateSide,
  isLastLook,
  type JudgedRule,
  neededWords,
  type RuleDecision,
} from '../../model/gate.ts';
import { speaksOfSuccess, wordsOf } from '../../model/suite-words.ts';
import { unchangedPhrase } from './comparison-rows.ts';
import { aside, type Block, command, type Document, line, listed, name, note } from './document.ts';
import { type Phrase, type Piece, type Row, say, section, subject, type Tone, toned } from './document.ts';

const TITLES = {
  pass: 'The release gate passes',
  regression: 'The release gate found a regression',
  not_enough_evidence: 'The release gate has not enough evidence',
} as const satisfies Record<GateResult['decision'], string>;

/** In the order in which a reader wants them. */
const WORDS = {
  regression: ['bad', 'regression'],
  not_enough_evidence: ['unsure', 'not enough evidence'],
  pass: ['good', 'pass'],
  not_applicable: ['aside', 'not applicable'],
} as const satisfies Record<RuleDecision, readonly [Tone, string]>;
const ORDER = Object.keys(WORDS);

/** The answer alone, with the command that shows each rule. */
export function gateSentence(result: GateResult, detailsBy: string): Document {
  return { ...headOf(result), blocks: [...remarksOf(result), line(say`Each rule: ${command(`npx ${detailsBy}`)}`)] };
}

/** `by` is a sentence about the origin of the rules, where nobody wrote them. */
export function gateDocument(result: GateResult, by: string | undefined): Document {
  const { candidate, baseline, rules, about } = result;
  const against = baseline === undefined ? ', against fixed numbers' : say` against ${sideOf(baseline)}`;
  const compared = baseline === undefined ? '' : say`, ${command(`npx assay compare ${baseline.id} ${candidate.id}`)}`;
  return {
    ...headOf(result),
    blocks: [
      ...remarksOf(result),
      line(say`${sideOf(candidate)}${against}`),
      ...(by === undefined ? [] : [aside(by)]),
      ...[...Map.groupBy(rules, ({ suite }) => suite)].map(([suite, own]) =>
        suiteSection(suite, own, about.get(suite)),
      ),
      ...(rules.some(({ is }) => is !== 'count')
        ? [aside(`Limits and tests are decided at ${confidenceText(result)}, all of them together.`)]
        : []),
      line(say`The cases: ${command(`npx assay show ${candidate.id} <case>`)}${compared}`),
    ],
  };
}

function headOf({ decision, sentence }: GateResult): Pick<Document, 'title' | 'verdict'> {
  return { title: TITLES[decision], verdict: toned(WORDS[decision][0], sentence) };
}

function remarksOf(result: GateResult): readonly Block[] {
  return [...(result.look === undefined ? [] : [line(lookText(result))]), ...result.warnings.map(note)];
}

function sideOf({ id, name: called, agentVersion, commit, runs }: GateSide): Phrase {
  const version = agentVersion === undefined ? '' : say`, version ${name(agentVersion)}`;
  const at = commit === undefined ? '' : say`, commit ${name(commit.slice(0, 12))}`;
  return say`${subject(called)} (${name(id)}${version}${at}, ${counted(runs, 'run')})`;
}

function suiteSection(suite: string, rules: readonly JudgedRule[], about: About | undefined): Block {
  const { limit } = wordsOf(about);
  const sorted = rules.toSorted((a, b) => ORDER.indexOf(a.decision) - ORDER.indexOf(b.decision));
  const same = sorted.filter(isUnchanged);
  const rowsOf = (rule: JudgedRule): readonly Row[] => {
    const { allowed, value, interval } = rule.shown;
    const below = explained(rule);
    return [
      [decisionOf(rule), ruleName(rule, about), allowed, value, interval],
      ...(below.length === 0 ? [] : [{ below }]),
    ];
  };
  return section(name(suite), [
    ...(limit === undefined ? [] : [aside(limit)]),
    {
      is: 'table',
      rows: [
        { head: ['', 'rule', 'allowed', 'found', 'interval'] },
        ...sorted.filter((rule) => !isUnchanged(rule)).flatMap(rowsOf),
        { short: unchangedRows(same), folded: same.flatMap(rowsOf) },
      ],
    },
  ]);
}

function decisionOf({ decision }: JudgedRule): Piece {
  const [tone, word] = WORDS[decision];
  return toned(tone, word);
}

/** A criterion that has the same verdict in each case, compared with a baseline. */
function isUnchanged(rule: JudgedRule): boolean {
  return rule.is === 'limit' && rule.rule.startsWith('criterion.') && rule.figures?.moved === 0;
}

/** One row for all criteria with the same answer. */
function unchangedRows(rules: readonly JudgedRule[]): readonly Row[] {
  return [...Map.groupBy(rules, (rule) => `${rule.decision} ${neededText(rule)}`).values()].map((same) => {
    const names = unchangedPhrase([...new Set(same.map(({ rule }) => rule.slice('criterion.'.length)))]);
    // The groups have members.
    const [first] = same as [JudgedRule, ...JudgedRule[]];
    return [decisionOf(first), say`${names}${neededText(first)}`];
  });
}

function neededText(rule: JudgedRule): string {
  if (rule.is !== 'limit' || rule.decision !== 'not_enough_evidence') return '';
  return `; ${neededWords(rule)}`;
}

/** The reason of a decision that stops or may stop the release, and of a count that left cases out. */
function explained(rule: JudgedRule): readonly Phrase[] {
  const { decision, because, examples } = rule;
  const isOpen = decision === 'regression' || decision === 'not_enough_evidence';
  const leavesOut = rule.is !== 'limit' && Object.values(rule.counted.leftOut).some((count) => count > 0);
  const readWith = rule.is === 'limit' ? undefined : rule.readWith;
  return [
    ...(isOpen || leavesOut ? [because] : []),
    ...(examples.length === 0 ? [] : [say`Cases: ${listed(examples)}`]),
    ...(readWith === undefined ? [] : [say`Read the first: ${command(`npx ${readWith}`)}`]),
  ];
}

/** The rule as `gate.yaml` writes it, and its subject in a suite that has no evidence of the task. */
function ruleName(rule: JudgedRule, about: About | undefined): Phrase {
  const called = calledHere(rule, about);
  return called === undefined ? name(rule.rule) : say`${name(rule.rule)} (${called})`;
}

function calledHere({ rule }: Pick<JudgedRule, 'rule'>, about: About | undefined): string | undefined {
  if (speaksOfSuccess(about)) return undefined;
  const { goodRate, score, one } = wordsOf(about);
  if (rule === 'success_rate') return goodRate;
  if (rule === 'tcr') return score;
  return rule.endsWith('_per_success') ? `per ${one}` : undefined;
}

/** Where a sequential gate stands; empty for any other. */
function lookText({ look, decision }: GateResult): string {
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
function confidenceText({ confidence, look }: GateResult): string {
  const percent = (share: number, places: number) => `${Number((share * 100).toFixed(places))} %`;
  if (look === undefined || look.share === 1) return percent(confidence, 1);
  return `${percent(1 - (1 - confidence) * look.share, 2)} at this look, which is ${percent(confidence, 1)} over all looks`;
}
