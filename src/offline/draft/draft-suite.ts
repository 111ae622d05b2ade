/**
 * Drafts a suite from tool schemas, a system prompt and recorded traffic, without a model.
 *
 *   said       by the prompt: kept, whatever the traffic does
 *   stated     by a schema: kept, unless most of the traffic breaks it
 *   supposed   a lookup before a change, a yes before a change, a source of an id: kept if traffic shows it
 *
 * Every rule was tried (`trial.ts`). Nothing here depends on time or chance.
 */
import type { Conversation } from '../../model/conversation.ts';
import type { ToolNames } from '../../model/tool-names.ts';
import { toolEffects } from '../../score/subject/tool-effects.ts';
import { shareOf } from '../../statistics/calibrate/estimate.ts';
import { plainLine, type WrittenRule } from './drafted-files.ts';
import { claimsIn } from './prompt-patterns.ts';
import type { Sentence } from './prompt-sentences.ts';
import { type Claim, type Measured, named, type Origin, type Rule } from './rule.ts';
import { criterionOf } from './rule-criterion.ts';
import { examplesOf } from './rule-examples.ts';
import { schemaRules, sourceRules, supposedOrders } from './supposed-rules.ts';
import type { ToolSchema } from './tool-schemas.ts';
import { measured, tried } from './trial.ts';

interface ToDraft {
  readonly name: string;
  readonly tools: readonly ToolSchema[];
  readonly sentences: readonly Sentence[];
  readonly conversations: readonly Conversation[];
  /** Tools as the configuration describes them. */
  readonly settings: ToolNames | undefined;
  readonly onProgress?: (done: number) => void;
}

type Unnamed = Omit<Rule, 'name'>;

export interface DraftedRule extends WrittenRule {
  /** Undefined without a recording. */
  readonly measured: Measured | undefined;
}

export interface Draft {
  readonly rules: readonly DraftedRule[];
  readonly doubted: readonly DraftedRule[];
  readonly leftOut: readonly { readonly name: string; readonly because: string }[];
}

const RULES_MAX = 100;
/** A supposed rule needs so many conversations, and so great a share of them. */
const CONVERSATIONS_MIN = 20;
const SHARE_MIN = 0.95;
/** Conversations for each tool of a rule about several. */
const OWN_CONVERSATIONS_MIN = 5;
const LOOKUPS_MAX = 2;
const DOUBTED_BEYOND = 0.5;
/** Share of failures beyond which a rule that nobody has stated is doubted. */
const SUPPOSED_DOUBTED_BEYOND = 0.2;

export async function draftSuite(parts: ToDraft): Promise<Draft> {
  const { tools, conversations } = parts;
  const { reading, writing } = byEffect(parts);
  const said = distinct(promptRules(parts.sentences, { all: tools, writing })).slice(0, RULES_MAX);
  const leftOut: { name: string; because: string }[] = [];
  const try_ = async (rules: readonly Unnamed[]) => {
    const written = writtenRules(named(rules), tools, leftOut);
    const trial = await tried(written, {
      name: parts.name,
      tools: tools.map(({ name }) => name),
      settings: parts.settings,
    });
    leftOut.push(...trial.leftOut.map(({ rule: { rule }, because }) => ({ name: rule.name, because })));
    return { rules: trial.rules, counts: measured(trial.suite, conversations, parts.onProgress) };
  };
  const supposed = conversations.length === 0 ? [] : shown(await try_(supposedRules(reading, writing, said)));
  const agreed = conversations.length === 0 ? said : await agreedYes(said, try_);
  const natural: readonly Unnamed[] = [
    ...sourceRules(writing),
    ...(writing.length === 0 ? [] : [onceRule(writing)]),
    ...tools.flatMap((tool) => schemaRules(tool)),
  ];
  const all = distinct([...agreed, ...supposed, ...natural]);
  if (all.length > RULES_MAX)
    leftOut.push({ name: `${all.length - RULES_MAX} rules`, because: `a suite has at most ${RULES_MAX} here` });
  const { rules, counts } = await try_(all.slice(0, RULES_MAX));
  const drafted = rules.map((written): DraftedRule => {
    const figures = conversations.length === 0 ? undefined : (counts.get(written.rule.name) ?? NEVER);
    return { ...written, from: fromInWords(written.rule.origin, figures), measured: figures };
  });
  const isSeen = ({ rule: { origin }, measured: figures = NEVER }: DraftedRule) =>
    origin.is !== 'traffic' || isShown(figures, CONVERSATIONS_MIN);
  return {
    rules: drafted.filter((one) => isSeen(one) && !isDoubted(one)),
    doubted: drafted.filter(isDoubted),
    leftOut: [...new Map(leftOut.map((one) => [`${one.name} ${one.because}`, one])).values()],
  };
}

function isDoubted({ rule: { origin, claim }, measured: figures }: DraftedRule): boolean {
  if (origin.is !== 'schema' || figures === undefined) return false;
  const isSupposed = claim.is === 'known' || claim.is === 'once';
  return figures.fails > (isSupposed ? SUPPOSED_DOUBTED_BEYOND : DOUBTED_BEYOND) * figures.applies;
}

const NEVER: Measured = { applies: 0, fails: 0, failing: [] };

/** Effects by the configuration, by the hints of the file, and by names. */
function byEffect({ tools, settings }: ToDraft) {
  const hinted = (effect: ToolSchema['hint']) => tools.filter(({ hint }) => hint === effect).map(({ name }) => name);
  const { of } = toolEffects([settings, { writes: hinted('writes'), reads: hinted('reads') }]);
  return {
    reading: tools.filter(({ name }) => of(name) === 'reads'),
    writing: tools.filter(({ name }) => of(name) === 'writes'),
  };
}

function promptRules(sentences: readonly Sentence[], tools: Parameters<typeof claimsIn>[1]): readonly Unnamed[] {
  return sentences.flatMap((sentence) =>
    claimsIn(sentence, tools).map(
      (claim): Unnamed => ({
        claim,
        origin: { is: 'prompt', line: sentence.line, sentence: sentence.text },
      }),
    ),
  );
}

function onceRule(writing: readonly ToolSchema[]): Unnamed {
  return {
    claim: { is: 'once', tools: writing.map(({ name }) => name) },
    origin: { is: 'schema', at: 'names of tools that change something' },
  };
}

/** Orders and agreements that the prompt does not ask for. */
function supposedRules(
  reading: readonly ToolSchema[],
  writing: readonly ToolSchema[],
  said: readonly Unnamed[],
): readonly Unnamed[] {
  const asksForYes = said.some(({ claim }) => claim.is === 'confirmed');
  const yes = asksForYes ? [] : writing.map(({ name }) => yesTo(name, { is: 'traffic' }));
  const isSaid = (order: Unnamed) => said.some(({ claim }) => covers(claim, order.claim));
  return [...supposedOrders(reading, writing).filter((order) => !isSaid(order)), ...yes];
}

function covers(claim: Claim, other: Claim): boolean {
  if (claim.is !== 'before' || other.is !== 'before') return false;
  return claim.first === other.first && other.later.every((tool) => claim.later.includes(tool));
}

function yesTo(tool: string, origin: Origin): Unnamed {
  return { claim: { is: 'confirmed', tools: [tool] }, origin };
}

interface Trial {
  readonly rules: readonly WrittenRule[];
  readonly counts: ReadonlyMap<string, Measured>;
}

/** Supposed rules that the traffic shows. Rules of one form become one about several tools; the caller measures it. */
function shown({ rules, counts }: Trial): readonly Unnamed[] {
  const figuresOf = ({ rule }: WrittenRule) => counts.get(rule.name) ?? NEVER;
  const held = rules.filter((rule) => isShown(figuresOf(rule), OWN_CONVERSATIONS_MIN));
  const firsts = new Map<string, string[]>();
  const taken = new Map<string, number>();
  // The lookup that most changes share is asked about first.
  const orders = held.flatMap((one) =>
    one.rule.claim.is === 'before' ? [{ ...one.rule.claim, figures: figuresOf(one) }] : [],
  );
  const sharedBy = (first: string) => orders.filter((one) => one.first === first).length;
  for (const { first, later } of orders.toSorted((a, b) => sharedBy(b.first) - sharedBy(a.first))) {
    const [tool = ''] = later;
    const count = taken.get(tool) ?? 0;
    if (count >= LOOKUPS_MAX) continue;
    taken.set(tool, count + 1);
    firsts.set(first, [...(firsts.get(first) ?? []), tool]);
  }
  const befores = [...firsts].map(
    ([first, later]): Unnamed => ({
      claim: { is: 'before', first, later },
      origin: { is: 'traffic' },
    }),
  );
  const yes = held.flatMap(({ rule }) => (rule.claim.is === 'confirmed' ? rule.claim.tools : []));
  return yes.length === 0
    ? befores
    : [...befores, { claim: { is: 'confirmed', tools: yes }, origin: { is: 'traffic' } }];
}

function isShown({ applies, fails }: Measured, least: number): boolean {
  return applies >= least && applies - fails >= SHARE_MIN * applies;
}

/** A sentence about any change does not mean a tool that the traffic mostly calls without a yes. */
async function agreedYes(
  said: readonly Unnamed[],
  try_: (rules: readonly Unnamed[]) => Promise<Trial>,
): Promise<readonly Unnamed[]> {
  const agreed: Unnamed[] = [];
  for (const rule of said) {
    const { claim, origin } = rule;
    if (claim.is !== 'confirmed' || claim.tools.length < 2) {
      agreed.push(rule);
      continue;
    }
    const { rules, counts } = await try_(claim.tools.map((tool) => yesTo(tool, origin)));
    const meant = rules.flatMap(({ rule: { name, claim: own } }) => {
      const { applies, fails } = counts.get(name) ?? NEVER;
      const isContradicted = applies >= OWN_CONVERSATIONS_MIN && fails > DOUBTED_BEYOND * applies;
      return own.is === 'confirmed' && !isContradicted ? own.tools : [];
    });
    if (meant.length > 0) agreed.push({ claim: { is: 'confirmed', tools: meant }, origin });
  }
  return agreed;
}

/** The first of equal claims stays. */
function distinct(rules: readonly Unnamed[]): readonly Unnamed[] {
  const keyOf = ({ claim }: Unnamed) => JSON.stringify(claim.is === 'confirmed' ? [claim.is, claim.tools] : claim);
  const firsts = new Map<string, Unnamed>();
  for (const rule of rules) if (!firsts.has(keyOf(rule))) firsts.set(keyOf(rule), rule);
  return [...firsts.values()];
}

function writtenRules(
  rules: readonly Rule[],
  tools: readonly ToolSchema[],
  leftOut: { name: string; because: string }[],
): readonly WrittenRule[] {
  const lookupsBefore = new Map<string, string[]>();
  for (const { claim } of rules)
    if (claim.is === 'before')
      for (const tool of claim.later) lookupsBefore.set(tool, [...(lookupsBefore.get(tool) ?? []), claim.first]);
  const around = { tools: new Map(tools.map((tool) => [tool.name, tool])), lookupsBefore };
  return rules.flatMap((rule) => {
    const examples = examplesOf(rule, around);
    if (typeof examples === 'string') {
      leftOut.push({ name: rule.name, because: examples });
      return [];
    }
    return [{ rule, criterion: criterionOf(rule), ...examples, from: fromInWords(rule.origin, undefined) }];
  });
}

const SENTENCE_SHOWN_MAX = 200;

function fromInWords(origin: Origin, figures: Measured | undefined): string {
  const seen = figures === undefined ? undefined : figuresInWords(figures);
  switch (origin.is) {
    case 'prompt':
      return [
        `prompt, line ${origin.line}: "${plainLine(origin.sentence).slice(0, SENTENCE_SHOWN_MAX).toWellFormed()}"`,
        seen,
      ]
        .filter((part) => part !== undefined)
        .join('; ');
    case 'schema':
      return [plainLine(`schema: ${origin.at}`).slice(0, SENTENCE_SHOWN_MAX), seen]
        .filter((part) => part !== undefined)
        .join('; ');
    case 'traffic':
      return `traffic: ${seen ?? 'supposed'}`;
  }
}

function figuresInWords({ applies, fails }: Measured): string {
  const share = shareOf(applies - fails, applies);
  if (share === undefined) return 'arises in no recorded conversation';
  const [lower, upper] = [share.lower, share.upper].map((one) => Math.round(one * 100));
  return `kept in ${applies - fails} of ${applies} conversations (${lower} to ${upper} %)`;
}
