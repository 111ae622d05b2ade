/** Blocks of YAML, JSON and CSV, checked by what reads such a file in Assay. A block's keys say what it is. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseAllDocuments } from 'yaml';
import { readGate } from '../../src/statistics/compare/gate/read-gate.ts';
import { isMissingSecret } from '../../src/config/secrets.ts';
import { loadSettings } from '../../src/config/settings.ts';
import { formatMistakes, type Mistake } from '../../src/model/mistake.ts';
import type { ExperimentSuite } from '../../src/model/experiment.ts';
import { readDataset } from '../../src/offline/datasets/read-dataset.ts';
import { loadSuites } from '../../src/score/load-suites.ts';
import { readSuiteTests } from '../../src/score/suite-test/read-suite-tests.ts';
import { readGolden } from '../../src/score/trajectory/read-golden.ts';

import { type Block, placeOf, ROOT } from './blocks.ts';
import { writtenAs } from './written.ts';

/** The mistake in the block; '' if nothing is. `folder` is the reader's, with the files that the page has beside it. */
export async function mistakesInYaml(block: Block, folder: string): Promise<string> {
  const text = SECRETS.reduce((one, secrets) => one.replaceAll(secrets, `${folder}/`), wholeYaml(block));
  const place = placeOf(block);
  const [document] = parseAllDocuments(text);
  if (document === undefined || !('errors' in document)) return `${place}: there is nothing in it`;
  if (document.errors.length > 0) return `${place}: ${document.errors.map(({ message }) => message).join('; ')}`;
  const value: unknown = document.toJS();
  const has = (key: string) => typeof value === 'object' && value !== null && key in value;
  const file = path.join(folder, `block-${block.line}.yaml`);
  writeFileSync(file, text);
  const read = async (): Promise<readonly Mistake[]> => {
    if (has('suite')) return (await loadSuites([file], { baseDir: folder, builtinDir: BUILT_IN })).mistakes;
    if (has('tests')) return readSuiteTests(text, file).mistakes;
    if (has('steps')) return readGolden(text, file).mistakes;
    if (has('rules')) return readGate(text, file, [GATED]).mistakes;
    if (has('dataset')) return readDataset(file).mistakes;
    return configMistakes(file, has('kafka'));
  };
  if (FOREIGN.some(has) || Array.isArray(value)) return '';
  return formatMistakes(await read()).replaceAll(path.basename(file), place);
}

/** Written for another program, of which Assay has no reader: a Collector. These are checked as YAML only. */
const FOREIGN = ['service'];
/** Folders of secrets in production; the reader's folder stands for them. */
const SECRETS = ['/etc/assay-kafka/', '/var/run/secrets/tokens/', '/run/secrets/'];
const BUILT_IN = path.join(ROOT, 'suites');
/** Rules name criteria of the reader's suite, which is that of docs/score/suites.md. */
const GATED: ExperimentSuite = {
  name: 'refunds',
  version: '1',
  fingerprint: '',
  scope: 'conversation',
  criteria: [
    {
      name: 'right_amount',
      question: 'Was the right amount refunded?',
      weight: 1_000_000,
      isCritical: true,
      whenNotApplicable: 'exclude',
    },
  ],
};

/** A part of a suite becomes a suite. Checks that stand alone are shown as alternatives: each is a criterion. */
function wholeYaml(block: Block): string {
  const { before = '', after = '' } = writtenAs(block) ?? {};
  const text = /^check:/.test(block.text)
    ? block.text
        .split(/^(?=check:)/m)
        .map((check, at) => `  - name: holds_${at}\n    question: Does it hold?\n    weight: 1\n${indented(check)}\n`)
        .join('')
    : block.text;
  return `${before}${text}\n${after}`;
}

function indented(text: string): string {
  return text.trimEnd().replaceAll(/^/gm, '    ');
}

/** Secrets are where the service runs. Brokers and the store may be named by the environment, as the pages say. */
function configMistakes(file: string, isOfKafka: boolean): readonly Mistake[] {
  const env = isOfKafka
    ? { ASSAY_KAFKA_BROKERS: 'kafka-1:9092', ASSAY_STORE_URL: 'postgres://assay@db:5432/assay' }
    : {};
  const { mistakes } = loadSettings({ flags: { config: file }, env, cwd: path.dirname(file) });
  return mistakes.filter((mistake) => !isMissingSecret(mistake));
}

/** JSON, or a JSON value on each line. */
export function mistakesInJson(block: Block): string {
  const texts = block.language === 'jsonl' ? block.text.split('\n') : [block.text];
  try {
    for (const text of texts) JSON.parse(text);
    return '';
  } catch (error) {
    return `${placeOf(block)}: ${String(error)}`;
  }
}

/** Every line has as many fields as the first. */
export function mistakesInCsv(block: Block): string {
  const [first = 0, ...others] = block.text.split('\n').map((line) => line.split(',').length);
  return others.every((fields) => fields === first)
    ? ''
    : `${placeOf(block)}: its lines have unequal numbers of fields`;
}
