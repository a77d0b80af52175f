import { beforeEach, describe, expect, test } from 'vitest';
import type { NewZone, Zone } from '#lib/api/watching/zones.ts';
import { addMs, formatInstant, type UpstreamInstant, upstreamInstant } from '#lib/time/instant.ts';
import { describeDatabases } from '#testing/test-databases.ts';
import { refusalOf } from '../views/refusal-of.fixture.ts';
import { newZone } from './new-zone.fixture.ts';
import type { ZoneCaller } from './zone-rows.ts';
import { Zones } from './zones.ts';

const al: ZoneCaller = { owner: 'al', name: 'Al', actor: 'Al', isAdmin: false };
const bea: ZoneCaller = { owner: 'bea', name: 'Bea', actor: 'Bea', isAdmin: false };
const admin: ZoneCaller = { owner: 'root', name: 'Root', actor: 'Root', isAdmin: true };
const names = (zones: readonly Zone[]) => zones.map(({ name }) => name);

function changed(
  { id: _, mine: _1, owner: _2, changed_at: _3, removed_at: _4, ...zone }: Zone,
  change: Partial<NewZone>,
) {
  return { ...zone, ...change };
}

describeDatabases('zones', ({ newTarget, open }) => {
  let now: UpstreamInstant;
  let one: Zones;
  let other: Zones;
  beforeEach(async () => {
    now = upstreamInstant(1_000_000);
    const target = newTarget();
    [one, other] = [new Zones(await open(target), () => now), new Zones(await open(target), () => now)];
  });

  test('shows what one server added, shared, changed and removed at the other', async () => {
    const own = await one.add(al, newZone({ name: 'Own' }));
    const shared = await other.add(al, newZone({ name: 'Shared', shared: true }));
    expect(names(await other.list(al))).toEqual(['Own', 'Shared']);
    expect(await one.list(bea)).toEqual([{ ...shared, mine: false }]);
    expect(shared).toMatchObject({ revision: 1, mine: true, owner: 'Al' });
    const after = await other.change(al, own.id, changed(own, { name: 'Gate', shared: true }));
    expect(after).toMatchObject({ id: own.id, revision: 2, name: 'Gate' });
    expect(names(await one.list(bea))).toEqual(['Gate', 'Shared']);
    await one.remove(al, shared.id);
    expect(names(await other.list(bea))).toEqual(['Gate']);
  });

  test('hides private zones, and lets only their operator or an admin change a shared one', async () => {
    const own = await one.add(al, newZone({ name: 'Own' }));
    const shared = await one.add(al, newZone({ name: 'Shared', shared: true }));
    expect(await refusalOf(() => one.change(bea, own.id, changed(own, {})))).toBe('not_found');
    expect(await refusalOf(() => one.visible(bea, own.id))).toBe('not_found');
    expect(await refusalOf(() => one.change(bea, shared.id, changed(shared, {})))).toBe('not_owner');
    expect(await refusalOf(() => one.remove(bea, shared.id))).toBe('not_owner');
    expect(names(await one.list(admin))).toEqual(['Own', 'Shared']);
    const after = await one.change(admin, own.id, changed(own, { name: 'Checked' }));
    expect(after).toMatchObject({ name: 'Checked', mine: false, owner: 'Al' });
    await one.remove(admin, shared.id);
    expect(names(await one.list(al))).toEqual(['Checked']);
  });

  test('refuses a change of a revision that another change replaced, also one under way at the same time', async () => {
    const zone = await one.add(al, newZone());
    const changes = [one, other, one, other].map((zones, index) =>
      refusalOf(() => zones.change(al, zone.id, changed(zone, { name: `change ${index}` }))),
    );
    const refusals = (await Promise.all(changes)).sort();
    expect(refusals).toEqual(['', 'revision_conflict', 'revision_conflict', 'revision_conflict']);
    expect((await one.visible(al, zone.id)).revision).toBe(2);
  });

  test('refuses a taken name, an unknown time zone and a body that names rules of another zone', async () => {
    const zone = await one.add(al, newZone({ name: 'Gate' }));
    expect(await refusalOf(() => other.add(al, newZone({ name: 'Gate' })))).toBe('name_taken');
    await other.add(bea, newZone({ name: 'Gate' }));
    const hours = {
      time_zone: 'Europe/Atlantis',
      weekly: [{ days: ['mon'], from: '08:00', to: '16:00' }],
    } satisfies NewZone['hours'];
    expect(await refusalOf(() => one.add(al, newZone({ name: 'x', hours })))).toBe('bad_body');
    const copy = await one.add(al, newZone({ name: 'Copy', rules: zone.rules }));
    expect(copy.rules[0]?.id).not.toBe(zone.rules[0]?.id);
  });

  describe('rules', () => {
    test('keep their id over changes, and new ones get their own', async () => {
      const zone = await one.add(al, newZone());
      const [rule] = zone.rules;
      if (!rule) throw new Error('the zone has a rule');
      const after = await one.change(al, zone.id, changed(zone, { rules: [{ ...rule, hold_s: 5 }, rule] }));
      expect(after.rules[0]).toEqual({ ...rule, hold_s: 5 });
      expect(after.rules[1]?.id).not.toBe(rule.id);
    });
  });

  test('shows the zones as they were at a time of the past', async () => {
    const before = now;
    now = addMs(now, 1000);
    const zone = await one.add(al, newZone({ name: 'First' }));
    const first = now;
    now = addMs(now, 1000);
    await one.change(al, zone.id, changed(zone, { name: 'Second' }));
    const second = now;
    now = addMs(now, 1000);
    await one.remove(al, zone.id);
    const listed = await Promise.all([before, first, second, now].map((at) => one.list(al, at)));
    expect(listed.map(names)).toEqual([[], ['First'], ['Second'], []]);
    expect(listed.flat().map(({ removed_at }) => removed_at)).toEqual([now, now].map((at) => formatInstant(at)));
  });

  test('calls listeners of both servers when a zone has changed', async () => {
    const heard = { one: 0, other: 0 };
    const ends = [one.onChange(() => heard.one++), other.onChange(() => heard.other++)];
    await one.add(al, newZone());
    await expect.poll(() => heard.one > 0 && heard.other > 0).toBe(true);
    for (const end of ends) end();
  });
});
