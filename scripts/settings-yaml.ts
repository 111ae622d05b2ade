/** A configuration file that says what holds without one: the settings of a level with their defaults; those without one are commented out. */
import { stringify } from 'yaml';
import { isOf, type Level, settingsIn, type Section } from '../src/config/section.ts';
import type { Declared, Setting } from '../src/config/setting.ts';

const COMMENT_AT = 29;
const WIDTH = 120;

export function settingsYaml(level: Level, sections: readonly Section<unknown>[]): string {
  return sections
    .map((section) => sectionYaml(section, level))
    .filter((yaml) => yaml !== '')
    .join('\n');
}

function sectionYaml({ declared, help }: Section<unknown>, level: Level): string {
  const settings = settingsIn(declared).filter((setting) => isOf(level, setting) || isByName(setting));
  const lines: string[] = [];
  const open: string[] = [];
  for (const setting of settings) {
    const groups = setting.key.split('.').slice(0, -1);
    for (const [depth, group] of groups.entries()) {
      if (open[depth] === group) continue;
      open.splice(depth, open.length, group);
      if (depth === 0 && lines.length > 0) lines.push('');
      lines.push(...line('  '.repeat(depth), `${group}:`, lines.length === 0 ? help : ''));
    }
    open.splice(groups.length);
    lines.push(...settingYaml(setting, '  '.repeat(groups.length), level));
  }
  return lines.map((one) => `${one}\n`).join('');
}

function settingYaml(setting: Setting<unknown>, indent: string, level: Level): string[] {
  const { key, variable, help } = setting;
  const first = key.split('.').at(-1) ?? key;
  if (setting.variableOnly) return [`${indent}# ${variable} (never in the file): ${help}`];
  if (setting.isSecret) {
    const file = `/run/secrets/${first.replace(/_file$/, '').replaceAll('_', '-')}`;
    return line(indent, `# ${first}: ${file}`, `${help} Or in ${variable}.`);
  }
  if (isByName(setting)) {
    const members = Object.values(setting.members ?? {})
      .filter((member) => isOf(level, member) || member.required)
      .flatMap((member) => settingYaml(member, `${indent}    `, level));
    return [...line(indent, `${first}:`, help), `${indent}  default:`, ...members];
  }
  const { default: usual, example } = setting as Declared;
  if (setting.required) return line(indent, `${first}: ${flow(example)}`, help);
  if (usual === undefined) return line(indent, `# ${first}: ${flow(example)}`, help);
  const such = example === undefined ? '' : ` For example: ${flow(example)}`;
  return line(indent, `${first}: ${flow(usual)}`, `${help}${such}`);
}

/** Mappings by name, such as judges, are shown with one member, whose required settings have examples. */
export function isByName({ members, default: usual }: Setting<unknown>): boolean {
  return members !== undefined && usual !== undefined && !Array.isArray(usual);
}

/** The comment stands behind the setting and goes on below; before it, where there is no room behind. */
function line(indent: string, written: string, comment: string): string[] {
  const left = `${indent}${written}`;
  const isBefore = left.length > COMMENT_AT - 2;
  const column = isBefore ? indent.length : COMMENT_AT;
  const rows: string[] = [];
  for (const word of comment.split(' ').filter((one) => one !== '')) {
    const row = rows.at(-1);
    if (row === undefined || column + row.length + 1 + word.length > WIDTH) rows.push(`# ${word}`);
    else rows[rows.length - 1] = `${row} ${word}`;
  }
  if (isBefore) return [...rows.map((row) => `${indent}${row}`), left];
  const [first = '', ...others] = rows;
  return [`${left.padEnd(COMMENT_AT)}${first}`.trimEnd(), ...others.map((row) => `${' '.repeat(COMMENT_AT)}${row}`)];
}

/** On one line, as in the rest of the page. */
export function flow(value: unknown): string {
  return stringify(value, { collectionStyle: 'flow', flowCollectionPadding: false, lineWidth: 0 }).trim();
}
