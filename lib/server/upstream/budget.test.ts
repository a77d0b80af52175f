import { expect, test } from 'vitest';
import { addMs, upstreamInstant } from '#lib/time/instant.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import { StoredLedger } from '../allowance/stored-ledger.ts';
import { Budget } from './budget.ts';

const NOON = upstreamInstant(Date.UTC(2026, 10, 21, 12));

test('after the process was suspended, returns its reservations and reserves again', async () => {
  const ledger = StoredLedger.inMemory();
  const answered = { counted: true, minuteRemaining: 50, dayRemaining: 900, sentAt: NOON, receivedAt: NOON };
  const probe = new Budget(ledger, 'first-view', 1);
  await probe.ready(NOON);
  await probe.attempted(answered);
  await probe.close();

  const budget = new Budget(ledger, 'first-view', 4);
  expect(await budget.ready(NOON)).toBeUndefined();
  await budget.attempted({ ...answered, minuteRemaining: 49 });
  expect(await budget.ready(addMs(NOON, 4 * MINUTE_MS))).toBeUndefined();
  expect((await ledger.state(NOON)).minute.reserved, 'those of before').toBe(3);
  const late = addMs(NOON, 6 * MINUTE_MS);
  await ledger.pauseUntil(addMs(late, MINUTE_MS), 'allowance_used_up');
  expect(await budget.ready(late), 'like any new request').toMatchObject({ why: 'paused' });
  expect((await ledger.state(late)).minute.reserved).toBe(0);
  await budget.close();
});
