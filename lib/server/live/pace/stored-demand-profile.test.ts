import { expect, test, vi } from 'vitest';
import { addMs, instantOf } from '#lib/time/instant.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import { SwitchableLease } from '#testing/switchable-lease.ts';
import { describeDatabases } from '#testing/test-databases.ts';
import type { Database } from '../../database/database.ts';
import { strictSupervisor } from '../../supervision/supervisor.fixture.ts';
import { DemandProfile, StoredDemandProfile } from './demand-profile.ts';

const FENCE = 0;
const NEW = new DemandProfile().saved();
const log = () => ({ warn: vi.fn() });

function learn({ profile }: StoredDemandProfile): void {
  const midnight = instantOf('2026-11-22T00:00:00Z');
  for (let minute = 0; minute <= 61; minute++) profile.record(addMs(midnight, minute * MINUTE_MS), false);
}

describeDatabases('the demand profile', ({ dialect, newTarget, open, testOnce }) => {
  const keep = (database: Database, lease = new SwitchableLease(FENCE)) =>
    StoredDemandProfile.open({ database, lease, part: strictSupervisor().part('demand_profile'), log: log() });

  testOnce('survives a restart', async () => {
    const database = await open();
    const before = await keep(database);
    expect(before.profile.saved()).toEqual(NEW);
    learn(before);
    const learnt = before.profile.saved();
    expect(learnt).not.toEqual(NEW);
    await before.close();
    const after = await keep(database);
    expect(after.profile.saved()).toEqual(learnt);
    await after.close();
  });

  testOnce.each(['[0.5, 0.', '[2]', '"profile"'])('resets and logs a damaged profile: %s', async (saved) => {
    const database = await open();
    await database.query.insertInto('demand_profile').values({ id: 1, saved }).execute();
    const warned = log();
    const kept = await StoredDemandProfile.open({
      database,
      lease: new SwitchableLease(FENCE),
      part: strictSupervisor().part('demand_profile'),
      log: warned,
    });
    expect(kept.profile.saved()).toEqual(NEW);
    expect(warned.warn).toHaveBeenCalledWith(expect.anything(), 'the demand profile is damaged and was reset');
    learn(kept);
    await kept.close();
    const after = await keep(database);
    expect(after.profile.saved()).not.toEqual(NEW);
    await after.close();
  });

  if (dialect === 'postgres')
    test('is written by the writer alone, and the next writer goes on from it', async () => {
      const target = newTarget();
      const [database, other] = [await open(target), await open(target)];
      const setFence = (fence: number) => database.query.updateTable('writer').set({ fence }).execute();
      await setFence(1);
      const [lease, otherLease] = [new SwitchableLease(1), new SwitchableLease(undefined)];
      const [writer, reader] = [await keep(database, lease), await keep(other, otherLease)];
      learn(writer);
      const learnt = writer.profile.saved();
      await writer.close();
      otherLease.fence = 2;
      await setFence(2);
      await vi.waitFor(() => expect(reader.profile.saved()).toEqual(learnt));
      // It has not noticed that it lost the lease.
      const late = await keep(database, new SwitchableLease(1));
      late.profile.adopt(NEW);
      await late.close();
      const after = await keep(other, otherLease);
      expect(after.profile.saved()).toEqual(learnt);
      await Promise.all([reader.close(), after.close()]);
    });
});
