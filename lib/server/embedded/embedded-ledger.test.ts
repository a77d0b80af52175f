import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { addMs, type UpstreamInstant, upstreamInstant } from '#lib/time/instant.ts';
import type { Attempt } from '../ports/ledger.ts';
import { declareLedgerSuite } from '../ports/ledger-suite.fixture.ts';
import { EmbeddedLedger } from './embedded-ledger.ts';

const NOON = upstreamInstant(Date.UTC(2026, 10, 21, 12, 0, 20));

declareLedgerSuite('EmbeddedLedger', async () => {
  const ledger = new EmbeddedLedger(':memory:');
  return [ledger, ledger];
});

function newFile(): string {
  return join(mkdtempSync(join(tmpdir(), 'lookout-ledger-')), 'ledger.sqlite');
}

function answered(minuteRemaining: number, dayRemaining: number, at: UpstreamInstant): Attempt {
  return { counted: true, minuteRemaining, dayRemaining, sentAt: at, receivedAt: at };
}

/** A ledger whose file records 59 requests left this minute and 999 today. */
async function learnt(file: string): Promise<EmbeddedLedger> {
  const ledger = new EmbeddedLedger(file);
  const probe = await ledger.reserve(1, 'scheduled', NOON);
  if (probe.kind === 'refused') throw new Error(probe.why);
  await ledger.attempted(probe.reservation, answered(59, 999, NOON));
  await ledger.release(probe.reservation);
  return ledger;
}

describe('EmbeddedLedger over restarts', () => {
  test('keeps its state, so that no probe is needed', async () => {
    const file = newFile();
    const before = await learnt(file);
    const state = await before.state(NOON);
    before.close();
    const after = new EmbeddedLedger(file);
    expect(await after.state(NOON)).toEqual(state);
    expect(await after.reserve(20, 'scheduled', NOON)).toMatchObject({
      kind: 'granted',
      reservation: { requests: 20 },
    });
  });

  test('requests granted but not settled count as spent, once, and their reservation is released', async () => {
    const file = newFile();
    const before = await learnt(file);
    const reserved = await before.reserve(7, 'history', NOON);
    if (reserved.kind === 'refused') throw new Error(reserved.why);
    before.close();
    for (let restarts = 0; restarts < 3; restarts++) {
      const after = new EmbeddedLedger(file);
      expect(await after.state(NOON)).toMatchObject({
        minute: { remaining: 52, reserved: 0 },
        day: { remaining: 992, reserved: 0 },
        spentToday: 8,
        spentOnHistoryToday: 7,
      });
      await expect(after.attempted(reserved.reservation, answered(50, 990, NOON))).rejects.toThrow(/reservation/);
      await after.pauseUntil(addMs(NOON, restarts), 'allowance_used_up');
      after.close();
    }
  });

  test('checks a used-up day once an hour, however often it starts', async () => {
    const file = newFile();
    const before = await learnt(file);
    const reserved = await before.reserve(1, 'scheduled', NOON);
    if (reserved.kind === 'refused') throw new Error(reserved.why);
    await before.attempted(reserved.reservation, answered(50, 0, NOON));
    before.close();
    let checks = 0;
    for (let minutes = 0; minutes < 4 * 60; minutes += 7) {
      const after = new EmbeddedLedger(file);
      // A start that ends without an answer.
      if ((await after.reserve(1, 'scheduled', addMs(NOON, minutes * 60_000))).kind === 'granted') checks++;
      after.close();
    }
    expect(checks).toBe(3);
  });

  test('keeps a pause', async () => {
    const file = newFile();
    const before = await learnt(file);
    await before.pauseUntil(addMs(NOON, 3_600_000), 'allowance_used_up');
    before.close();
    expect(await new EmbeddedLedger(file).reserve(1, 'first-view', NOON)).toMatchObject({ why: 'paused' });
  });
});

test('a reservation that cannot be written is not granted', async () => {
  const ledger = await learnt(newFile());
  ledger.close();
  await expect(ledger.reserve(5, 'scheduled', NOON)).rejects.toThrow();
  expect((await ledger.state(NOON)).minute).toMatchObject({ remaining: 59, reserved: 0 });
});

describe('a file that is not a ledger is left unchanged, and named in the error', () => {
  test('text', () => {
    const file = newFile();
    writeFileSync(file, 'not a database at all '.repeat(100));
    expect(() => new EmbeddedLedger(file)).toThrow(file);
  });

  test('another program’s database', () => {
    const file = newFile();
    const database = new DatabaseSync(file);
    database.exec('create table session (id text) strict');
    database.close();
    expect(() => new EmbeddedLedger(file)).toThrow(/database of another program/);
    expect(() => new EmbeddedLedger(file)).toThrow(file);
  });

  test('a ledger that was partly overwritten', async () => {
    const file = newFile();
    (await learnt(file)).close();
    const database = new DatabaseSync(file);
    database.exec(`update ledger set saved = substr(saved, 1, 40)`);
    database.close();
    expect(() => new EmbeddedLedger(file)).toThrow(/damaged/);
    expect(() => new EmbeddedLedger(file)).toThrow(file);
  });

  test('a path that cannot be opened', () => {
    const file = join(newFile(), 'in', 'no', 'folder.sqlite');
    expect(() => new EmbeddedLedger(file)).toThrow(file);
  });
});

test('a second process is refused the same file until the first one has closed it', async () => {
  const file = newFile();
  const first = await learnt(file);
  expect(() => new EmbeddedLedger(file)).toThrow(/another process is using it/);
  first.close();
  new EmbeddedLedger(file).close();
});
