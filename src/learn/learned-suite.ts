/** Learned criteria as a suite, in the language in which people write suites. */
import { Document, isMap, isSeq } from 'yaml';
import { certificateWords } from '../model/certificate.ts';
import { visibleYaml } from '../model/visible-yaml.ts';
import type { LearnedCriterion } from './learned.ts';

interface Written {
  readonly criterion: LearnedCriterion;
  readonly kind: string | undefined;
}

export function learnedSuite(name: string, written: readonly Written[]): string {
  const document = new Document({
    suite: name,
    version: '1',
    description:
      'Proposed, from conversations that people read. Weights are the shares of conversations that fail: change them by the harm.',
    about: 'rules',
    scope: 'conversation',
    normalize: true,
    min_decided: 0.01,
    criteria: written.map(({ criterion: { name: own, question, when, check, certificate } }) => ({
      ...{ name: own, question, weight: weightOf(certificate) },
      ...(when === undefined ? {} : { when }),
      when_not_applicable: 'pass',
      check,
    })),
  });
  const criteria = document.get('criteria');
  written.forEach(({ criterion: { certificate }, kind }, at) => {
    const item: unknown = isSeq(criteria) ? criteria.items[at] : undefined;
    const lines = [
      kind === undefined ? 'Of failures that no suite found.' : `Of the kind "${kind}".`,
      certificate === undefined ? 'Not measured: too few readings find it again.' : certificateWords(certificate),
    ];
    if (isMap(item)) item.commentBefore = lines.map((line) => ` ${oneLine(line)}`).join('\n');
  });
  return visibleYaml(document);
}

/** The share of conversations that fail it: a person changes it by the harm. */
function weightOf(certificate: LearnedCriterion['certificate']): number {
  return Math.max(0.01, Math.round((certificate?.fails ?? 0) * 100) / 100);
}

function oneLine(text: string): string {
  return text.replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, ' ').slice(0, 400);
}
