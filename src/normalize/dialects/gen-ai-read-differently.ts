/**
 * Dialects of frameworks and backends that write keys of the GenAI or OpenInference conventions with another meaning.
 * They are asked before the conventions, in this order.
 */
import type { Dialect } from '../dialect.ts';
import { crewAi } from './crewai.ts';
import { googleAdk } from './google-adk.ts';
import { langSmith } from './langsmith.ts';
import { claudeCode } from './claude-code.ts';
import { strands } from './strands.ts';
import { voltAgent } from './voltagent.ts';

export const GEN_AI_READ_DIFFERENTLY: readonly Dialect[] = [
  crewAi,
  googleAdk,
  langSmith,
  claudeCode,
  strands,
  voltAgent,
];
