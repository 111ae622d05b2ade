/** Holds the comments, the documentation and the alerts to the rules of plain English. */
import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { type Sentence, sentencesIn, sentencesOf, wideLinesOf } from './passages.ts';
import { mistakeIn } from './rules.ts';

interface Texts {
  readonly name: string;
  readonly globs: readonly string[];
  /** Limits that hold today. The aim is 25 words; a lower limit is welcome, a higher one is not. */
  readonly wordsMax: number;
  /** So that a pattern which no longer matches is noticed. */
  readonly sentencesMin: number;
}

const PAGES: readonly Texts[] = [
  {
    name: 'pages for users',
    globs: [
      'README.md',
      'CONTRIBUTING.md',
      'docs/*.md',
      'docs/{start,score,operate,reference,runbooks}/*.md',
      'examples/**/*.md',
    ],
    wordsMax: 35,
    sentencesMin: 4000,
  },
  { name: 'the changelog', globs: ['CHANGELOG.md'], wordsMax: 35, sentencesMin: 60 },
  { name: 'decisions', globs: ['docs/decisions/*.md'], wordsMax: 40, sentencesMin: 700 },
];

const COMMENTS: readonly Texts[] = [
  { name: 'comments of src', globs: ['src/**/*.{ts,tsx}'], wordsMax: 40, sentencesMin: 7000 },
  {
    name: 'comments of tests, benchmarks, scripts and examples',
    globs: ['{test,bench,scripts,examples}/**/*.{ts,tsx}', 'examples/**/*.{yaml,sh}'],
    wordsMax: 40,
    sentencesMin: 1500,
  },
  {
    name: 'docstrings and comments of Python',
    globs: ['clients/python/{src,tests}/**/*.py', 'test/outside/python/**/*.py'],
    wordsMax: 30,
    sentencesMin: 150,
  },
  {
    name: 'comments of deployments and suites',
    globs: [
      'deploy/**/*.{ts,yaml,yml,sh}',
      'collector-config/*.yaml',
      'suites/*.yaml',
      'docker-compose.yml',
      'Dockerfile',
    ],
    wordsMax: 40,
    sentencesMin: 400,
  },
];

test.each([...PAGES, ...COMMENTS])('$name', ({ globs, wordsMax, sentencesMin }) => {
  const sentences = filesOf(globs).flatMap((file) => sentencesOf(file, readFileSync(file, 'utf8')));

  expect(sentences.length).toBeGreaterThan(sentencesMin);
  expect(mistakesIn(sentences, wordsMax)).toEqual([]);
});

test('annotations of alerts', () => {
  const file = 'deploy/prometheus/assay.rules.yml';
  const annotations = annotationsOf(parse(readFileSync(file, 'utf8')));
  const sentences = annotations.flatMap((text) => sentencesIn(file, { line: 1, text: withoutTemplates(text) }));

  expect(annotations.length).toBeGreaterThan(50);
  expect(mistakesIn(sentences, 35)).toEqual([]);
});

test.each(PAGES)('lines of $name are at most 120 wide', ({ globs }) => {
  const wide = filesOf(globs).flatMap((file) =>
    wideLinesOf(readFileSync(file, 'utf8')).map(({ line, text }) => `${file}:${line}: wrap it: ${text}`),
  );

  expect(wide).toEqual([]);
});

function filesOf(globs: readonly string[]): readonly string[] {
  return globSync([...globs], { exclude: ['**/node_modules/**'] });
}

function mistakesIn(sentences: readonly Sentence[], wordsMax: number): readonly string[] {
  return sentences.flatMap((sentence) => {
    const mistake = mistakeIn(sentence, wordsMax);
    return mistake === undefined ? [] : [`${sentence.file}:${sentence.line}: ${mistake}: ${sentence.text}`];
  });
}

interface RuleFile {
  readonly groups: readonly {
    readonly rules: readonly { readonly annotations?: Readonly<Record<string, string>> }[];
  }[];
}

function annotationsOf(rules: RuleFile): readonly string[] {
  return rules.groups.flatMap((group) =>
    group.rules.flatMap(({ annotations = {} }) =>
      Object.entries(annotations).flatMap(([name, text]) => (/summary|description/.test(name) ? [text] : [])),
    ),
  );
}

/** A word in place of each value that Prometheus fills in. */
function withoutTemplates(text: string): string {
  return text.replace(/\{\{ (?:with|if) [\s\S]*?\{\{ end \}\}/g, 'VALUE').replace(/\{\{.*?\}\}/g, 'VALUE');
}
