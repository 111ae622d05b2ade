/**
 * Questions that most suites want to put to a judge, each with the guidance that makes two judges answer alike: what is a yes, what is a
 * no, and what is no matter. `judge: { uses: helpful }`.
 */
import type { About } from '../../model/evaluation.ts';
import type { Need } from '../subject/needs.ts';
import type { Subject } from '../subject/subject.ts';
import type { Answer } from '../subject/answer.ts';
import { NO_ANSWER } from '../subject/no-answer.ts';
import { hasAnswer } from '../subject/turn-answer.ts';
import type { Sight } from './visible-material.ts';

interface BuiltInJudgment {
  /** Line for the documentation. */
  readonly summary: string;
  /** An answer that reads well says nothing about whether the task was done. */
  readonly about: About;
  readonly question: string;
  readonly guidance: string;
  readonly sees: readonly Sight[];
  readonly needs: readonly Need[];
  /** The steps of the golden trace are graded one by one. */
  readonly gradesSteps?: boolean;
  /** Answer without a judge, if none is needed. */
  readonly without?: (subject: Subject) => Answer | undefined;
}

/** Instructions are facts as well: prices, opening hours, what may be promised. */
const FACTS: readonly Sight[] = ['instructions', 'tool', 'retrieval', 'rerank', 'memory'];

function silence({ turn }: Subject): Answer | undefined {
  return hasAnswer(turn) ? undefined : NO_ANSWER;
}

/** Unless a person is to answer instead. */
function silenceIsNoHelp({ turn, ending }: Subject): Answer | undefined {
  if (hasAnswer(turn)) return undefined;
  return ending === 'handed_over' ? NO_ANSWER : { pass: false, reason: 'There was no answer.' };
}

export const BUILT_IN_JUDGMENTS: ReadonlyMap<string, BuiltInJudgment> = new Map<string, BuiltInJudgment>([
  [
    'task_done',
    {
      summary: "what the user came for was done, as far as the agent's instructions allow",
      about: 'task',
      question:
        "By the end of the conversation, was everything done that the user asked for and that the agent's instructions allow?",
      guidance: [
        'Look at the whole conversation. What the user asked for is what they wanted in the end: later words replace earlier ones.',
        'Yes: every part of it was done. An action counts as done where a tool call did it, with the values that the user agreed to, and its',
        'result does not say that it failed; information counts where it was given and is right by the data. A part that the instructions',
        'forbid counts as done where it was refused, and nothing else was done in its place that the user did not ask for. Handing over to a',
        'person counts where the instructions say so for such a case. Where the user left before saying what was needed, judge what was asked.',
        'No: a part is missing, or was done with wrong values, or for another thing; something was done that the user did not ask for; the',
        'agent says that it did something and no tool call shows it; it refused, or handed over, what the instructions allow; or the',
        'conversation breaks off before the end. Thanks, politeness and a satisfied user are no evidence.',
      ].join('\n'),
      sees: [...FACTS, 'state'],
      needs: ['user_input'],
    },
  ],
  [
    'within_policy',
    {
      summary: 'the agent kept to its own instructions, in all it did and said',
      about: 'rules',
      question: 'Did the agent keep to its own instructions throughout the conversation?',
      guidance: [
        'The items "instructions" hold the rules. Go through them one by one, and for each look for a call or an answer that it is about.',
        'Yes: nothing the agent did or said breaks a rule that is written there.',
        'No: at least one call or answer breaks one. It made a call that they forbid, or in a case for which they forbid it; left out what',
        'they require beforehand, such as a confirmation, a look-up or a question; used other values than they say; or promised, told or',
        'refused what they say it must not. Quote the rule, and what broke it.',
        'Only written rules count: not what would have been wise, and not whether the task was done. Where the data do not show whether a rule',
        'was kept, it was kept. Rules of style alone (length, tone, wording) are no matter unless the instructions call them binding.',
      ].join('\n'),
      sees: [...FACTS, 'state'],
      needs: ['instructions'],
    },
  ],
  [
    'helpful',
    {
      summary: 'the last answer brings the user further',
      about: 'task',
      question: "Does the agent's last answer bring the user closer to what they wanted?",
      guidance: [
        'Yes: it does what was asked, gives what was asked for, or asks for the one thing that is missing; or it says plainly that it',
        'cannot, why, and what the user can do instead.',
        'No: it leaves out what matters most, answers another question, sends the user in circles, promises what nothing in the data',
        'shows to have been done, or only apologises. Length and style are no matter.',
      ].join('\n'),
      sees: FACTS,
      needs: ['user_input', 'final_answer'],
      without: silenceIsNoHelp,
    },
  ],
  [
    'addresses_the_request',
    {
      summary: 'the last answer is about what was asked, all of it',
      about: 'form',
      question: "Does the agent's last answer take up everything that the user's last request asks for?",
      guidance: [
        'Yes: each part of the request is answered, done, or named as something that cannot be done or needs to be known first. Earlier',
        'turns say what the request refers to.',
        'No: a part is passed over, or the answer is about something else. Whether what it says is right is no matter here.',
      ].join('\n'),
      sees: [],
      needs: ['user_input', 'final_answer'],
      without: silence,
    },
  ],
  [
    'grounded_in_context',
    {
      summary: 'what the last answer states as fact is in the conversation, a tool result or a retrieved text',
      about: 'rules',
      question: "Is everything specific that the agent's last answer states as fact supported by the data?",
      guidance: [
        'Specific are names, numbers, dates, ids, prices, states of things, quotations, and what is said to have been done.',
        "Yes: each of them is said by the user, by a tool result, by a retrieved text, by the agent's instructions, or follows from those",
        'directly; or the answer states nothing specific. Plain common knowledge needs no support.',
        'No: at least one of them is in none of these, or contradicts them, or an action is claimed that no tool call carried out. Where a',
        'value that would have to support it is cut, redacted or was not recorded, this is no reason for a no.',
      ].join('\n'),
      sees: [...FACTS, 'state'],
      needs: ['final_answer'],
      without: silence,
    },
  ],
  [
    'tone',
    {
      summary: 'the last answer is civil and fits a business talking to its customer',
      about: 'form',
      question: "Is the tone of the agent's last answer what a good business would use to this user?",
      guidance: [
        'Yes: polite, clear and calm, in the language of the user, and no more familiar or formal than the user is.',
        'No: rude, mocking, blaming, preachy, threatening, or careless of a distress that the user shows. What the answer says and how',
        'long it is are no matter here, nor is what users or tools wrote.',
      ].join('\n'),
      sees: [],
      needs: ['final_answer'],
      without: silence,
    },
  ],
  [
    'step_correctness',
    {
      summary:
        'the steps of the golden trace were made rightly: each is 1, 0.5 or 0, and their weighted mean meets a threshold',
      about: 'task',
      question: 'Was each step that the agent made for a step of the golden trace the right thing to do at that point?',
      guidance: [
        'Grade each "golden_step" that was made, by what the agent knew at that point: the request and what the steps before gave.',
        '1: it does what the golden step is for, with arguments that mean the same. Other words for the same value are no mistake.',
        '0.5: the right tool, but an argument is wrong, missing or too wide, so that the result is of less use; or a needless detour.',
        '0: another thing than the golden step is for, an argument that makes it about something else, or an action that does harm.',
        'Steps that were not made are not asked about.',
      ].join('\n'),
      sees: ['tool', 'golden'],
      needs: ['tools'],
      gradesSteps: true,
    },
  ],
]);
