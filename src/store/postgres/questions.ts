/**
 * Questions to judges on the shared store (rules/questions.ts). Two owners at once (one has not heard yet that it is none any more) ask some questions twice
 * and spend no more than there is: money is reserved under a lock that all share.
 */
import { QUESTIONS, type QuestionDialect } from '../rules/questions.ts';
import { bound, rows } from '../sql.ts';
import { DIALECT } from './dialect.ts';
import type { Link } from './link.ts';
import { PostgresSql } from './postgres-sql.ts';
import { KEEP_QUESTIONS, reviseAnswered } from './waiting.ts';

const ASKING: QuestionDialect = {
  ...DIALECT,
  forgettable: '(NOT q.answered OR q.ended_at < ?)',
  keepQuestions: () => rows(KEEP_QUESTIONS),
  ended: reviseAnswered,
};

export function questionRows(link: Link) {
  return bound(new PostgresSql(ASKING, link), QUESTIONS);
}
