/**
 * CrewAI, as OpenInference and OpenLLMetry record it. A crew's request is the description of its first task, unless it
 * has inputs to fill in; its output is an object with the answer as `raw`.
 *
 *     crew_tasks, crew_inputs, output.value {raw, pydantic, json_dict, tasks_output, …}      OpenInference
 *     crewai.crew.{tasks, result, token_usage}, crewai.task.description                      OpenLLMetry
 */
import type { AttributeValue } from '../../model/attribute-value.ts';
import type { Content } from '../../model/step.ts';
import { textContent } from '../content.ts';
import { attributeFinder } from '../attribute-finder.ts';
import type { Dialect, Finder } from '../dialect.ts';
import { decodeJsonish, isPresent, memberText } from '../jsonish.ts';
import { row } from '../rows.ts';

const OUTPUT = 'output.value';
const USAGE = 'crewai.crew.token_usage';

export const crewAi: Dialect = {
  name: 'crewai',
  rows: [
    row('inputTokens', USAGE, (value) => countIn(value, /\bprompt_tokens=(\d{1,15})/)),
    row('outputTokens', USAGE, (value) => countIn(value, /\bcompletion_tokens=(\d{1,15})/)),
    row('cacheReadTokens', USAGE, (value) => countIn(value, /\bcached_prompt_tokens=(\d{1,15})/)),
    row('reasoningTokens', USAGE, (value) => countIn(value, /\breasoning_tokens=(\d{1,15})/)),
  ],
  captured: [
    ['input', 'crew_tasks'],
    ['input', 'crewai.crew.tasks'],
    ['output', 'crewai.crew.result'],
  ],
  input: [firstTask('crew_tasks'), firstTask('crewai.crew.tasks'), words('crewai.task.description')],
  output: [
    words('crewai.crew.result'),
    {
      rule: 'output.value raw',
      key: OUTPUT,
      find: (evidence) => {
        const value = evidence.attribute(OUTPUT);
        if (typeof value !== 'string' || !RAW_OUTPUT.test(value.slice(0, 4000))) return undefined;
        const raw = memberText(decodeJsonish(value).value, 'raw');
        return raw === undefined ? undefined : textContent(raw);
      },
    },
  ],
};

/** Two of the members that an output of a crew or a task has beside its text. */
const RAW_OUTPUT = /"pydantic": ?[^,]{1,2000},\s*"json_dict":/;

function firstTask(key: string): Finder<Content> {
  return {
    rule: `${key} description`,
    key,
    find: (evidence) => {
      const inputs = evidence.attribute('crew_inputs') ?? evidence.attribute('crewai.crew.inputs');
      if (isPresent(inputs) && inputs !== '{}') return undefined;
      const tasks = evidence.attribute(key);
      const list = isPresent(tasks) ? decodeJsonish(tasks).value : undefined;
      const description = Array.isArray(list) ? memberText(list[0], 'description') : undefined;
      return description === undefined ? undefined : textContent(description);
    },
  };
}

function words(key: string): Finder<Content> {
  return attributeFinder(key, (evidence) => {
    const text = evidence.attribute(key);
    return typeof text === 'string' && text !== '' ? textContent(text) : undefined;
  });
}

/** `total_tokens=886 prompt_tokens=754 …`, as Python prints it. */
function countIn(value: AttributeValue, pattern: RegExp): number | undefined {
  const found = typeof value === 'string' ? pattern.exec(value.slice(0, 1000))?.[1] : undefined;
  return found === undefined ? undefined : Number(found);
}
