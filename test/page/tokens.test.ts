/**
 * Style sheets of the page use the values of `shell/tokens.css`, whose meaning docs/design.md explains. Canaries break
 * each rule, so that a rule that no longer finds anything is noticed.
 */
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const PAGE = path.resolve(import.meta.dirname, '../../src/page');
const TOKENS = 'shell/tokens.css';
const TYPE_SIZES_MAX = 6;

interface Declaration {
  readonly property: string;
  readonly value: string;
}

const SPACING = /^(?:padding|margin|inset|scroll-margin|(?:row-|column-)?gap$|top$|bottom$|left$|right$)/;
const TAKES_COLOUR = /color|^(?:background|border|outline|fill|stroke|box-shadow)/;
const COLOUR = /#[\da-f]{3,8}\b|\b(?:rgba?|hsla?|hwb|lab|lch|oklab|oklch|color|color-mix|light-dark)\(/i;
const NAMED =
  /\b[a-z]*(?:white|black|red|green|blue|gr[ae]y|orange|yellow|purple|pink|brown|gold|teal|navy|lime|cyan|violet|salmon|tan)\b/i;

/** A rule gives the mistake in a declaration, if it is one. */
const RULES: readonly ((one: Declaration) => string | undefined)[] = [
  ({ property, value }) =>
    /^font(?:-size)?$/.test(property) && /\d(?:px|r?em|pt|%)/.test(value) ? 'use a size of the type scale' : undefined,
  ({ value }) => (COLOUR.test(value) ? 'use a colour with a meaning' : undefined),
  ({ property, value }) =>
    TAKES_COLOUR.test(property) && NAMED.test(value.replace(/var\([^)]*\)/g, ''))
      ? 'use a colour with a meaning'
      : undefined,
  ({ value }) => (/\d(?:ms|s)\b/.test(value) ? 'use --motion, which reduced motion sets to nothing' : undefined),
  ({ property, value }) =>
    /radius/.test(property) && /[1-9]\S*px|r?em/.test(value) ? 'use --radius or --radius-large' : undefined,
  ({ property, value }) => (SPACING.test(property) && isOffGrid(value) ? 'use steps of 4 px, or 1–3 px' : undefined),
];

function isOffGrid(value: string): boolean {
  return [...value.matchAll(/([\d.]+)(px|r?em|pt)\b/g)].some(
    ([, size, unit]) => unit !== 'px' || (Number(size) > 3 ? Number(size) % 4 !== 0 : !Number.isInteger(Number(size))),
  );
}

function declarations(sheet: string): readonly Declaration[] {
  const text = sheet.replace(/\/\*[\s\S]*?\*\//g, '');
  return [...text.matchAll(/(?<=[;{}]\s*)([\w-]+)\s*:\s*([^;{}]+)(?=[;}])/g)].map(([, property = '', value = '']) => ({
    property,
    value: value.trim(),
  }));
}

function mistakes(sheet: string): readonly string[] {
  return declarations(sheet).flatMap((one) =>
    RULES.flatMap((rule) => rule(one) ?? []).map((remedy) => `${one.property}: ${one.value} – ${remedy}`),
  );
}

const sheets = globSync('**/*.css', { cwd: PAGE }).toSorted();
const read = (file: string) => readFileSync(path.join(PAGE, file), 'utf8');
const declared = declarations(read(TOKENS)).map(({ property }) => property);

test.each(sheets.filter((sheet) => sheet !== TOKENS))(
  '%s uses sizes, colours, durations and steps of the design',
  (sheet) => {
    expect(declarations(read(sheet)).length).toBeGreaterThan(0);
    expect(mistakes(read(sheet))).toEqual([]);
  },
);

test('each token that a sheet uses exists, and each that exists is used', () => {
  const files = globSync('**/*.{css,ts,tsx}', { cwd: PAGE });
  const uses = files.flatMap((file) => [...read(file).matchAll(/var\((--[\w-]+)/g)].map(([, name]) => name));
  const scripts = files.filter((file) => !file.endsWith('.css')).map(read);
  const byName = declared.filter((name) => scripts.some((text) => text.includes(`'${name.slice(2)}'`)));

  // A script sets those that follow from data.
  const ofScripts = scripts.flatMap((text) => [...text.matchAll(/'(--[\w-]+)'/g)].map(([, name]) => name));
  const ofSheets = sheets.flatMap((sheet) => declarations(read(sheet)).map(({ property }) => property));

  expect([...new Set(uses)].filter((name) => ![...ofSheets, ...ofScripts].includes(name ?? ''))).toEqual([]);
  expect(declared.filter((name) => name.startsWith('--') && ![...uses, ...byName].includes(name))).toEqual([]);
});

test('the type scale has few sizes, in px and in order', () => {
  const scale = declarations(read(TOKENS)).filter(({ property }) => property.startsWith('--type-'));
  const sizes = scale.map(({ value }) => Number(/^(\d+)px$/.exec(value)?.[1]));

  expect(sizes.length).toBeLessThanOrEqual(TYPE_SIZES_MAX);
  expect(sizes).toEqual(sizes.toSorted((a, b) => a - b));
});

test.each([
  'font-size: 15px',
  'font-size: 0.9em',
  'font: 11px / 1 monospace',
  'color: #fff',
  'background: rgb(0 0 0 / 50%)',
  'border: 1px solid lightgray',
  'box-shadow: 0 0 4px black',
  'background: linear-gradient(to right, white, transparent)',
  'transition: background 80ms',
  'animation: spin 1.5s',
  'border-radius: 3px',
  'padding: 4px 6px',
  'margin-inline-start: -5px',
  'margin-block: 0.5rem',
  'gap: 0.5px',
  'inset-inline-end: 10px',
])('a canary is found: %s', (declaration) => {
  expect(mistakes(`.a {\n  ${declaration};\n}`)).toHaveLength(1);
});

test.each([
  'font: inherit',
  'color: currentcolor',
  'border: 2px solid transparent',
  'border-top: 9px solid var(--hard)',
  'background: var(--on-accent)',
  'padding: 3px 8px',
  'margin: 0 auto -8px',
  'border-radius: 0',
  'inset-inline-start: min(50%, 100% - 2px)',
])('a value of the design is let through: %s', (declaration) => {
  expect(mistakes(`.a { ${declaration} }`)).toEqual([]);
});
