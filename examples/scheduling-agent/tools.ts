/** The agent's tools, over the calendar. Arguments come from a model, so each tool reports which ones it cannot use. */
import type { Calendar } from './calendar.ts';

export const TOOL_NAMES = ['search_calendar', 'check_availability', 'book_meeting', 'propose_alternatives'] as const;
export type ToolName = (typeof TOOL_NAMES)[number];

export interface ToolDefinition {
  readonly type: 'function';
  readonly name: ToolName;
  readonly description: string;
}

export const TOOLS: readonly ToolDefinition[] = [
  { type: 'function', name: 'search_calendar', description: 'What is in the calendar of a person on a date.' },
  { type: 'function', name: 'check_availability', description: 'Whether everybody is free at a time.' },
  { type: 'function', name: 'book_meeting', description: 'Book a meeting and invite its participants.' },
  { type: 'function', name: 'propose_alternatives', description: 'Free times of that day, nearest first.' },
];

export type ToolArguments = Readonly<Record<string, unknown>>;

export function runTool(calendar: Calendar, name: ToolName, args: ToolArguments): unknown {
  switch (name) {
    case 'search_calendar':
      return calendar.search(text(args, 'person'), text(args, 'date'));
    case 'check_availability': {
      const conflicts = calendar.conflicts(texts(args, 'participants'), text(args, 'time'), minutes(args));
      return { available: conflicts.length === 0, conflicts };
    }
    case 'book_meeting':
      return calendar.book({
        title: text(args, 'title'),
        participants: texts(args, 'participants'),
        time: text(args, 'time'),
        duration: minutes(args),
      });
    case 'propose_alternatives': {
      const times = calendar.alternatives(texts(args, 'participants'), text(args, 'time'), minutes(args), 3);
      return { alternatives: times };
    }
  }
}

function text(args: ToolArguments, name: string): string {
  const value = args[name];
  if (typeof value !== 'string') throw new TypeError(`argument ${name}: a text was expected`);
  return value;
}

function texts(args: ToolArguments, name: string): readonly string[] {
  const value = args[name];
  if (!Array.isArray(value) || !value.every((item) => typeof item === 'string')) {
    throw new TypeError(`argument ${name}: a list of texts was expected`);
  }
  return value;
}

function minutes(args: ToolArguments): number {
  const value = args.duration;
  if (typeof value !== 'number' || value <= 0) throw new TypeError('argument duration: minutes were expected');
  return value;
}
