/**
 * Expressions that a search tries, in the language of suites. A check holds where nothing is wrong. A condition says when
 * a check is asked. Each is short, and has words that a person reads without knowing the language.
 */
import type { Field, Vocabulary } from './vocabulary.ts';

export interface Expression {
  readonly cel: string;
  readonly words: string;
  /** Its parts, for which a longer one has to give something. */
  readonly size: number;
}

const OFTEN = [2, 3];
const CALLS = [4, 8, 16];
const TURNS = [1, 3, 6];
const ENDINGS = ['asked', 'refused', 'handed_over', 'abandoned', 'error', 'no_answer'];

export function checksOf({ tools, fields, said }: Vocabulary): readonly Expression[] {
  return [
    ...tools.flatMap(ofTool),
    ...pairsOf(tools),
    ...fields.flatMap(ofField),
    ...CALLS.map((most) => plain(`size(tool_calls) <= ${most}`, `there are at most ${most} calls of tools`)),
    plain('!tool_calls.exists(c, c.failed)', 'no call of a tool fails'),
    plain(
      'tool_calls.all(a, tool_calls.filter(b, b.name == a.name && b.args_text == a.args_text).size() < 2)',
      'no call is made twice with the same arguments',
    ),
    plain(
      '!claims_change || tool_calls.exists(c, writes(c.name) && c.ok && !c.failed)',
      'a change that the answer tells of was made',
    ),
    plain('tool_calls.exists(c, writes(c.name) && c.ok && !c.failed)', 'something is changed'),
    plain('!tool_calls.exists(c, writes(c.name) && c.ok && !c.failed)', 'nothing is changed'),
    ...TURNS.flatMap((most) => [
      plain(`size(turns) <= ${most}`, `there ${most === 1 ? 'is one turn' : `are at most ${most} turns`}`),
      plain(`size(turns) > ${most}`, moreTurns(most)),
    ]),
    ...ENDINGS.map((ending) => plain(`ending != '${ending}'`, `it does not end as ${ending}`)),
    ...said.flatMap((word) => [
      plain(`!turns.exists(t, lower(t.final_answer).contains('${word}'))`, `no answer says "${word}"`),
      plain(`turns.exists(t, lower(t.final_answer).contains('${word}'))`, `an answer says "${word}"`),
    ]),
  ];
}

export function conditionsOf({ tools, fields, asked }: Vocabulary): readonly Expression[] {
  return [
    ...tools.map((tool) => plain(`size(tools('${tool}')) > 0`, `${tool} is called`)),
    ...asked.map((word) =>
      plain(`turns.exists(t, lower(t.user_input).contains('${word}'))`, `the user says "${word}"`),
    ),
    ...fields.flatMap(({ tool, of, name, limits }) =>
      limits.map((limit) =>
        plain(
          `tools('${tool}').exists(c, c.ok && c.${of}.?${name}.orValue(${limit}) > ${limit})`,
          `${tool} ${of === 'args' ? 'is called with' : 'gives'} ${name} above ${limit}`,
        ),
      ),
    ),
    ...fields.flatMap(({ tool, of, name, values }) =>
      values.flatMap((value) =>
        [
          ['==', `${name} ${value}`],
          ['!=', `another ${name} than ${value}`],
        ].map(([is, words]) =>
          plain(
            `tools('${tool}').exists(c, c.ok && c.${of}.?${name}.orValue(null) ${is} ${literal(value)})`,
            `${tool} ${of === 'args' ? 'is called with' : 'gives'} ${words}`,
          ),
        ),
      ),
    ),
    ...TURNS.map((more) => plain(`size(turns) > ${more}`, moreTurns(more))),
  ];
}

function moreTurns(than: number): string {
  return `there ${than === 1 ? 'is more than one turn' : `are more than ${than} turns`}`;
}

function ofTool(tool: string): readonly Expression[] {
  const calls = `tools('${tool}')`;
  return [
    plain(`size(${calls}) > 0`, `${tool} is called`),
    plain(`size(${calls}) == 0`, `${tool} is not called`),
    ...OFTEN.map((often) => plain(`size(${calls}) < ${often}`, `${tool} is called less than ${often} times`)),
    plain(`!${calls}.exists(c, c.failed)`, `no call of ${tool} fails`),
    plain(`size(${calls}) == 0 || !last(${calls}).failed`, `the last call of ${tool} does not fail`),
    plain(`size(${calls}) == 0 || last(tool_calls).name != '${tool}'`, `${tool} is not the last call`),
    plain(
      `${calls}.all(a, ${calls}.filter(b, b.args_text == a.args_text).size() < 2)`,
      `${tool} is not called twice with the same arguments`,
    ),
  ];
}

/** Beside each other, and one after the other. */
function pairsOf(tools: readonly string[]): readonly Expression[] {
  return tools.flatMap((tool) =>
    tools
      .filter((other) => other !== tool)
      .flatMap((other) => {
        const none = `size(tools('${tool}')) == 0`;
        const either = `c.name == '${tool}' || (c.name == '${other}' && c.ok && !c.failed)`;
        return [
          {
            cel: `${none} || size(tools('${other}')) > 0`,
            words: `${tool} is called only where ${other} is`,
            size: 2,
          },
          {
            cel: `${none} || first(tool_calls.filter(c, ${either})).name == '${other}'`,
            words: `${tool} is called only after ${other}`,
            size: 2,
          },
        ];
      }),
  );
}

function ofField({ tool, of, name, values, limits, isNamed }: Field): readonly Expression[] {
  const calls = `tools('${tool}')`;
  const value = `c.${of}.?${name}.orValue(null)`;
  const does = of === 'args' ? 'is called with' : 'gives';
  const only = (one: string) =>
    of === 'args' ? `${tool} is called only with ${name} ${one}` : `${tool} gives ${name} ${one}, and nothing else`;
  const call = of === 'args' ? 'c.ok && !c.failed' : 'c.ok';
  return [
    ...values.flatMap((one) => [
      plain(`!${calls}.exists(c, ${call} && ${value} == ${literal(one)})`, `${tool} never ${does} ${name} ${one}`),
      plain(`!${calls}.exists(c, ${call} && ${value} != ${literal(one)})`, only(one)),
    ]),
    ...limits.flatMap((limit) => [
      plain(
        `!${calls}.exists(c, ${call} && c.${of}.?${name}.orValue(${limit}) > ${limit})`,
        `${tool} ${does} ${name} of at most ${limit}`,
      ),
      plain(
        `!${calls}.exists(c, ${call} && c.${of}.?${name}.orValue(${limit}) < ${limit})`,
        `${tool} ${does} ${name} of at least ${limit}`,
      ),
    ]),
    ...(isNamed
      ? [
          {
            cel: `${calls}.all(c, told(string(c.args.${name})))`,
            words: `the user is told the ${name} with which ${tool} is called`,
            size: 1,
          },
          {
            cel: `${calls}.all(c, turns.exists(t, lower(t.user_input).contains(lower(string(c.args.${name})))) || tool_calls.exists(d, d.ok && d.name != '${tool}' && d.result_text.contains(string(c.args.${name}))))`,
            words: `the user or a tool names the ${name} with which ${tool} is called`,
            size: 1,
          },
        ]
      : []),
  ];
}

function plain(cel: string, words: string): Expression {
  return { cel, words, size: 1 };
}

function literal(value: string): string {
  return value === 'true' || value === 'false' ? value : `'${value}'`;
}
