import { expect, test } from 'vitest';
import { isBareApology } from '../../../src/score/checks/answer-says-something.ts';

test.each([
  ["I'm sorry, but I can't help with that."],
  ['I’m sorry, I’m unable to assist with that request.'],
  ['Something went wrong. Please try again later.'],
  ['Unfortunately, I cannot do that. Is there anything else?'],
  ['Sorry!'],
  ['As an AI, I am not able to do that.'],
  ["I apologize for the inconvenience. I wasn't able to complete your request. Please try again."],
])('a bare apology: %s', (answer) => {
  expect(isBareApology(answer)).toBe(true);
});

test.each([
  ['Your meeting is booked.'],
  ['Sorry, the room is taken at 10:00. Would 11:00 suit you?'],
  ["I couldn't book it because Ana is on leave."],
  ['Unfortunately the flight is full; however, there are seats on the next one.'],
  ['Sorry, but the office is closed on that day.'],
  ['The server is unable to connect to the database.'],
  ["I can't change the order myself. You can reach the support team through the chat on the order page."],
  ['No.'],
  [`${'All the details you asked for. '.repeat(30)}Sorry for the delay.`],
])('no bare apology: %s', (answer) => {
  expect(isBareApology(answer)).toBe(false);
});
