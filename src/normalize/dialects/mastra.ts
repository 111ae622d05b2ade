/**
 * Mastra (`@mastra/otel-exporter`): GenAI names for nearly everything, and its own for what an agent was given and gave back.
 *
 *     mastra.agent_run.input    text, or a list of messages
 *     mastra.agent_run.output   {text, files?}
 */
import { contentOf, textContent } from '../content.ts';
import type { Dialect } from '../dialect.ts';
import { decodeJsonish, isPresent, memberText } from '../jsonish.ts';
import { decodeMessages, lastSaid } from '../messages.ts';

const INPUT = 'mastra.agent_run.input';
const OUTPUT = 'mastra.agent_run.output';

export const mastra: Dialect = {
  name: 'mastra',
  input: [
    {
      rule: INPUT,
      key: INPUT,
      find: (evidence) => {
        const value = evidence.attribute(INPUT);
        return isPresent(value) ? lastSaid(decodeMessages(value, 'user'), 'user') : undefined;
      },
    },
  ],
  output: [
    {
      rule: OUTPUT,
      key: OUTPUT,
      find: (evidence) => {
        const value = evidence.attribute(OUTPUT);
        if (!isPresent(value)) return undefined;
        const decoded = decodeJsonish(value);
        const text = memberText(decoded.value, 'text');
        return text === undefined ? contentOf(value) : textContent(text, decoded.state);
      },
    },
  ],
};
