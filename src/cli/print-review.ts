/**
 * Prints a review of suites from the store: criteria that always give the same verdict, and criteria that repeat
 * another one.
 */
import { counted } from '../model/counted.ts';
import type { Settings } from '../config/settings.ts';
import { openedStore } from './opened-store.ts';
import { reviewSuites, type SuiteReview } from '../offline/suite-review.ts';
import type { CompiledSuite } from '../score/suite/suite.ts';
import { unreachable } from '../model/unreachable.ts';
import { safe, type Terminal } from './terminal.ts';

export async function printReview(
  terminal: Terminal,
  settings: Settings,
  suites: readonly CompiledSuite[],
): Promise<void> {
  const reader = await openedStore(settings);
  try {
    const { remarks, alike, conversations, unusedTraces } = await reviewSuites(reader, suites);
    for (const warning of unusedTraces) terminal.err(`warning: ${safe(warning, 600)}`);
    const lines = [
      ...remarks.map((remark) => `${remark.suite}/${remark.criterion}: ${remarkText(remark)}`),
      ...alike.map(likenessText),
    ];
    const newest = conversations === 1 ? 'newest conversation' : `newest ${conversations} conversations`;
    terminal.out(`by the store: ${counted(lines.length, 'remark')} (likeness over the ${newest})`);
    for (const line of lines) terminal.out(`  ${line}`);
  } finally {
    await reader.close();
  }
}

function remarkText(remark: SuiteReview['remarks'][number]): string {
  switch (remark.is) {
    case 'never-decided':
      return `was never decided, in ${remark.asked} times: look at its \`needs\` and \`when\``;
    case 'always': {
      const { verdict, decided, rarer, rarerAtMost } = remark;
      const other = verdict === 'pass' ? 'fail' : 'pass';
      const how = rarer === 0 ? `always a ${verdict}` : `nearly always a ${verdict}`;
      const share = `a ${other} in at most ${(rarerAtMost * 100).toPrecision(2)} % (95 % confidence)`;
      return `${how}, ${decided - rarer} of ${decided} times: ${share}, so that it says little`;
    }
    default:
      return unreachable(remark);
  }
}

function likenessText({ suite, criterion, other, phi, agreed, decided }: SuiteReview['alike'][number]): string {
  const same = phi > 0;
  const what = same ? `says what ${other} says` : `says the opposite of ${other}`;
  const times = same ? agreed : decided - agreed;
  return `${suite}/${criterion}: ${what}, ${times} of ${decided} times (phi ${phi.toFixed(2)}): one of both is enough`;
}
