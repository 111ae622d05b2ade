import { expect, test } from 'vitest';
import { agreementOfPeople } from '../../../src/statistics/calibrate/agreement-of-people.ts';
import type { HumanLabel, LabelKind } from '../../../src/model/labels.ts';

function said(conversationId: string, by: string, label: LabelKind, turnId?: string): HumanLabel {
  return { conversationId, turnId, suite: 's', criterion: 'c', label, by, note: undefined };
}

test('each subject counts once, by the last that two people said of it', () => {
  const agreement = agreementOfPeople([
    said('1', 'ana', 'fail'),
    said('1', 'bo', 'pass'),
    said('1', 'ana', 'pass'),
    said('1', 'cy', 'fail'),
    said('2', 'bo', 'fail'),
    said('2', 'ana', 'pass'),
    said('3', 'ana', 'pass'),
    said('3', 'ana', 'pass', 'turn'),
    said('4', 'bo', 'not_applicable'),
    said('4', 'cy', 'pass'),
    said('5', 'bo', 'not_applicable'),
    said('5', 'cy', 'not_applicable'),
  ]);

  expect(agreement).toMatchObject({ subjects: 2, disputedApplies: 1, agreed: { value: 0.5 } });
});

test('where nobody labelled the same, nothing is said', () => {
  expect(agreementOfPeople([said('1', 'ana', 'pass'), said('2', 'bo', 'pass')])).toEqual({
    subjects: 0,
    disputedApplies: 0,
    agreed: undefined,
    kappa: undefined,
  });
});
