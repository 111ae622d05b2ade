/**
 * Drafts a suite from tool schemas, a system prompt and recorded traffic. A model is asked only if one is named.
 *
 *   said       by the prompt: kept, whatever the traffic does
 *   stated     by a schema: kept, unless most of the traffic breaks it
 *   assumed    of tools that change something: kept, unless some of the traffic breaks it
 *   shown      by traffic alone, a lookup or a yes before a change: kept if nearly all of it does so
 *
 * Every rule was tried (`trial.ts`). Nothing here depends on time or chance.
 */
import { toolEffects } from '../../score/subject/tool-effects.ts';
import { askedRules, type ToAsk } from './asked-rules.ts';
import { claimsIn } from './prompt-patterns.ts';
import { withSeen } from './argument-places.ts';
import type { Sentence } from './prompt-sentences.ts';
import { type Claim, type Measured, plainLine, type Rule } from './rule.ts';
import { schemaRules, sourceRules } from './schema-rules.ts';
import type { ToolSchema } from './tool-schemas.ts';
import { type ToTry, tried } from './trial.ts';
import { type LeftOut, type WrittenRule, writtenRules } from './written-rules.ts';

interface ToDraft extends ToTry {
  readonly sentences: readonly Sentence[];
  /** A model that reads the sentences as well. */
  readonly ask?: ToAsk | undefined;
}

export interface Draft {
  readonly rules: readonly WrittenRule[];
  readonly doubted: readonly WrittenRule[];
  readonly leftOut: readonly LeftOut[];
  /** Sentences of the prompt that no rule follows from. */
  readonly unused: readonly Sentence[];
}

const RULES_MAX = 100;
/** Claims of a prompt that are looked at. */
const CLAIMS_MAX = 1000;
const GUESSES_MAX = 600;
/** A rule that only traffic shows needs so many conversations, and so great a share of them. */
const CONVERSATIONS_MIN = 20;
const SHARE_MIN = 0.95;
/** Conversations for each tool of a rule about several. */
const OWN_CONVERSATIONS_MIN = 5;
const LOOKUPS_MAX = 2;
/** Share of failures beyond which a rule is doubted. */
const DOUBTED_BEYOND = { said: 1, stated: 0.5, assumed: 0.2, shown: 1 } as const;

export async function draftSuite(given: ToDraft): Promise<Draft> {
  const { sentences, conversations } = given;
  const tools = withSeen(given.tools, conversations);
  const parts = { ...given, tools };
  const { reading, writing } = byEffect(parts);
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  const leftOut: LeftOut[] = [];
  const outcomes = async (rules: readonly Rule[], most: number) => {
    const { rules: written, more } = writtenRules(rules, byName, most);
    if (more > 0) leftOut.push({ name: `${more} rules`, because: `a suite has at most ${most} here` });
    const trial = await tried(written, parts);
    leftOut.push(...trial.leftOut);
    return trial.rules;
  };
  const asked = parts.ask === undefined ? { said: [], problems: [] } : await askedRules(parts.ask, sentences, tools);
  leftOut.push(...asked.problems.map((because) => ({ name: 'rules of the model', because })));
  const found = sentences.flatMap((sentence) =>
    claimsIn(sentence, { all: tools, writing }).map((claim) => ({ sentence, claim })),
  );
  const used = new Set([...found, ...asked.said].map(({ sentence }) => sentence));
  const said = [...found, ...asked.said].map(({ sentence, claim }): Rule => {
    const text = `prompt, line ${sentence.line}: "${plainLine(sentence.text)}"`;
    return { claim, origin: { is: 'said', text } };
  });
  const guessed = conversations.length === 0 ? [] : await outcomes(guesses(reading, writing, said), GUESSES_MAX);
  const all = [
    ...said.slice(0, CLAIMS_MAX),
    ...shown(guessed),
    ...writing.flatMap(sourceRules),
    ...onceRule(writing),
    ...tools.flatMap(schemaRules),
  ];
  const drafted = await outcomes(all, RULES_MAX);
  return {
    rules: drafted.filter(
      (rule) => !isDoubted(rule) && (rule.origin.is !== 'shown' || isShown(rule, CONVERSATIONS_MIN)),
    ),
    doubted: drafted.filter(isDoubted),
    unused: sentences.filter((one) => !used.has(one)),
    leftOut: [...new Map(leftOut.map((one) => [`${one.name} ${one.because}`, one])).values()],
  };
}

const NEVER: Measured = { applies: 0, fails: 0, failing: [] };

function isDoubted({ origin, measured = NEVER }: WrittenRule): boolean {
  return measured.fails > DOUBTED_BEYOND[origin.is] * measured.applies;
}

function isShown({ measured: { applies, fails } = NEVER }: WrittenRule, least: number): boolean {
  return applies >= least && applies - fails >= SHARE_MIN * applies;
}

/** Effects by the configuration, by the hints of the file, and by names. */
function byEffect({ tools, settings }: ToDraft) {
  const hinted = (effect: ToolSchema['hint']) => tools.filter(({ hint }) => hint === effect).map(({ name }) => name);
  const { of } = toolEffects([settings, { writes: hinted('writes'), reads: hinted('reads') }]);
  return {
    reading: tools.filter(({ name }) => of(name) === 'reads'),
    writing: tools.filter(({ name }) => of(name) === 'writes'),
  };
}

function onceRule(writing: readonly ToolSchema[]): readonly Rule[] {
  if (writing.length === 0) return [];
  const claim: Claim = { is: 'once', tools: writing.map(({ name }) => name) };
  return [{ claim, origin: { is: 'assumed', text: 'schema: names of tools that change something' } }];
}

/** A yes and each lookup before each change, where the prompt does not say it: which of them hold is not known yet. */
function guesses(
  reading: readonly ToolSchema[],
  writing: readonly ToolSchema[],
  said: readonly Rule[],
): readonly Rule[] {
  const isYesSaid = said.some(({ claim }) => claim.is === 'confirmed');
  const isSaid = (first: string, later: string) =>
    said.some(({ claim }) => claim.is === 'before' && claim.first === first && claim.later.includes(later));
  const yes = isYesSaid ? [] : writing.map(({ name }): Claim => ({ is: 'confirmed', tools: [name] }));
  const orders = writing.flatMap(({ name: later }) =>
    reading
      .filter(({ name: first }) => !isSaid(first, later))
      .map(({ name: first }): Claim => ({ is: 'before', first, later: [later] })),
  );
  return [...yes, ...orders].slice(0, GUESSES_MAX).map(byTraffic);
}

function byTraffic(claim: Claim): Rule {
  return { claim, origin: { is: 'shown', text: 'traffic' } };
}

/** Guesses that the traffic shows. Guesses of one form become one rule about several tools. */
function shown(guessed: readonly WrittenRule[]): readonly Rule[] {
  const held = guessed.filter((one) => isShown(one, OWN_CONVERSATIONS_MIN)).map(({ claim }) => claim);
  const tools = held.flatMap((claim) => (claim.is === 'confirmed' ? claim.tools : []));
  const orders = held.filter((claim) => claim.is === 'before');
  // The lookup that most changes share goes first.
  const lookups = [...Map.groupBy(orders, ({ first }) => first)].toSorted(([, a], [, b]) => b.length - a.length);
  const taken: string[] = [];
  const befores = lookups.flatMap(([first, changes]): readonly Claim[] => {
    const isFree = (tool: string) => taken.filter((one) => one === tool).length < LOOKUPS_MAX;
    const later = changes.flatMap((claim) => claim.later).filter(isFree);
    taken.push(...later);
    return later.length === 0 ? [] : [{ is: 'before', first, later }];
  });
  return [...befores, ...(tools.length === 0 ? [] : [{ is: 'confirmed', tools } as const])].map(byTraffic);
}
