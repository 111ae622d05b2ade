/**
 * The events of a captured run, as data: the user's messages, the model's answers step by step, each tool's results.
 * The model server plays them, the driver's tools look their results up in them, and the expected file is written from
 * them; none of the three knows the spans.
 *
 * The texts contain what breaks careless readers: quotes, line ends, emoji, braces, letters outside ASCII.
 */
import type { AgentKind } from './agents.ts';

export interface ScriptedCall {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly result?: unknown;
  /** The tool throws an error with this message instead. */
  readonly error?: string;
  /** The process dies inside the tool, after finished spans were flushed. */
  readonly kills?: true;
  /** The error is not passed to the model: the application lets it end the turn, with this as its last step. */
  readonly ends?: true;
  /** The tool is itself an agent, and these are its own model calls before it returns `result`. */
  readonly inside?: readonly ScriptedStep[];
}

/** One model call: its answer asks for tools, is a text, hands over to another agent, or is an HTTP error. */
export type ScriptedStep =
  | { readonly calls: readonly ScriptedCall[]; readonly says?: string }
  | { readonly answer: string; readonly reasoningTokens?: number; readonly cachedTokens?: number }
  | { readonly handOffTo: string }
  | { readonly httpError: number; readonly message: string };

export interface ScriptedTurn {
  readonly user: string;
  readonly steps: readonly ScriptedStep[];
}

export interface Scenario {
  readonly agent: AgentKind;
  readonly outcome: 'success' | 'success_after_tool_error' | 'crash' | 'loop';
  readonly note?: string;
  readonly turns: readonly ScriptedTurn[];
}

const SERVER_ERROR = 'The server had an error while processing your request. Sorry about that!';
const MIRA = 'mira.lindqvist@example.com';
const TOMAS = 'tomas.dvorak@example.com';

const BILLING_TICKETS = [
  { ticket_id: 'T-2201', title: 'Invoice PDF is empty – "№ 0"' },
  { ticket_id: 'T-2214', title: 'Invoice: wrong currency symbol (₴)' },
];

/** Twelve turns: enough history to reach OpenTelemetry's limit of 128 attributes if messages are flattened. */
const LONG_QUESTIONS: readonly (readonly [string, string])[] = [
  ['exports stuck at 99 %', 'T-3001'],
  ['webhook retries stop', 'T-3002'],
  ['SSO metadata expired', 'T-3003'],
  ['CSV has a BOM', 'T-3004'],
  ['dark mode charts', 'T-3005'],
  ['two-factor by e-mail', 'T-3006'],
  ['search ignores umlauts', 'T-3007'],
  ['slow audit log', 'T-3008'],
  ['emoji in folder names 📁', 'T-3009'],
  ['API token scopes', 'T-3010'],
  ['calendar feed time zones', 'T-3011'],
  ['mobile push is late', 'T-3012'],
];

export const SCENARIOS: Readonly<Record<string, Scenario>> = {
  meeting_success: {
    agent: 'meeting',
    outcome: 'success',
    turns: [
      {
        user: 'Can Mira and Tomáš meet me for "Roadmap {v2}" on Wednesday at 14:00?',
        steps: [
          {
            calls: [
              {
                tool: 'search_calendar',
                args: { person: MIRA, first_day: '2026-05-06', last_day: '2026-05-06' },
                result: [{ id: 'ev_7', title: 'Dentist\n(do not move)', start: '2026-05-06T08:30:00Z' }],
              },
            ],
          },
          {
            calls: [
              {
                tool: 'check_availability',
                args: { participants: [MIRA, TOMAS], start: '2026-05-06T14:00:00Z', duration_minutes: 45 },
                result: { available: true, conflicts: [] },
              },
            ],
          },
          {
            answer: 'Mira and Tomáš are both free on Wednesday at 14:00. Shall I book "Roadmap {v2}"?',
            cachedTokens: 256,
          },
        ],
      },
      {
        user: 'Please do 🙏',
        steps: [
          {
            calls: [
              {
                tool: 'book_meeting',
                args: {
                  title: 'Roadmap {v2}',
                  participants: [MIRA, TOMAS],
                  start: '2026-05-06T14:00:00Z',
                  duration_minutes: 45,
                },
                result: { status: 'booked', meeting_id: 'mtg_912', start: '2026-05-06T14:00:00Z' },
              },
            ],
          },
          { answer: 'Booked: "Roadmap {v2}", Wednesday 14:00–14:45 (mtg_912).', cachedTokens: 512 },
        ],
      },
    ],
  },

  meeting_tool_error_recovery: {
    agent: 'meeting',
    outcome: 'success_after_tool_error',
    turns: [
      {
        user: 'Book half an hour with Tomáš on Thursday at 9, title "Budget".',
        steps: [
          {
            calls: [
              {
                tool: 'book_meeting',
                args: { title: 'Budget', participants: [TOMAS], start: '2026-05-07T09:00:00Z', duration_minutes: 30 },
                error: 'CalendarBackendError: 503 no connection to calendar-2 after 3000 ms',
              },
            ],
          },
          {
            calls: [
              {
                tool: 'book_meeting',
                args: { title: 'Budget', participants: [TOMAS], start: '2026-05-07T09:00:00Z', duration_minutes: 30 },
                result: { status: 'booked', meeting_id: 'mtg_913', start: '2026-05-07T09:00:00Z' },
              },
            ],
          },
          { answer: 'The calendar failed once; the second attempt booked "Budget" for Thursday 9:00 (mtg_913).' },
        ],
      },
    ],
  },

  meeting_silent_crash: {
    agent: 'meeting',
    outcome: 'crash',
    note: 'Turn 2: the model call after the tool call fails with HTTP 500; the agent raises and the user never gets an answer.',
    turns: [
      {
        user: 'Is Mira free on Friday at 11?',
        steps: [
          {
            calls: [
              {
                tool: 'check_availability',
                args: { participants: [MIRA], start: '2026-05-08T11:00:00Z', duration_minutes: 30 },
                result: { available: true, conflicts: [] },
              },
            ],
          },
          { answer: 'Yes, Mira is free on Friday at 11:00.' },
        ],
      },
      {
        user: 'Then book "Hiring sync" with her.',
        steps: [
          {
            calls: [
              {
                tool: 'book_meeting',
                args: {
                  title: 'Hiring sync',
                  participants: [MIRA],
                  start: '2026-05-08T11:00:00Z',
                  duration_minutes: 30,
                },
                result: { status: 'booked', meeting_id: 'mtg_914', start: '2026-05-08T11:00:00Z' },
              },
            ],
          },
          { httpError: 500, message: SERVER_ERROR },
        ],
      },
    ],
  },

  meeting_process_killed: {
    agent: 'meeting',
    outcome: 'crash',
    note: 'Turn 2: the process dies inside the tool (after what had ended was flushed), so spans that were open are never exported.',
    turns: [
      { user: 'Hello, who are you?', steps: [{ answer: 'I schedule meetings.' }] },
      {
        user: 'Book an hour with Mira on Monday at 15, "Retro".',
        steps: [
          {
            calls: [
              {
                tool: 'book_meeting',
                args: { title: 'Retro', participants: [MIRA], start: '2026-05-11T15:00:00Z', duration_minutes: 60 },
                kills: true,
              },
            ],
          },
        ],
      },
    ],
  },

  meeting_conflict_alternatives: {
    agent: 'meeting',
    outcome: 'success',
    turns: [
      {
        user: 'I need Mira and Tomáš for an hour, Thursday 10:00, "Quarterly {review}".',
        steps: [
          {
            calls: [
              {
                tool: 'check_availability',
                args: { participants: [MIRA, TOMAS], start: '2026-05-07T10:00:00Z', duration_minutes: 60 },
                result: { available: false, conflicts: [{ person: TOMAS, title: 'Návštěva lékaře' }] },
              },
            ],
          },
          {
            calls: [
              {
                tool: 'search_calendar',
                args: { person: TOMAS, first_day: '2026-05-07', last_day: '2026-05-07' },
                result: [{ id: 'ev_9', title: 'Návštěva lékaře', start: '2026-05-07T10:00:00Z' }],
              },
            ],
          },
          { answer: 'Tomáš is busy then. Would one of these do?\n\n1. Thursday 11:30\n2. Friday 9:00' },
        ],
      },
      {
        user: '2',
        steps: [
          {
            calls: [
              {
                tool: 'book_meeting',
                args: {
                  title: 'Quarterly {review}',
                  participants: [MIRA, TOMAS],
                  start: '2026-05-08T09:00:00Z',
                  duration_minutes: 60,
                },
                result: { status: 'booked', meeting_id: 'mtg_915', start: '2026-05-08T09:00:00Z' },
              },
            ],
          },
          { answer: 'Booked for Friday 9:00 (mtg_915).' },
        ],
      },
    ],
  },

  meeting_wrong_booking: {
    agent: 'meeting',
    outcome: 'success',
    note: 'Nothing fails, and the meeting is booked on another day than was asked for.',
    turns: [
      {
        user: 'Book Tomáš on Friday at 13:00, "1:1", 30 minutes.',
        steps: [
          {
            calls: [
              {
                tool: 'book_meeting',
                args: { title: '1:1', participants: [TOMAS], start: '2026-05-07T13:00:00Z', duration_minutes: 30 },
                result: { status: 'booked', meeting_id: 'mtg_916', start: '2026-05-07T13:00:00Z' },
              },
            ],
          },
          { answer: 'Done: "1:1" with Tomáš on Friday at 13:00.' },
        ],
      },
    ],
  },

  meeting_tool_exception_crash: {
    agent: 'meeting',
    outcome: 'crash',
    note: 'Turn 2: the tool throws, nobody catches it, and the user never gets an answer.',
    turns: [
      { user: 'Are you there?', steps: [{ answer: 'Yes. What may I book?' }] },
      {
        user: 'A quarter of an hour with Mira tomorrow at 8, "Standup".',
        steps: [
          {
            calls: [
              {
                tool: 'check_availability',
                args: { participants: [MIRA], start: '2026-05-06T08:00:00Z', duration_minutes: 15 },
                result: { available: true, conflicts: [] },
              },
            ],
          },
          {
            calls: [
              {
                tool: 'book_meeting',
                args: { title: 'Standup', participants: [MIRA], start: '2026-05-06T08:00:00Z', duration_minutes: 15 },
                error: "TypeError: Cannot read properties of undefined (reading 'calendarId')",
                ends: true,
              },
            ],
          },
        ],
      },
    ],
  },

  sql_schema_then_query: {
    agent: 'sql',
    outcome: 'success',
    turns: [
      {
        user: 'Which cities had the most orders in April?',
        steps: [
          {
            calls: [
              {
                tool: 'get_schema',
                args: { table: 'orders' },
                result: {
                  table: 'orders',
                  columns: ['id integer', 'city text', '"when" timestamptz', 'total numeric(10,2)'],
                },
              },
            ],
          },
          {
            calls: [
              {
                tool: 'run_query',
                args: {
                  sql: `SELECT city, count(*) AS n FROM orders\nWHERE "when" >= '2026-04-01' AND city <> 'n/a'\nGROUP BY 1 ORDER BY 2 DESC`,
                },
                result: {
                  rows: Array.from({ length: 24 }, (_, at) => ({
                    city: at % 2 === 0 ? `Łódź ${at}` : `L'Aquila ${at}`,
                    n: 90 - at,
                  })),
                  row_count: 24,
                },
              },
            ],
          },
          { answer: "Łódź 0 leads with 90 orders, then L'Aquila 1 with 89.", cachedTokens: 128 },
        ],
      },
      { user: 'And the fewest?', steps: [{ answer: "L'Aquila 23, with 67." }] },
    ],
  },

  support_parallel_details: {
    agent: 'support',
    outcome: 'success',
    note: 'Two tool calls in one model answer; the second turn has none.',
    turns: [
      {
        user: 'What is known about broken invoices?',
        steps: [
          { calls: [{ tool: 'search_tickets', args: { query: 'invoice', limit: 5 }, result: BILLING_TICKETS }] },
          {
            says: 'Let me read both.',
            calls: [
              {
                tool: 'get_ticket_detail',
                args: { ticket_id: 'T-2201' },
                result: { ticket_id: 'T-2201', status: 'open', comments: ['Template has no "number" field.'] },
              },
              {
                tool: 'get_ticket_detail',
                args: { ticket_id: 'T-2214' },
                result: { ticket_id: 'T-2214', status: 'resolved', comments: [] },
              },
            ],
          },
          { answer: 'T-2201 is open (the template lacks "number"), T-2214 is resolved.', reasoningTokens: 24 },
        ],
      },
      { user: 'Thanks, nothing else.', steps: [{ answer: 'You are welcome!' }] },
    ],
  },

  support_loop: {
    agent: 'support',
    outcome: 'loop',
    note: 'The same search five times, always with an empty result.',
    turns: [
      {
        user: 'Find the ticket about "quantum" printing.',
        steps: [
          ...Array.from({ length: 5 }, () => ({
            calls: [{ tool: 'search_tickets', args: { query: 'quantum printing', limit: 5 }, result: [] }],
          })),
          { answer: 'I could not find such a ticket.' },
        ],
      },
    ],
  },

  support_long: {
    agent: 'support',
    outcome: 'success',
    note: 'Twelve turns: a history long enough to reach the attribute limit.',
    turns: LONG_QUESTIONS.map(([topic, ticket], at) => ({
      user: `Question ${at + 1}: is there a ticket on ${topic}?`,
      steps: [
        {
          calls: [
            { tool: 'search_tickets', args: { query: topic, limit: 3 }, result: [{ ticket_id: ticket, title: topic }] },
          ],
        },
        { answer: `Yes, ${ticket} is about ${topic}.` },
      ],
    })),
  },

  support_subagent: {
    agent: 'support',
    outcome: 'success',
    note: 'front_desk asks support_ticket_agent as a tool; what the inner agent is asked and answers is neither user input nor final answer.',
    turns: [
      {
        user: 'Hello! Why is my export empty?',
        steps: [
          {
            calls: [
              {
                tool: 'ask_support_agent',
                args: { question: 'Known tickets on empty exports?' },
                inside: [
                  {
                    calls: [
                      {
                        tool: 'search_tickets',
                        args: { query: 'empty export', limit: 5 },
                        result: [{ ticket_id: 'T-2300', title: 'Export is empty' }],
                      },
                    ],
                  },
                  { answer: 'T-2300 describes it: the filter is applied twice.' },
                ],
                result: 'T-2300 describes it: the filter is applied twice.',
              },
            ],
          },
          { answer: 'Your filter is applied twice, a known fault (T-2300).' },
        ],
      },
      { user: 'Good to know.', steps: [{ answer: 'Glad to help.' }] },
    ],
  },

  support_handoff: {
    agent: 'support',
    outcome: 'success',
    note: 'front_desk hands the conversation over to support_ticket_agent, which answers the user.',
    turns: [
      {
        user: 'My invoice has the wrong currency.',
        steps: [
          { handOffTo: 'support_ticket_agent' },
          {
            calls: [{ tool: 'search_tickets', args: { query: 'invoice currency', limit: 5 }, result: BILLING_TICKETS }],
          },
          { answer: 'That is T-2214, and it is resolved: download the invoice again.' },
        ],
      },
    ],
  },
};
