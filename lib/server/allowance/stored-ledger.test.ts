import { describe, expect, test } from 'vitest';
import { addMs, type UpstreamInstant, upstreamInstant } from '#lib/time/instant.ts';
import { describeDatabases } from '#testing/test-databases.ts';
import { strictSupervisor } from '../supervision/supervisor.fixture.ts';
import type { Attempt } from './ledger.ts';
import { declareLedgerSuite } from './ledger-suite.fixture.ts';
import { openLedger, StoredLedger } from './stored-ledger.ts';

const NOON = upstreamInstant(Date.UTC(2026, 10, 21, 12, 0, 20));

declareLedgerSuite('StoredLedger', async () => {
  const ledger = StoredLedger.inMemory();
  return [ledger, ledger];
});

function answered(minuteRemaining: number, dayRemaining: number, at: UpstreamInstant): Attempt {
  return { counted: true, minuteRemaining, dayRemaining, sentAt: at, receivedAt: at };
}

async function learn(ledger: StoredLedger): Promise<StoredLedger> {
  const probe = await ledger.reserve(1, 'scheduled', NOON);
  if (probe.kind === 'refused') throw new Error(probe.why);
  await ledger.attempted(probe.reservation, answered(59, 999, NOON));
  await ledger.release(probe.reservation);
  return ledger;
}

describeDatabases('a ledger in the database', ({ newTarget, open, testOnce }) => {
  testOnce('keeps its state over a restart, so that no probe is needed; each account for itself', async () => {
    const target = newTarget();
    const before = await learn(await openLedger(await open(target), 'a', strictSupervisor().part('allowance')));
    const state = await before.state(NOON);
    await before.close();
    const database = await open(target);
    const after = await openLedger(database, 'a', strictSupervisor().part('allowance'));
    expect(await after.state(NOON)).toEqual(state);
    expect(await after.reserve(20, 'scheduled', NOON)).toMatchObject({
      kind: 'granted',
      reservation: { requests: 20 },
    });
    const other = await openLedger(database, 'b', strictSupervisor().part('allowance'));
    expect(await other.reserve(20, 'scheduled', NOON)).toMatchObject({ reservation: { requests: 1 } });
  });

  testOnce('requests granted but not settled count as spent, once, and their reservation is released', async () => {
    const database = await open();
    const before = await learn(await openLedger(database, 'a', strictSupervisor().part('allowance')));
    const reserved = await before.reserve(7, 'history', NOON);
    if (reserved.kind === 'refused') throw new Error(reserved.why);
    await before.close();
    for (let restarts = 0; restarts < 3; restarts++) {
      const after = await openLedger(database, 'a', strictSupervisor().part('allowance'));
      expect(await after.state(NOON)).toMatchObject({
        minute: { remaining: 52, reserved: 0 },
        day: { remaining: 992, reserved: 0 },
        spentToday: 8,
        spentOnHistoryToday: 7,
      });
      await expect(after.attempted(reserved.reservation, answered(50, 990, NOON))).rejects.toThrow(/reservation/);
      await after.pauseUntil(addMs(NOON, restarts), 'allowance_used_up');
      await after.close();
    }
  });

  testOnce('checks a used-up day once an hour, however often it starts', async () => {
    const database = await open();
    const before = await learn(await openLedger(database, 'a', strictSupervisor().part('allowance')));
    const reserved = await before.reserve(1, 'scheduled', NOON);
    if (reserved.kind === 'refused') throw new Error(reserved.why);
    await before.attempted(reserved.reservation, answered(50, 0, NOON));
    await before.close();
    let checks = 0;
    for (let minutes = 0; minutes < 4 * 60; minutes += 7) {
      const after = await openLedger(database, 'a', strictSupervisor().part('allowance'));
      if ((await after.reserve(1, 'scheduled', addMs(NOON, minutes * 60_000))).kind === 'granted') checks++;
      await after.close();
    }
    expect(checks).toBe(3);
  });

  testOnce('keeps a pause', async () => {
    const database = await open();
    const before = await learn(await openLedger(database, 'a', strictSupervisor().part('allowance')));
    await before.pauseUntil(addMs(NOON, 3_600_000), 'allowance_used_up');
    await before.close();
    expect(
      await (await openLedger(database, 'a', strictSupervisor().part('allowance'))).reserve(1, 'first-view', NOON),
    ).toMatchObject({ why: 'paused' });
  });

  test('grants many reservations at once, each of them kept', async () => {
    const database = await open();
    const before = await learn(await openLedger(database, 'a', strictSupervisor().part('allowance')));
    const reserved = await Promise.all(Array.from({ length: 30 }, () => before.reserve(1, 'first-view', NOON)));
    expect(reserved.every(({ kind }) => kind === 'granted')).toBe(true);
    expect((await (await openLedger(database, 'a', strictSupervisor().part('allowance'))).state(NOON)).spentToday).toBe(
      31,
    );
  });

  test('a row that was partly overwritten stops the start, and is left unchanged', async () => {
    const database = await open();
    await (await learn(await openLedger(database, 'a', strictSupervisor().part('allowance')))).close();
    await database.change((query) => query.updateTable('ledger').set({ saved: '{"minute"' }).execute());
    await expect(openLedger(database, 'a', strictSupervisor().part('allowance'))).rejects.toThrow(/damaged/);
    expect(await database.query.selectFrom('ledger').select('saved').execute()).toEqual([{ saved: '{"minute"' }]);
  });
});

describe('a ledger that cannot be written', () => {
  test('grants nothing, says so, and gives back what it reserved', async () => {
    let isWritable = true;
    const ledger = await learn(new StoredLedger(undefined, async () => (isWritable ? 'kept' : 'storage')));
    isWritable = false;
    expect(await ledger.reserve(5, 'scheduled', NOON)).toMatchObject({ kind: 'refused', why: 'storage' });
    expect((await ledger.state(NOON)).minute).toMatchObject({ remaining: 59, reserved: 0 });
    isWritable = true;
    expect(await ledger.reserve(5, 'scheduled', NOON)).toMatchObject({ kind: 'granted' });
  });
});
