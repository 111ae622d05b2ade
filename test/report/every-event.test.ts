import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { AnyEvent } from '../../src/model/events/any-event.ts';
import { TURN_FATES } from '../../src/model/events/scoring-events.ts';
import type { JournalEvent } from '../../src/model/events/journal-events.ts';
import { EventReporter, type ReportedParts } from '../../src/report/events/event-reporter.ts';
import type { EventTable } from '../../src/report/events/event-table.ts';
import { JOURNAL_EVENTS } from '../../src/report/events/journal.ts';
import { DAMAGE_METRICS } from '../../src/report/events/damage.ts';
import { SCORING_EVENTS, SCORING_METRICS } from '../../src/report/events/scoring.ts';
import { MetricSet } from '../../src/report/metrics/metric-set.ts';
import { LOG_LEVELS, type LogLine } from '../../src/report/log/log.ts';
import { EVERY_EVENT } from './every-event.ts';
import { formMistakeIn } from './log-form.ts';

const ALONE = { redaction: undefined, judges: undefined, cluster: undefined };
const JUDGES = { names: ['j'], budget: { hourNanos: 10, dayNanos: Number.POSITIVE_INFINITY } };

function reported(parts: Omit<ReportedParts, 'log'>): readonly LogLine[] {
  const lines: LogLine[] = [];
  const reporter = new EventReporter({ ...parts, log: { report: (line) => lines.push(line) } });
  for (const event of EVERY_EVENT) reporter.report(event);
  return lines;
}

test.each<[where: string, parts: Omit<ReportedParts, 'log'>]>([
  ['one machine without judges', ALONE],
  ['one machine with judges', { ...ALONE, judges: JUDGES }],
  ['one of many', { ...ALONE, judges: JUDGES, cluster: { reads: true, topics: ['t'] } }],
  ['a gateway', { ...ALONE, cluster: { reads: false, topics: [] } }],
])(
  'an event of any kind can be reported and makes the same log line, whatever metrics there are: %s',
  (_where, parts) => {
    const lines = reported(parts);

    expect(lines).toEqual(reported(ALONE));
    expect(lines.length).toBeGreaterThan(40);
  },
);

test('a log line says which component it is of, what happened, and what happens now', () => {
  const lines = reported(ALONE);

  for (const { level } of lines) expect(LOG_LEVELS).toContain(level);
  expect(lines.flatMap(({ message }) => formMistakeIn(message) ?? [])).toEqual([]);
});

test('so does a line that is written without an event', () => {
  const messages = globSync('src/**/*.ts').flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/\.line\(\s*'(?:error|warn|info|debug)',\s*['`]([^'`]+)['`]/g)].map(
      ([, message = '']) => message.replace(/\$\{\w+\}/g, 'component: part'),
    ),
  );

  expect(messages.length).toBeGreaterThan(7);
  expect(messages.flatMap((message) => formMistakeIn(message) ?? [])).toEqual([]);
});

test('every log line that a runbook quotes is one that is written', () => {
  const written = reported(ALONE).map(({ message }) => message);
  const quoted = globSync('docs/runbooks/*.md').flatMap((page) =>
    [...readFileSync(page, 'utf8').matchAll(/log line\s+`([^`]+)`/g)].map(([, line = '']) => ({ page, line })),
  );

  expect(quoted.length).toBeGreaterThan(1);
  expect(quoted.filter(({ line }) => !written.includes(line))).toEqual([]);
});

test.each(['started', 'kafka client', 'store: deleted conversations', 'The journal: full, waiting', 'a: b, c.'])(
  '%s has not the form of a log line',
  (message) => {
    expect(formMistakeIn(message)).toContain(message);
  },
);

test('a line with all three parts has the form', () => {
  expect(formMistakeIn('journal: full, rejecting new data until space is free')).toBeUndefined();
});

test('only what came after its turn had closed is late: what is scored again, or no spans at all, is not', async () => {
  const metrics = new MetricSet(SCORING_METRICS);
  const { count } = SCORING_EVENTS['turn-closed'];
  const counted = { ...metrics.counted, ...new MetricSet(DAMAGE_METRICS).counted };
  for (const fate of TURN_FATES) count({ type: 'turn-closed', cause: 'idle', fate, rows: 3 }, counted);

  const { values: late } = await metrics.counted.lateRecords.get();
  const { values: closed } = await metrics.counted.turns.get();
  expect(late.map(({ labels, value }) => [labels.fate, value])).toEqual([
    ['revised', 3],
    ['duplicate', 3],
    ['too-late', 3],
    ['pruned', 3],
    ['forgotten', 3],
    ['over-limit', 3],
  ]);
  expect(closed.filter(({ value }) => value === 1)).toHaveLength(TURN_FATES.length);
});

// These are for the compiler: without the errors that are expected it fails.

interface NewEvent {
  readonly type: 'journal-rotated';
  readonly tookMs: number;
}

test('an event without a place in the table of its domain does not compile', () => {
  const lacking = {
    ...JOURNAL_EVENTS,
    // @ts-expect-error a new kind of event is in no table yet, and the compiler names the table
  } satisfies EventTable<JournalEvent | NewEvent, never>;
  const complete = {
    ...JOURNAL_EVENTS,
    'journal-rotated': { silent: 'an example' },
  } satisfies EventTable<JournalEvent | NewEvent, never>;

  expect(Object.keys(complete)).toHaveLength(Object.keys(lacking).length + 1);
});

test('an event that says nothing of how it shows does not compile', () => {
  const empty: EventTable<NewEvent> = {
    // @ts-expect-error neither a line, nor a metric, nor a reason for neither
    'journal-rotated': {},
  };
  const misspelt: EventTable<NewEvent> = {
    'journal-rotated': { silent: 'an example' },
    // @ts-expect-error there is no such event
    'journal-rotted': { silent: 'an example' },
  };

  expect(Object.keys({ ...empty, ...misspelt })).toHaveLength(2);
});

test('an event of a union that nothing reports does not compile', () => {
  const reporter = new EventReporter({ ...ALONE, log: { report: () => {} } });
  // @ts-expect-error the union of its domain is not part of AnyEvent
  const report = (event: AnyEvent | NewEvent) => reporter.report(event);

  expect(report).toBeTypeOf('function');
});
