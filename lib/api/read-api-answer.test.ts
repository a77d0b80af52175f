import { expect, expectTypeOf, test } from 'vitest';
import type { Bbox } from '../geo/bbox.ts';
import { type UpstreamInstant, upstreamInstant } from '../time/instant.ts';
import { readApiAnswer } from './read-api-answer.ts';

interface Answer {
  as_of: string;
  paused_until: string | null;
  next_poll_ms: number;
  layers: { rid: { reason: 'denied' | null; failing_since: string | null } };
  areas: { bbox: [number, number, number, number]; fetched_at: string; name: string }[];
}

test('renames fields at every depth, and reads instants, boxes and null', () => {
  const read = readApiAnswer<Answer>({
    as_of: '2026-11-21T12:00:00Z',
    paused_until: null,
    next_poll_ms: 5000,
    layers: { rid: { reason: null, failing_since: '2026-11-21T11:00:00Z' } },
    areas: [{ bbox: [170, 46, -170, 48], fetched_at: '2026-11-21T12:00:00Z', name: 'until' }],
  });
  const noon = upstreamInstant(Date.UTC(2026, 10, 21, 12));
  expect(read).toEqual({
    asOf: noon,
    pausedUntil: undefined,
    nextPollMs: 5000,
    layers: { rid: { reason: undefined, failingSince: upstreamInstant(Date.UTC(2026, 10, 21, 11)) } },
    areas: [{ bbox: { west: 170, south: 46, east: -170, north: 48 }, fetchedAt: noon, name: 'until' }],
  });
  expectTypeOf(read.pausedUntil).toEqualTypeOf<UpstreamInstant | undefined>();
  expectTypeOf(read.areas[0]?.bbox).toEqualTypeOf<Bbox | undefined>();
});
