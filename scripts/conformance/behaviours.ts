/**
 * The six behaviours that every row plays. Each value appears in one place only, so that a search of the export's text
 * shows whether the exporter sent it.
 */
import type { AgentOffer, ToolOffer } from '../capture/agents.ts';
import type { Scenario, ScriptedStep } from '../capture/scenarios.ts';
import { type PlayedTurn, playable, type Reply } from '../capture/script.ts';

export type BehaviourName = keyof typeof SCRIPTS;

export interface Behaviour {
  readonly name: BehaviourName;
  readonly agent: AgentOffer;
  readonly inner: AgentOffer | null;
  readonly turns: readonly PlayedTurn[];
}

/** `transfer`: the framework has a hand-over of its own. `tool`: one agent runs another by a tool. */
export type HandOff = 'transfer' | 'tool' | 'none';

const ORDER_TOOLS: readonly ToolOffer[] = [
  tool('look_up_order', 'Looks an order up.', ['order_id']),
  tool('cancel_order', 'Cancels an order.', ['order_id', 'reason']),
];

const ORDER_BOT: AgentOffer = {
  name: 'order_bot',
  instructions: 'Help customers with their purchases. Use the tools before you answer.',
  tools: ORDER_TOOLS,
};

const FRONT_DESK: AgentOffer = {
  name: 'front_desk',
  instructions: 'Greet customers, and leave purchases to a colleague.',
  // The name under which the agents of `capture/frameworks` know it.
  tools: [
    {
      ...tool('ask_support_agent', 'Asks the colleague for purchases.', ['question']),
    },
  ],
};

const REFUND_DESK: AgentOffer = { ...ORDER_BOT, name: 'refund_desk' };

const LOOK_UP: ScriptedStep = {
  calls: [
    {
      tool: 'look_up_order',
      args: { order_id: 'KX-7141' },
      result: { status: 'shipped', depot: 'Lindenhof' },
    },
  ],
};

const SCRIPTS = {
  success: {
    agent: 'support',
    outcome: 'success',
    turns: [
      {
        user: 'Where is the blue kettle that I bought?',
        steps: [LOOK_UP, { answer: 'It left our warehouse yesterday with carrier Heron.' }],
      },
      {
        user: 'Then please stop the delivery, I found another one.',
        steps: [
          {
            calls: [
              {
                tool: 'cancel_order',
                args: { order_id: 'KX-7142', reason: 'second thoughts' },
                result: { cancelled: true, voucher: 'PLUM-88' },
              },
            ],
          },
          { answer: 'Done, the parcel turns around tonight.' },
        ],
      },
    ],
  },
  recovered: {
    agent: 'support',
    outcome: 'success_after_tool_error',
    turns: [
      {
        user: 'Do you still have my garden chairs?',
        steps: [
          {
            calls: [
              {
                tool: 'look_up_order',
                args: { order_id: 'KX-7201' },
                error: 'LedgerLocked: shard Tulip refused the read',
              },
            ],
          },
          {
            calls: [
              {
                tool: 'look_up_order',
                args: { order_id: 'KX-7202' },
                result: { status: 'waiting', depot: 'Marienplatz' },
              },
            ],
          },
          { answer: 'They wait for you in the second aisle.' },
        ],
      },
    ],
  },
  unrecovered: {
    agent: 'support',
    outcome: 'success_after_tool_error',
    turns: [
      {
        user: 'Has somebody paid for the lamp?',
        steps: [
          {
            calls: [
              {
                tool: 'look_up_order',
                args: { order_id: 'KX-7301' },
                error: 'LedgerLocked: shard Crocus refused the read',
              },
            ],
          },
          { answer: 'I cannot see payments at the moment, sorry.' },
        ],
      },
    ],
  },
  unanswered: {
    agent: 'support',
    outcome: 'crash',
    turns: [
      {
        user: 'When does the desk arrive?',
        steps: [
          {
            calls: [
              {
                tool: 'look_up_order',
                args: { order_id: 'KX-7401' },
                result: { status: 'packed', depot: 'Westbahnhof' },
              },
            ],
          },
          { httpError: 500, message: 'capacity Juniper exhausted' },
        ],
      },
    ],
  },
  parallel: {
    agent: 'support',
    outcome: 'success',
    turns: [
      {
        user: 'Compare the mirror with the shelf.',
        steps: [
          {
            calls: [
              {
                tool: 'look_up_order',
                args: { order_id: 'KX-7501' },
                result: { status: 'lost', depot: 'Karlstor' },
              },
              {
                tool: 'look_up_order',
                args: { order_id: 'KX-7502' },
                result: { status: 'found', depot: 'Ostkreuz' },
              },
            ],
          },
          { answer: 'One is missing, the other stands in Berlin.' },
        ],
      },
    ],
  },
  hand_off: {
    agent: 'support',
    outcome: 'success',
    turns: [
      {
        user: 'I was charged twice for a bicycle.',
        steps: [
          { handOffTo: 'refund_desk' },
          {
            calls: [
              {
                tool: 'look_up_order',
                args: { order_id: 'KX-7601' },
                result: { status: 'double', depot: 'Sendling' },
              },
            ],
          },
          { answer: 'We return the second payment on Friday.' },
        ],
      },
    ],
  },
} as const satisfies Record<string, Scenario>;

/** The hand-off of frameworks that let one agent run another by a tool. */
const BY_TOOL: Scenario = {
  agent: 'support',
  outcome: 'success',
  turns: [
    {
      user: 'I was charged twice for a bicycle.',
      steps: [
        {
          calls: [
            {
              tool: 'ask_support_agent',
              args: { question: 'Two payments for one bicycle?' },
              inside: [SCRIPTS.hand_off.turns[0].steps[1], { answer: 'Yes, return one of them.' }],
              result: 'Yes, return one of them.',
            },
          ],
        },
        { answer: 'We return the second payment on Friday.' },
      ],
    },
  ],
};

export function behavioursOf(handOff: HandOff, reported: { readonly reasoning: boolean }): readonly Behaviour[] {
  // The keys are those of the literal above.
  const names = Object.keys(SCRIPTS) as readonly BehaviourName[];
  return names
    .filter((name) => name !== 'hand_off' || handOff !== 'none')
    .map((name) => {
      const scenario = name === 'hand_off' && handOff === 'tool' ? BY_TOOL : SCRIPTS[name];
      const isHandOff = name === 'hand_off';
      return {
        name,
        agent: isHandOff ? (handOff === 'tool' ? FRONT_DESK : { ...FRONT_DESK, tools: [] }) : ORDER_BOT,
        inner: isHandOff ? REFUND_DESK : null,
        turns: withUsage(playable(`conformance ${name}`, scenario, reported), reported),
      };
    });
}

/** Counts of five digits, each different from all others and from their sums. */
function withUsage(turns: readonly PlayedTurn[], reported: { readonly reasoning: boolean }): readonly PlayedTurn[] {
  let calls = 0;
  const counted = (reply: Reply): Reply => {
    if (reply.kind === 'error') return reply;
    calls += 1;
    const usage = {
      input: 41_000 + 137 * calls,
      output: 23_000 + 211 * calls,
      cached: 12_000 + 73 * calls,
      reasoning: reported.reasoning ? 11_000 + 59 * calls : 0,
    };
    return { ...reply, usage };
  };
  return turns.map((turn) => ({ ...turn, replies: turn.replies.map(counted) }));
}

function tool(name: string, description: string, parameters: readonly string[]): ToolOffer {
  return {
    name,
    description,
    parameters: {
      type: 'object',
      properties: Object.fromEntries(parameters.map((parameter) => [parameter, { type: 'string' }])),
      required: parameters,
      additionalProperties: false,
    },
  };
}
