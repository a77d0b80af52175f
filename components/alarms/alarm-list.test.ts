import fc from 'fast-check';
import { expect, test } from 'vitest';
import { alarmOf, ZONE_ID } from '#lib/client/alarms/alarm.fixture.ts';
import { isPending } from '#lib/client/alarms/alarm-book.ts';
import { type AlarmItem, alarmItems, listedAlarms } from './alarms-page.tsx';

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

test('lists every new alarm that the bell counts, once', () => {
  const zones = ['Gate', 'Runway'].map((name, index) => ({ id: `${ZONE_ID.slice(0, -1)}${index}`, name, revision: 1 }));
  const closed = { by: 'tower', at: '2026-11-27T12:00:00Z', as: 'handled', comment: '' } as const;
  const anyChange = fc.record({
    zone: fc.constantFrom(...zones),
    acknowledged: fc.constantFrom(null, null, acknowledged),
    closed: fc.constantFrom(null, null, closed),
    state: fc.constantFrom('open' as const, 'unknown' as const, 'ended' as const),
    expected: fc.boolean(),
    // Also of itself, of a later one, and of one that is not known.
    perhaps_same_as: fc.option(
      fc.nat({ max: 30 }).map((number) => alarmOf(number).id),
      { nil: null },
    ),
  });
  fc.assert(
    fc.property(
      fc.array(anyChange, { maxLength: 25 }),
      fc.constantFrom('pending' as const, 'open' as const, 'all' as const),
      fc.constantFrom(new Set<string>(), new Set(zones.map(({ id }) => id))),
      (changes, show, expanded) => {
        const alarms = changes.map((change, index) => alarmOf(index, change));
        const items = alarmItems(alarms, { ...ALL, show }, undefined, expanded);
        const listed = listedAlarms(items).map(({ id }) => id);
        expect(new Set(listed).size).toBe(listed.length);
        const counted = alarms.filter((alarm) => isPending(alarm, undefined)).map(({ id }) => id);
        const fresh = new Set(counted);
        expect(listed.filter((id) => fresh.has(id)).toSorted()).toEqual(counted.toSorted());
      },
    ),
  );
});
