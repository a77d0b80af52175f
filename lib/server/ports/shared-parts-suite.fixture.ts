import { beforeEach, describe, expect, test } from 'vitest';
import { packObservations } from '#lib/server/parts/pack-observations.ts';
import { addMs, upstreamInstant } from '#lib/time/instant.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import type { HistoryPart } from '../parts/history-part.ts';
import type { SharedParts, Taken, Turn } from './shared-parts.ts';

const START = upstreamInstant(Date.UTC(2026, 10, 21, 10));

export async function emptyPart(fromMinute: number, change: Partial<HistoryPart> = {}): Promise<HistoryPart> {
  return {
    layer: 'adsb',
    bbox: { west: 8, south: 47, east: 9, north: 48 },
    window: { start: addMs(START, fromMinute * MINUTE_MS), end: addMs(START, (fromMinute + 5) * MINUTE_MS) },
    records: 0,
    truncated: false,
    unreadable: 0,
    body: Uint8Array.from(await packObservations([])),
    ...change,
  };
}

export function turnOf(taken: Taken): Turn {
  if (taken.kind === 'turn') return taken;
  throw new Error('somebody has read it');
}

/** The contract of every `SharedParts`. @param make two handles of one new store, possibly the same object */
export function declareSharedPartsSuite(name: string, make: () => Promise<readonly [SharedParts, SharedParts]>): void {
  let parts: SharedParts;
  let other: SharedParts;
  let part: HistoryPart;
  const never = new AbortController().signal;
  beforeEach(async () => {
    [parts, other] = await make();
    part = await emptyPart(0);
  });

  describe(`${name} as shared parts`, () => {
    test('of many who want a part at the same time one asks, and all others are given what was read', async () => {
      const wanted = Array.from({ length: 6 }, (_, index) => (index % 2 ? parts : other).take('adsb', part, never));
      const first = turnOf(await Promise.race(wanted));
      await first.end(part);
      const taken = await Promise.all(wanted);
      expect(taken.filter(({ kind }) => kind === 'turn')).toEqual([first]);
      for (const each of taken) if (each.kind === 'read') expect(each.part).toEqual(part);
    });

    test('where nothing was read, one of those who wait asks instead', async () => {
      const first = turnOf(await parts.take('adsb', part, never));
      const waiting = [other.take('adsb', part, never), other.take('adsb', part, never)];
      await first.end(undefined);
      const second = turnOf(await Promise.race(waiting));
      await second.end(part);
      expect((await Promise.all(waiting)).filter(({ kind }) => kind === 'read')).toEqual([{ kind: 'read', part }]);
    });

    test('layers, boxes and windows are asked for apart', async () => {
      const others = [
        await emptyPart(0, { layer: 'rid' }),
        await emptyPart(5),
        await emptyPart(0, { bbox: { ...part.bbox, east: 10 } }),
      ];
      for (const each of [part, ...others]) expect((await parts.take(each.layer, each, never)).kind).toBe('turn');
    });

    test('who waits leaves at once when its signal is aborted', async () => {
      const turn = turnOf(await parts.take('adsb', part, never));
      const left = new AbortController();
      const waiting = other.take('adsb', part, left.signal);
      const reason = new Error('the page was closed');
      left.abort(reason);
      await expect(waiting).rejects.toBe(reason);
      await turn.end(part);
      expect(turnOf(await other.take('rid', part, never)).kind).toBe('turn');
    });
  });
}
