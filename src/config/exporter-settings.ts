/** Exporters that Assay has not recorded, as the user knows them. */
import { z } from 'zod';
import { EVIDENCE } from '../model/exporters.ts';
import { mapping } from './mapping.ts';
import { section } from './section.ts';
import { setting } from './setting.ts';

const EXPORTERS_MAX = 100;
const SCOPE_MAX = 200;

const EXPORTER = {
  scope: setting(
    { key: 'scope', required: true, example: 'my-agent' },
    'Name of the instrumentation scope, or a glob.',
    z.string('a name or a glob').min(1, 'a name or a glob').max(SCOPE_MAX, `at most ${SCOPE_MAX} characters`),
  ),
  lacks: setting(
    { key: 'lacks', default: [], example: ['tool_errors'] },
    `Kinds of evidence that it does not send: ${EVIDENCE.join(', ')}. Verdicts go by tools, tool_errors and roots.`,
    z.array(z.enum(EVIDENCE, `one of ${EVIDENCE.join(', ')}`), 'a list').readonly(),
  ),
};

export const EXPORTERS = section('reload', 'Exporters beside those that Assay knows (frameworks.md).', {
  known: setting(
    { key: 'exporters.known', default: [], example: [{ scope: 'my-agent', lacks: ['tool_errors'] }], rare: true },
    'Instrumentations and what they do not send; `assay doctor` proposes entries from what it saw.',
    z.array(mapping(EXPORTER), 'a list of exporters').max(EXPORTERS_MAX, `at most ${EXPORTERS_MAX} exporters`),
    EXPORTER,
  ),
});
