import { beforeEach, describe, expect, test } from 'vitest';
import type { NewZone, Zone } from '#lib/api/watching/zones.ts';
import { addMs, formatInstant, type UpstreamInstant, upstreamInstant } from '#lib/time/instant.ts';
import { describeDatabases } from '#testing/test-databases.ts';
import type { Database } from '../database/database.ts';
import { refusalOf } from '../views/refusal-of.fixture.ts';
import { newZone } from './new-zone.fixture.ts';
import { ALONE, type ZoneCaller } from './zone-rows.ts';
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

describeDatabases('zones', ({ newTarget, open, testOnce }) => {
  let now: UpstreamInstant;
  let database: Database;
  let one: Zones;
  let other: Zones;
  beforeEach(async () => {
    now = upstreamInstant(1_000_000);
    const target = newTarget();
    database = await open(target);
    [one, other] = [new Zones(database, () => now), new Zones(await open(target), () => now)];
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

  testOnce('hides private zones, and lets only their operator or an admin change a shared one', async () => {
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

  testOnce('a zone that is private again is hidden from the others, and so is its past', async () => {
    const zone = await one.add(al, newZone({ name: 'Once shared', shared: true }));
    const shared = now;
    now = addMs(now, 1000);
    await one.change(al, zone.id, changed(zone, { shared: false }));
    expect(await refusalOf(() => other.visible(bea, zone.id))).toBe('not_found');
    expect([await other.list(bea), await other.list(bea, shared), await other.list(bea, now)]).toEqual([[], [], []]);
    expect(names(await other.list(al, shared))).toEqual(['Once shared']);
    expect((await other.visible(admin, zone.id)).revision).toBe(2);
  });

  testOnce('a zone that is removed stays visible to those who saw it', async () => {
    const [shared, own] = [await one.add(al, newZone({ name: 'a', shared: true })), await one.add(al, newZone())];
    for (const { id } of [shared, own]) await one.remove(al, id);
    expect((await one.visible(bea, shared.id)).name).toBe('a');
    expect(await refusalOf(() => one.visible(bea, own.id))).toBe('not_found');
  });

  test('an admin hands zones over: their new owner changes them, and the old one no longer', async () => {
    const [first, second] = [await one.add(al, newZone({ name: 'a' })), await one.add(al, newZone({ name: 'b' }))];
    const asked = [first, second].map(({ id, revision }) => ({ id, revision }));
    await one.handOver(admin, asked, { id: 'bea', name: 'Bea' });
    expect(await other.list(bea)).toMatchObject([
      { name: 'a', mine: true, owner: 'Bea', shared: false, revision: 2 },
      { name: 'b', mine: true, owner: 'Bea', shared: false, revision: 2 },
    ]);
    expect(await one.list(al)).toEqual([]);
    expect(await refusalOf(() => one.remove(al, first.id))).toBe('not_found');
    await one.remove(bea, first.id);
  });

  testOnce('hands over all zones or none, and never two of one name', async () => {
    const [a, b] = [await one.add(al, newZone({ name: 'a' })), await one.add(al, newZone({ name: 'b' }))];
    await one.add(bea, newZone({ name: 'b' }));
    const asked = [a, b].map(({ id, revision }) => ({ id, revision }));
    expect(await refusalOf(() => one.handOver(admin, asked, { id: 'bea', name: 'Bea' }))).toBe('name_taken');
    const [late] = asked;
    await one.change(al, a.id, changed(a, { name: 'c' }));
    expect(await refusalOf(() => one.handOver(admin, [late!], { id: 'bea', name: 'Bea' }))).toBe('revision_conflict');
    expect(names(await one.list(al))).toEqual(['b', 'c']);
  });

  testOnce('a zone that was made without sign-in is always shared until it has an owner', async () => {
    const zone = await one.add(ALONE, newZone({ name: 'Old', shared: false }));
    expect(await one.list(bea)).toMatchObject([{ id: zone.id, shared: true, mine: false, owner: null }]);
    await one.change(admin, zone.id, changed(zone, { shared: false }));
    expect(await one.list(bea)).toHaveLength(1);
    await one.handOver(admin, [{ id: zone.id, revision: 1 }], { id: 'al', name: 'Al' });
    const [owned] = await one.list(al);
    await one.change(al, zone.id, changed(owned!, { shared: false }));
    expect(await one.list(bea)).toEqual([]);
  });

  describe('stored revisions', () => {
    const stored = async () => ({
      revisions: (await database.query.selectFrom('zone_revision').selectAll().execute()).length,
      bodies: (await database.query.selectFrom('zone_body').selectAll().execute()).length,
    });
    const circle = (radius_m: number) => ({ type: 'Circle', centre: [8, 47], radius_m }) as NewZone['shape'];

    testOnce('a change of nothing is none, and an unchanged shape is stored once', async () => {
      let zone = await one.add(al, newZone());
      expect(await one.change(al, zone.id, changed(zone, {}))).toEqual(zone);
      expect(await stored()).toEqual({ revisions: 1, bodies: 1 });
      for (let count = 0; count < 20; count++)
        zone = await one.change(al, zone.id, changed(zone, { name: `name ${count}`, history_requests_a_day: count }));
      expect(await stored()).toEqual({ revisions: 21, bodies: 1 });
      zone = await one.change(al, zone.id, changed(zone, { shape: circle(777) }));
      expect(await stored()).toEqual({ revisions: 22, bodies: 2 });
      await one.remove(al, zone.id);
      expect(await stored()).toEqual({ revisions: 23, bodies: 2 });
      expect((await one.visible(al, zone.id)).shape).toEqual(circle(777));
    });

    testOnce('fill a day’s budget of their operator, which has room again with time, and no colleague’s', async () => {
      const words = { text: 'x'.repeat(900_000) };
      const source = (file: string) => ({ format: 'kml' as const, file, imported_at: '', words });
      let zone = await one.add(al, newZone({ name: 'Big', shared: true }));
      const change = async (file: string, caller = al) => {
        zone = await one.change(caller, zone.id, changed(zone, { source: source(file) }));
      };
      for (const file of ['1', '2', '3', '4']) await change(file);
      const refused: unknown = await change('5').catch((error: unknown) => error);
      expect(refused).toMatchObject({
        code: 'too_many_changes',
        message: expect.stringMatching(
          /^Your zones changed fill the 4 MiB .* nothing was stored\. Try again in \d+ min/,
        ),
      });
      await change('6', admin);
      now = addMs(now, (refused as { retryAfterS: number }).retryAfterS * 1000);
      await change('7');
      expect(await stored()).toEqual({ revisions: 7, bodies: 7 });
      for (let count = 0; count < 30; count++)
        await one.add(bea, newZone({ name: `${count}`, source: source(`${count}`) }));
    });
  });

  describe('rules', () => {
    testOnce('keep their id over changes, and new ones get their own', async () => {
      const zone = await one.add(al, newZone());
      const [rule] = zone.rules;
      if (!rule) throw new Error('the zone has a rule');
      const after = await one.change(al, zone.id, changed(zone, { rules: [{ ...rule, hold_s: 5 }, rule] }));
      expect(after.rules[0]).toEqual({ ...rule, hold_s: 5 });
      expect(after.rules[1]?.id).not.toBe(rule.id);
    });
  });

  testOnce('shows the zones as they were at a time of the past', async () => {
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
    const noticed = { one: 0, other: 0 };
    const ends = [one.onChange(() => noticed.one++), other.onChange(() => noticed.other++)];
    await one.add(al, newZone());
    await expect.poll(() => noticed.one > 0 && noticed.other > 0).toBe(true);
    for (const end of ends) end();
  });
});
