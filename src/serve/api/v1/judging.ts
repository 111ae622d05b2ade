/** `GET /api/v1/judging`: what judges have spent, and what waits for them, from the store that all instances share. */
import { z } from 'zod';
import { type Judging, judging } from '../../../api/judges.ts';
import { NANOS } from '../../../model/questions.ts';
import { isoTime } from './iso-time.ts';
import { v1Read } from './v1-read.ts';
import type { V1Side } from './v1-side.ts';

export const getJudging = v1Read({
  path: '/api/v1/judging',
  summary: 'money that judges spent in the last hour and day, and the questions that wait for them',
  query: z.strictObject({}),
  answer: judging,
  read: async ({ reader }: Pick<V1Side, 'reader'>): Promise<Judging> => {
    const { spent, waiting } = await reader.pages.judging(Date.now());
    return {
      spent: { last_hour: spent.hourNanos / NANOS, last_day: spent.dayNanos / NANOS },
      waiting: [...waiting].map(([judge, { questions, oldestAt }]) => ({
        judge,
        questions,
        oldest_at: isoTime(oldestAt),
      })),
    };
  },
});
