import { expect, test } from 'vitest';
import type { NoticeDelivery } from '#lib/api/outputs/destinations.ts';
import { parseInstant } from '#lib/time/instant.ts';
import { deliveryStateText, kindText, noticeTypeText } from './delivery-text.ts';

const delivery: NoticeDelivery = {
  id: '6f1d1f8e-3c6e-4b6e-9d64-1f6f0c2a7e01',
  destination: { id: '6f1d1f8e-3c6e-4b6e-9d64-1f6f0c2a7d01', name: 'Control room', kind: 'webhook' },
  type: 'escalated',
  alarms: 1,
  state: 'waiting',
  created_at: '2026-11-27T23:59:58Z',
  arrived_at: null,
  tries: 2,
  next_try_at: '2026-11-28T00:01:00Z',
  problem: null,
};
const times = { now: parseInstant('2026-11-28T00:00:30Z'), zone: 'utc' } as const;

test('a delivery that waits says when it is tried next, and the time while the present one is not known', () => {
  expect(deliveryStateText(delivery, times)).toBe('waiting after 2 tries, next try in 30 s');
  expect(deliveryStateText(delivery, { ...times, now: undefined })).toBe(
    'waiting after 2 tries, next try at 2026-11-28 00:01:00Z',
  );
});

test('an arrival of another day has its date, and one without a time does not make it up', () => {
  const arrived = { ...delivery, state: 'arrived', tries: 1 } as const;
  expect(deliveryStateText({ ...arrived, arrived_at: '2026-11-27T23:59:59Z' }, times)).toBe(
    'arrived 2026-11-27 23:59:59Z',
  );
  expect(deliveryStateText(arrived, times)).toBe('arrived at an unknown time');
});

test('names escalations, groups and channels, also one that is not known', () => {
  expect(noticeTypeText(delivery)).toBe('Escalated, as no operator acknowledged');
  expect(deliveryStateText({ ...delivery, state: 'grouped' }, times)).toBe('grouped with others into one notice');
  expect([kindText('cot'), kindText('toString')]).toEqual(['TAK server (CoT)', 'toString']);
});
