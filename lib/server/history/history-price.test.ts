import { expect, test } from 'vitest';
import { addMs } from '#lib/time/instant.ts';
import { DAY_MS } from '#lib/time/time-units.ts';
import { HOUR, historyQuery, startHistoryHarness, tracks } from '#testing/history-harness.ts';
import { turnsDuring } from '#testing/turns-during.ts';

test('the price of a dense day gives way while it is computed, and ends with its client', async () => {
  const harness = await startHistoryHarness(tracks(10), { expectedPerSecond: () => 500 });
  const query = historyQuery({ window: { start: addMs(HOUR.end, -DAY_MS), end: HOUR.end } });
  const { result, turns } = await turnsDuring(() => harness.reader.cost(query, 'alice'));
  expect(result.middle.expected).toBeGreaterThan(1000);
  expect(turns).toBeGreaterThan(1);
  await expect(harness.reader.cost(query, 'alice', AbortSignal.abort())).rejects.toThrow('aborted');
  await harness.live.close();
});
