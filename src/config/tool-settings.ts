/** Effects of an agent's tools, if names and spans do not show them. */
import { z } from 'zod';
import type { ToolNames } from '../model/tool-names.ts';
import { section } from './section.ts';
import { setting } from './setting.ts';

const GLOBS_MAX = 1000;
const globs = z.array(z.string(), 'a list of names and globs').max(GLOBS_MAX, `at most ${GLOBS_MAX}`);

/** Undefined where nothing is said. */
export const TOOLS = section(
  'reload',
  'Which tools change something (suite-language.md). The lists of a suite take precedence.',
  {
    writes: setting(
      { key: 'tools.writes', default: [], rare: true },
      'Tools that change something, whatever they are called: [crm_sync, billing_*].',
      globs,
    ),
    reads: setting({ key: 'tools.reads', default: [], rare: true }, 'Tools that only look, likewise.', globs),
  },
).build(({ writes, reads }): ToolNames | undefined =>
  writes.length + reads.length === 0 ? undefined : { writes, reads },
);
