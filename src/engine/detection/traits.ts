/**
 * Reads from a conversation what regression detection groups conversations by: its user, tools, models, sub-agents, the
 * version of the prompt, language, type of error, intent. So a customer, a language or a tool for which everything breaks is seen.
 *
 * Only what is decoded anyway is read, and the attributes of the turns' roots. Names are cut, and there are few of them.
 */
import type { Conversation } from '../../model/conversation.ts';
import { subAgentsBySpan } from '../../model/sub-agents.ts';
import type { Turn } from '../../model/turn.ts';
import { visibleText } from '../../model/visible-text.ts';
import type { SeenConversation } from '../../store/evaluation-columns.ts';
import { keyHash } from '../../store/key-hash.ts';

const TOOLS_MAX = 4;
const MODELS_MAX = 2;
const SUB_AGENTS_MAX = 3;
const NAME_MAX = 60;
const USER_BYTES = 9;

/** Bytes of a hash that a JavaScript number holds exactly. */
const KEY_BYTES = 6;

const KINDS: readonly (readonly [trait: string, keys: readonly string[]])[] = [
  ['language', ['language', 'user.language', 'gen_ai.request.language', 'conversation.language', 'locale']],
  ['intent', ['intent', 'user.intent', 'gen_ai.intent', 'conversation.intent']],
];

/** Attributes of a turn's root that say what kind of request it was, by what they are called here. */
const BY_ATTRIBUTE: readonly (readonly [trait: string, keys: readonly string[]])[] = [
  ['prompt', ['gen_ai.prompt.version', 'prompt.version', 'llm.prompt_template.version', 'gen_ai.prompt.name']],
  ...KINDS,
];

/**
 * A hash of the user's id, else of the session's where that is not the conversation itself. Empty where nobody is named.
 * The id itself is not kept.
 */
export function userOf(conversation: Conversation): string {
  return hashOfUser(conversation)?.subarray(0, USER_BYTES).toString('base64url') ?? '';
}

/**
 * Numbers that are the same for conversations of one user, and for those of one kind: what was asked for and in which language, which was so before
 * the agent did anything. Tools, models and errors are the agent's own doing, and no kind.
 */
export function comesFrom(conversation: Conversation): Pick<SeenConversation, 'userKey' | 'kindKey'> {
  const kind = KINDS.flatMap(([trait, keys]) => {
    const value = attributeOf(conversation.turns, keys);
    return value === undefined ? [] : `${trait}: ${value}`;
  });
  return {
    userKey: hashOfUser(conversation)?.readUIntBE(0, KEY_BYTES),
    kindKey: kind.length === 0 ? undefined : keyHash(kind.join('\n')).readUIntBE(0, KEY_BYTES),
  };
}

function hashOfUser({ id, turns }: Conversation): Buffer | undefined {
  const user = turns.find(({ userId }) => userId !== undefined && userId !== '')?.userId ?? sessionOf(turns);
  return user === undefined || user === '' || user === id ? undefined : keyHash(user);
}

/** Says what kind of request it was. */
export function requestTraits(turns: readonly Turn[]): readonly string[] {
  return BY_ATTRIBUTE.flatMap(([trait, keys]) => {
    const shown = shownName(attributeOf(turns, keys));
    return shown === '' ? [] : `${trait}: ${shown}`;
  });
}

export function traitsOf(conversation: Conversation): readonly string[] {
  const { turns } = conversation;
  const traits = new Set<string>();
  const add = (trait: string, name: string | undefined) => {
    const shown = shownName(name);
    if (shown !== '') traits.add(`${trait}: ${shown}`);
  };
  for (const name of distinct(turns, ({ toolCalls }) => toolCalls.map((call) => call.name), TOOLS_MAX))
    add('tool', name);
  const modelsOf = ({ steps }: Turn) => steps.flatMap(({ model }) => model?.response ?? model?.request ?? []);
  for (const name of distinct(turns, modelsOf, MODELS_MAX)) add('model', name);
  const subAgents = new Set(subAgentsBySpan(conversation).values());
  for (const name of [...subAgents].slice(0, SUB_AGENTS_MAX)) add('sub-agent', name);
  for (const trait of requestTraits(turns)) traits.add(trait);
  add('error', turns.find(({ error }) => error !== undefined)?.error?.type ?? toolErrorOf(turns));
  return [...traits];
}

/** On one line: stores keep facts as lines. */
export function shownName(name: string | undefined): string {
  return name === undefined ? '' : visibleText(name.slice(0, NAME_MAX)).trim().replaceAll('\n', ' ').toWellFormed();
}

function sessionOf(turns: readonly Turn[]): string | undefined {
  return attributeOf(turns, ['session.id']);
}

function toolErrorOf(turns: readonly Turn[]): string | undefined {
  for (const { toolCalls } of turns) for (const { error } of toolCalls) if (error !== undefined) return error.type;
  return undefined;
}

function attributeOf(turns: readonly Turn[], keys: readonly string[]): string | undefined {
  for (const { attributes } of turns)
    for (const key of keys) {
      const value = attributes.get(key);
      if (value !== undefined && value !== '') return String(value);
    }
  return undefined;
}

function distinct(turns: readonly Turn[], namesOf: (turn: Turn) => readonly string[], most: number): Iterable<string> {
  const names = new Set<string>();
  for (const turn of turns)
    for (const name of namesOf(turn)) {
      if (names.size >= most) return names;
      names.add(name);
    }
  return names;
}
