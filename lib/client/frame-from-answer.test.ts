import { expect, test } from 'vitest';
import { type LiveAnswer, liveAnswerSchema } from '#lib/api/live-answer.ts';
import { plainRecord } from '../../scripts/test/arbitrary-record.ts';
import { frameFromAnswer } from './frame-from-answer.ts';

const answer: LiveAnswer = {
  as_of: '2026-11-21T12:00:00.000Z',
  next_poll_ms: 5000,
  asked: [170, -20, -150, 20],
  covered: [
    [175, -15, 180, 15],
    [-180, -15, -155, 15],
  ],
  capped: true,
  layers: {
    rid: {
      state: 'limited',
      fetched_at: null,
      partial: false,
      reason: 'allowance_used_up',
      failing_since: '2026-11-21T11:59:00.000Z',
      until: '2026-11-21T12:05:00.000Z',
      unreadable: 2,
      records: [plainRecord],
    },
  },
};

test('a frame says what the answer said: null as undefined, never as 1970', () => {
  const frame = frameFromAnswer(liveAnswerSchema.parse(answer), 120);
  expect(frame).toMatchObject({
    asOfMs: Date.UTC(2026, 10, 21, 12),
    delayMs: 120,
    asked: { west: 170, south: -20, east: -150, north: 20 },
    covered: [{ west: 175 }, { east: -155 }],
    capped: true,
  });
  expect(frame.layers.rid).toMatchObject({
    state: 'limited',
    fetchedAtMs: undefined,
    failingSinceMs: Date.UTC(2026, 10, 21, 11, 59),
    untilMs: Date.UTC(2026, 10, 21, 12, 5),
    unreadable: 2,
    records: { count: 1 },
  });
});

test('a layer that was not asked for is absent, not empty', () => {
  expect(Object.keys(frameFromAnswer(answer, 0).layers)).toEqual(['rid']);
});
