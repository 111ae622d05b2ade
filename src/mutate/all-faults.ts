/** Faults of agents, in the order in which reports show them. */
import type { Fault } from './fault.ts';
import { answerContradicts } from './faults/answer-contradicts.ts';
import { answerCut, answerEmpty, lastTurnMissing } from './faults/incomplete-answers.ts';
import { argumentChanged } from './faults/argument-changed.ts';
import { callDropped, callRepeated, destructiveCall, wrongTool } from './faults/other-calls.ts';
import { callsSwapped } from './faults/calls-swapped.ts';
import { errorHidden, failureIgnored } from './faults/unmentioned-failures.ts';
import { resultChanged } from './faults/result-changed.ts';
import { stateContradicts } from './faults/state-contradicts.ts';

export const FAULTS: readonly Fault[] = [
  callDropped,
  callsSwapped,
  callRepeated,
  wrongTool,
  destructiveCall,
  argumentChanged,
  errorHidden,
  failureIgnored,
  resultChanged,
  stateContradicts,
  answerCut,
  answerEmpty,
  answerContradicts,
  lastTurnMissing,
];
