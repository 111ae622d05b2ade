/** Messages on one line each, for comparison: role, text, and why it ended. */
import type { Message } from '../../../src/model/step.ts';

export function said(messages: readonly Message[]): readonly string[] {
  return messages.map(({ role, parts, finishReason }) => {
    const words = parts.map((part) => {
      switch (part.type) {
        case 'text':
          return part.text;
        case 'reasoning':
          return `(${part.text})`;
        case 'tool_call':
          return `${part.name}#${part.id}(${JSON.stringify(part.args.json)})`;
        case 'tool_result':
          return `#${part.id}=${JSON.stringify(part.result.json)}`;
        default:
          return part.type;
      }
    });
    return [role, ...words, ...(finishReason === undefined ? [] : [`[${finishReason}]`])].join(' ');
  });
}
