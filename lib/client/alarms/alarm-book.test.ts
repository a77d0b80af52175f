import { expect, test } from 'vitest';
import { parseInstant } from '#lib/time/instant.ts';
import { alarmOf } from './alarm.fixture.ts';
import { EMPTY_BOOK, groupedAlarms, isPending, mergedBook, recentBook, stageOf, wasOpenAt } from './alarm-book.ts';

const at = (time: string) => parseInstant(`2026-11-27T${time}Z`) as NonNullable<ReturnType<typeof parseInstant>>;

test('keeps each alarm once, the latest decision first, and stays the same object without news', () => {
  const book = mergedBook(EMPTY_BOOK, { alarms: [alarmOf(1), alarmOf(2)], next: 'a' });
  const changed = mergedBook(book, { alarms: [alarmOf(1, { state: 'ended' })], next: 'b' });
  expect(changed.alarms.map(({ id, state }) => [id.slice(-1), state])).toEqual([
    ['2', 'open'],
    ['1', 'ended'],
  ]);
  expect(mergedBook(changed, { alarms: [], next: 'b' })).toBe(changed);
});

test('drops what is over and closed before a time, and never what an operator may still close', () => {
  const acknowledged = { by: 'tower', at: '2026-11-27T12:00:00Z', until: null, comment: '' };
  const closed = { by: 'tower', at: '2026-11-27T12:00:00Z', as: 'handled', comment: '' } as const;
  const book = mergedBook(EMPTY_BOOK, {
    alarms: [
      alarmOf(1, { state: 'ended', closed }),
      alarmOf(2, { state: 'ended', acknowledged }),
      alarmOf(3, { closed }),
      alarmOf(4, { state: 'ended', expected: true }),
      alarmOf(60, { state: 'ended', closed }),
    ],
    next: 'a',
  });
  expect(recentBook(book, at('12:00:30')).alarms.map(({ id }) => Number(id.slice(-2)))).toEqual([60, 3, 2]);
  expect(recentBook(book, at('12:00:00'))).toBe(book);
});

test('an alarm is new again when its acknowledgement has ended and the alarm has not', () => {
  const acknowledged = { by: 'tower', at: '2026-11-27T12:00:00Z', until: '2026-11-27T12:30:00Z', comment: '' };
  const alarm = alarmOf(1, { acknowledged });
  expect(stageOf(alarm, at('12:29:59'))).toBe('acknowledged');
  expect(stageOf(alarm, at('12:30:00'))).toBe('new');
  expect(stageOf({ ...alarm, state: 'ended' }, at('12:30:00'))).toBe('acknowledged');
  expect(stageOf({ ...alarm, acknowledged: { ...acknowledged, until: null } }, at('23:00:00'))).toBe('acknowledged');
  const closed = { by: 'tower', at: '2026-11-27T12:00:00Z', as: 'handled', comment: '' } as const;
  expect(stageOf({ ...alarm, closed }, at('12:45:00'))).toBe('closed');
});

test('an expected alarm waits for no operator; an ended one does until it is acknowledged', () => {
  expect(isPending(alarmOf(1, { expected: true }), undefined)).toBe(false);
  expect(isPending(alarmOf(1, { state: 'ended', ended: 'left' }), undefined)).toBe(true);
});

test('an alarm was open from its first observation until it ended', () => {
  const alarm = alarmOf(1, { state: 'ended', ended: 'left', ended_at: '2026-11-27T12:05:00Z' });
  expect(wasOpenAt(alarm, at('11:59:59'))).toBe(false);
  expect(wasOpenAt(alarm, at('12:00:00'))).toBe(true);
  expect(wasOpenAt(alarm, at('12:05:00'))).toBe(false);
  expect(wasOpenAt(alarmOf(1), at('23:00:00'))).toBe(true);
});

test('alarms that are perhaps the same form one group, also where the earlier one is not known', () => {
  const [first, second, third] = [alarmOf(1), alarmOf(2, { perhaps_same_as: alarmOf(1).id }), alarmOf(3)];
  const fourth = alarmOf(4, { perhaps_same_as: second.id });
  const fifth = alarmOf(5, { perhaps_same_as: alarmOf(99).id });
  const groups = groupedAlarms([fifth, fourth, third, second, first]);
  expect(groups.map(({ latest, earlier }) => [latest, ...earlier].map(({ id }) => id.slice(-1)).join(''))).toEqual([
    '5',
    '421',
    '3',
  ]);
});
