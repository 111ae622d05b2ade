/** Tools that the expressions of a suite name and no conversation called: a name with a mistake fails nothing. */
import type { BacktestReport } from '../model/backtest.ts';
import { didYouMean } from '../model/did-you-mean.ts';
import type { CompiledSuite } from '../score/suite/suite.ts';

/** In a definition, which is JSON. Patterns such as `refund_*` are no names. */
const NAMED = /\btools\(\s*(?:'|\\")([^'"\\*?]+)(?:'|\\")/g;

export function toolsNeverCalled(
  { criteria, definition: { sight = '' } }: Pick<CompiledSuite, 'criteria' | 'definition'>,
  called: ReadonlySet<string>,
): BacktestReport['neverCalled'] {
  const texts = [sight, ...criteria.flatMap(({ definition }) => definition ?? [])];
  const named = new Set(texts.flatMap((text) => [...text.matchAll(NAMED)].map(([, tool = '']) => tool)));
  return [...named].filter((tool) => !called.has(tool)).map((tool) => ({ tool, didYouMean: didYouMean(tool, called) }));
}
