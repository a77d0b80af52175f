import { expect, test } from 'vitest';
import { plainPosition } from '#lib/model/plain-position.fixture.ts';
import { CotQueue } from './cot-connection.ts';

const { observedAt: now } = plainPosition;
const track = (number: number) => ({ ...plainPosition, ref: `RX-A-${number.toString(16).padStart(16, '0')}` });
const refsOf = (xml: string) => xml.match(/(?<= uid=")[^"]+/g) ?? [];

test('drops the tracks that wait longest beyond 50,000', () => {
  const queue = new CotQueue();
  for (let number = 0; number < 50_010; number += 1) queue.putPosition(track(number));
  const refs = refsOf(queue.take(Number.POSITIVE_INFINITY, now)?.xml ?? '');
  expect(refs).toHaveLength(50_000);
  expect([refs[0], refs.at(-1)]).toEqual([track(10).ref, track(50_009).ref]);
});

test('takes tracks in the order in which they began to wait, however often they change', () => {
  const queue = new CotQueue();
  for (const number of [1, 2, 1, 1]) queue.putPosition(track(number));
  expect(refsOf(queue.take(1, now)?.xml ?? '')).toEqual([track(1).ref]);
  queue.putPosition(track(1));
  expect(refsOf(queue.take(1, now)?.xml ?? '')).toEqual([track(2).ref]);
});

test('refuses an alarm beyond 1000, and drops none', () => {
  const queue = new CotQueue();
  const alarm = { xml: '<event uid="alarm"/>', settle: () => undefined };
  for (let number = 0; number < 1000; number += 1) queue.putAlarm({ ...alarm });
  expect(() => queue.putAlarm({ ...alarm })).toThrow('Too many alarms');
  expect(queue.take(Number.POSITIVE_INFINITY, now)?.alarms).toHaveLength(1000);
});

test('keeps of each state the newest, ahead of positions', () => {
  const queue = new CotQueue();
  queue.putPosition(track(1));
  queue.putState('adsb', '<event uid="lost"/>');
  queue.putState('adsb', '<event uid="back"/>');
  expect(refsOf(queue.take(Number.POSITIVE_INFINITY, now)?.xml ?? '')).toEqual(['back', track(1).ref]);
  expect(queue.take(Number.POSITIVE_INFINITY, now)).toBeUndefined();
});
