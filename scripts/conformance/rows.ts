import type { Row } from './row.ts';
export const ROWS: readonly Row[] = [
  {
    id: 'agno-openinference',
    framework: 'Agno',
    exporter: 'OpenInference',
    language: 'python',
    file: 'capture:agno.py',
    api: 'openai-chat',
    packages: ['agno', 'openinference-instrumentation-agno', 'openai'],
    handOff: 'tool',
  },
];
