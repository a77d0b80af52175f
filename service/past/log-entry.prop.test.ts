import fc from 'fast-check';
import { expect, test } from 'vitest';
import { addMs, upstreamInstant } from '#lib/time/instant.ts';
import { OtherVersion } from '#lib/version/file-version.ts';
import type { Observation } from '../sources/observation.ts';
import { arbitraryObservations } from './arbitrary-observation.fixture.ts';
import { type LogEntry, logHead, readLog, writeEntry } from './log-entry.ts';
import { PERIOD_MS } from './period.ts';
import { Rows } from './rows.ts';
import { asStored, restorerOf, storeObservation } from './stored-observation.ts';

const START = upstreamInstant(Date.UTC(2026, 10, 23, 3, 20));

const batches = fc.array(
  arbitraryObservations(addMs(START, PERIOD_MS), PERIOD_MS)
    .map((observations) => observations.filter(({ layer }) => layer === 'rid').map(asStored))
    .filter((observations) => observations.length > 0),
  { minLength: 1, maxLength: 4 },
);

function entryOf(observations: readonly Observation[]): LogEntry {
  const rows = new Rows();
  for (const observation of observations) storeObservation(rows, observation);
  return { period: { layer: 'rid', start: addMs(START, PERIOD_MS) }, rows };
}

function observationsOf({ period, rows }: LogEntry): Observation[] {
  const restored = restorerOf(period, rows.columns, rows.labels);
  return Array.from({ length: rows.length }, (_, row) => restored(rows.trackKeys[rows.track[row]!]!, row));
}

function texts(observations: readonly Observation[]): string[] {
  const names = [...new Set(observations.flatMap(Object.keys))].toSorted((a, b) => (a < b ? -1 : 1));
  return observations.map((each) => JSON.stringify(each, names)).toSorted((a, b) => (a < b ? -1 : 1));
}

/** Logs of version 1 have no head. */
const heads = fc.constantFrom<readonly Uint8Array[]>([], [logHead()]);

async function logOf(list: readonly Observation[][], head: readonly Uint8Array[]) {
  const entries = await Promise.all(list.map((observations) => writeEntry(entryOf(observations))));
  return { entries, log: new Uint8Array(Buffer.concat([...head, ...entries])), headBytes: head[0]?.length ?? 0 };
}

test('all entries come back', async () => {
  await fc.assert(
    fc.asyncProperty(batches, heads, async (list, head) => {
      const { log } = await logOf(list, head);
      const read = await readLog(log);
      expect(read.entries.map((entry) => texts(observationsOf(entry)))).toEqual(list.map(texts));
      expect(read).toMatchObject({ goodBytes: log.length, isDamaged: false });
    }),
    { numRuns: 40 },
  );
});

test('of a log that is cut off the entries before the cut come back, and it is not taken for damaged', async () => {
  await fc.assert(
    fc.asyncProperty(batches, heads, fc.nat(), async (list, head, cut) => {
      const { entries, log, headBytes } = await logOf(list, head);
      const length = cut % (log.length + 1);
      const { goodBytes, isDamaged, entries: read } = await readLog(log.subarray(0, length));
      let whole = 0;
      let end = length < headBytes ? 0 : headBytes;
      while (whole < entries.length && end + entries[whole]!.length <= length) end += entries[whole++]!.length;
      expect(read.map((entry) => texts(observationsOf(entry)))).toEqual(list.slice(0, whole).map(texts));
      expect({ goodBytes, isDamaged }).toEqual({ goodBytes: end, isDamaged: false });
    }),
    { numRuns: 60 },
  );
});

test('of a log with a damaged byte all other entries come back, and the damage is known unless it is in the last one', async () => {
  await fc.assert(
    fc.asyncProperty(batches, heads, fc.nat(), fc.integer({ min: 1, max: 255 }), async (list, head, nth, by) => {
      const { entries, log, headBytes } = await logOf(list, head);
      const at = headBytes + (nth % (log.length - headBytes));
      log[at]! ^= by;
      let spoilt = 0;
      for (let end = headBytes + entries[0]!.length; end <= at; end += entries[spoilt]!.length) spoilt += 1;
      const { isDamaged, entries: read } = await readLog(log);
      const left = list.filter((_, index) => index !== spoilt);
      expect(read.map((entry) => texts(observationsOf(entry)))).toEqual(left.map(texts));
      // A spoilt length of a single entry looks like something else than a log.
      if (list.length > 1 || headBytes > 0) expect(isDamaged).toBe(spoilt < list.length - 1);
    }),
    { numRuns: 60 },
  );
});

test('bytes that are made up are read as no entries', async () => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), async (bytes) => {
      expect(readLog(bytes)).toMatchObject({ entries: [], goodBytes: 0 });
    }),
  );
});

test('a damaged head leaves all entries, unless it names the version of another Lookout', async () => {
  await fc.assert(
    fc.asyncProperty(batches, fc.nat({ max: 7 }), fc.integer({ min: 1, max: 255 }), async (list, at, by) => {
      const { log } = await logOf(list, [logHead()]);
      log[at]! ^= by;
      if (at === 4) return void expect(() => readLog(log)).toThrow(OtherVersion);
      const { entries, isDamaged } = readLog(log);
      expect(entries.map((entry) => texts(observationsOf(entry)))).toEqual(list.map(texts));
      expect(isDamaged).toBe(true);
    }),
    { numRuns: 40 },
  );
});
