/** The agents of the scenarios: instructions and tools, as a framework's driver needs them. */
export type AgentKind = 'meeting' | 'sql' | 'support';

interface Parameter {
  readonly type: 'string' | 'integer' | 'array';
  readonly items?: { readonly type: 'string' };
  readonly description?: string;
}

export interface ToolOffer {
  readonly name: string;
  readonly description: string;
  readonly parameters: {
    readonly type: 'object';
    readonly properties: Readonly<Record<string, Parameter>>;
    readonly required: readonly string[];
    readonly additionalProperties: false;
  };
}

export interface AgentOffer {
  readonly name: string;
  readonly instructions: string;
  readonly tools: readonly ToolOffer[];
}

const text: Parameter = { type: 'string' };
const number: Parameter = { type: 'integer' };
const texts: Parameter = { type: 'array', items: { type: 'string' } };

/** Every parameter is required, because some providers allow no other tools. */
function tool(name: string, description: string, properties: Readonly<Record<string, Parameter>>): ToolOffer {
  return {
    name,
    description,
    parameters: { type: 'object', properties, required: Object.keys(properties), additionalProperties: false },
  };
}

export const AGENTS: Readonly<Record<AgentKind, AgentOffer>> = {
  meeting: {
    name: 'meeting_scheduler',
    instructions:
      'You schedule meetings. Look at calendars, check availability, then book. Never book without a free slot. Today is Tuesday 2026-05-05.',
    tools: [
      tool('search_calendar', 'Events of a person between two days.', {
        person: text,
        first_day: text,
        last_day: text,
      }),
      tool('check_availability', 'Whether everybody is free.', {
        participants: texts,
        start: text,
        duration_minutes: number,
      }),
      tool('book_meeting', 'Book a meeting.', {
        title: text,
        participants: texts,
        start: text,
        duration_minutes: number,
      }),
    ],
  },
  sql: {
    name: 'sql_analyst',
    instructions: 'You answer questions about a PostgreSQL database. Read the schema of a table before you query it.',
    tools: [
      tool('get_schema', 'The columns of a table.', { table: text }),
      tool('run_query', 'Run one SELECT statement.', { sql: text }),
    ],
  },
  support: {
    name: 'support_ticket_agent',
    instructions: 'You are a support agent. Search the tickets and read their details before you answer.',
    tools: [
      tool('search_tickets', 'Search tickets by text.', { query: text, limit: number }),
      tool('get_ticket_detail', 'One ticket with its comments.', { ticket_id: text }),
    ],
  },
};

/**
 * The agent that talks to the user in a scenario with two agents: it calls the other as a tool, or hands over to it.
 */
export const FRONT_DESK: AgentOffer = {
  name: 'front_desk',
  instructions: 'You greet customers and let the support agent find out about tickets.',
  tools: [tool('ask_support_agent', 'Ask the support agent.', { question: text })],
};
