import { expect, test } from 'vitest';
import { alarmOf, ZONE_ID } from '#lib/client/alarms/alarm.fixture.ts';
import { type AlarmItem, alarmItems } from './alarms-page.tsx';

const ALL = { show: 'all', zone: undefined, ownZones: undefined } as const;
const acknowledged = { by: 'tower', at: '2026-11-27T12:00:00Z', until: null, comment: '' };
const texts = (items: readonly AlarmItem[]) =>
  items.map((item) =>
    item.kind === 'alarm' ? Number(item.group.latest.id.slice(-4)) : `and ${item.groups.length} more`,
  );

test('lists new alarms first', () => {
  const alarms = [alarmOf(3, { acknowledged }), alarmOf(2), alarmOf(1, { expected: true })];
  expect(texts(alarmItems(alarms, ALL, undefined, new Set()))).toEqual([2, 3, 1]);
});

test('joins a flood of one zone to one line, which can be expanded', () => {
  const flood = Array.from({ length: 46 }, (_, index) => alarmOf(46 - index));
  const other = alarmOf(100, { zone: { id: '6f1d1f8e-3c6e-4b6e-9d64-1f6f0c2a7a99', name: 'Gate', revision: 1 } });
  expect(texts(alarmItems([...flood, other], ALL, undefined, new Set()))).toEqual([
    ...[46, 45, 44, 43, 42, 'and 41 more'],
    100,
  ]);
  expect(alarmItems(flood, ALL, undefined, new Set([ZONE_ID]))).toHaveLength(46);
  expect(texts(alarmItems(flood.slice(40), ALL, undefined, new Set()))).toEqual([6, 5, 4, 3, 2, 1]);
});

test('filters by zone, state and own zones', () => {
  const alarms = [alarmOf(1), alarmOf(2, { state: 'ended', ended: 'left' }), alarmOf(3, { acknowledged })];
  const shown = (choice: Partial<Parameters<typeof alarmItems>[1]>) =>
    texts(alarmItems(alarms, { ...ALL, ...choice }, undefined, new Set()));
  expect(shown({ show: 'pending' })).toEqual([1, 2]);
  expect(shown({ show: 'open' })).toEqual([1, 2, 3]);
  expect(shown({ zone: 'another' })).toEqual([]);
  expect(shown({ ownZones: new Set() })).toEqual([]);
  expect(shown({ ownZones: new Set([ZONE_ID]) })).toEqual([1, 2, 3]);
});

test('keeps an alarm that is read or answered, in a flood and after its end', () => {
  const flood = Array.from({ length: 46 }, (_, index) => alarmOf(46 - index));
  const ended = alarmOf(50, { acknowledged, state: 'ended', ended: 'left' });
  const isHeld = ({ id }: { id: string }) => id === alarmOf(3).id || id === ended.id;
  const choice = { ...ALL, show: 'open' } as const;
  expect(texts(alarmItems([...flood, ended], choice, undefined, new Set(), isHeld))).toEqual([
    ...[46, 45, 44, 43, 42, 'and 40 more', 3],
    50,
  ]);
});
