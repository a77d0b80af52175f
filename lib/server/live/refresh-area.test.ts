import { describe, expect, test } from 'vitest';
import type { Position } from '#lib/model/position.ts';
import { type Instant, instantFromMs } from '#lib/time/instant.ts';
import { plainPosition } from '../../../scripts/test/plain-position.ts';
import type { LivePageQuery } from '../upstream/question.ts';
import type { Page } from '../upstream/read-page.ts';
import type { PageOutcome } from '../upstream/upstream-client.ts';
import { refreshArea } from './refresh-area.ts';

const at = instantFromMs(Date.UTC(2026, 10, 21, 12));
const bbox = { west: 8, south: 47, east: 9, north: 48 };
const blocked: PageOutcome = { kind: 'blocked', block: { reason: 'service_timeout', until: undefined } };
const cursorRefused: PageOutcome = { kind: 'cursor-refused' };

function position(ref: string, observedAt: Instant = at): Position {
  return {
    ...plainPosition,
    ref,
    observedAt,
    lon: 8.5,
    lat: 47.5,
  };
}

function page(positions: readonly Position[], nextCursor?: string, change: Partial<Page> = {}): PageOutcome {
  const whole: Page = {
    positions,
    unreadable: 0,
    nextCursor,
    cursorUnusable: false,
    generatedAt: at,
    requestId: 'r',
    truncated: false,
    ...change,
  };
  return { kind: 'page', page: whole };
}

/** Refreshes against an upstream that gives these answers, the last one again and again. */
async function refreshWith(...outcomes: [PageOutcome, ...PageOutcome[]]) {
  const asked: LivePageQuery[] = [];
  const readPage = async (query: LivePageQuery) => {
    asked.push(query);
    return outcomes[Math.min(asked.length, outcomes.length) - 1] as PageOutcome;
  };
  const refresh = await refreshArea(readPage, bbox);
  return { refresh, refs: [...refresh.positions.keys()], cursors: asked.map(({ cursor }) => cursor), asked };
}

describe('refreshArea', () => {
  test('repeats the same query with each exact cursor until there is none', async () => {
    const { refresh, refs, cursors, asked } = await refreshWith(
      page([position('a')], 'c1'),
      page([position('b')], 'c2'),
      page([position('c')]),
    );
    expect(cursors).toEqual([undefined, 'c1', 'c2']);
    expect(new Set(asked.map(({ bbox, limit }) => JSON.stringify({ bbox, limit }))).size).toBe(1);
    expect(refs).toEqual(['a', 'b', 'c']);
    expect(refresh).toMatchObject({ incomplete: undefined, block: undefined });
  });

  test('a track that stands on two pages is kept once, with its newest observation, in whichever order they came', async () => {
    const [older, newer] = [position('a', at), position('a', instantFromMs(at + 1000))];
    for (const order of [
      [older, newer],
      [newer, older],
    ] as const) {
      const { refresh } = await refreshWith(page([order[0]], 'c1'), page([order[1]]));
      expect([...refresh.positions.values()]).toEqual([newer]);
    }
  });

  test('its age is that of the first page that was read', async () => {
    const later = instantFromMs(at + 9000);
    const { refresh } = await refreshWith(page([], 'c1'), page([], undefined, { generatedAt: later }));
    expect(refresh.fetchedAt).toBe(at);
  });

  test('broken off on the way it keeps what was read, says why, and does not call it complete', async () => {
    const { refresh, refs } = await refreshWith(page([position('a')], 'c1'), blocked);
    expect(refs).toEqual(['a']);
    expect(refresh).toMatchObject({ incomplete: 'pages_interrupted', block: { reason: 'service_timeout' } });
  });

  test('blocked at once it has read nothing: that has no age and is not an empty answer', async () => {
    const { refresh } = await refreshWith(blocked);
    expect(refresh).toMatchObject({ fetchedAt: undefined, block: { reason: 'service_timeout' } });
    expect(refresh.incomplete).toBeDefined();
  });

  test('a refused cursor restarts the refresh once without one, and what was read is kept', async () => {
    const { refresh, refs, cursors } = await refreshWith(
      page([position('a')], 'c1'),
      cursorRefused,
      page([position('b')]),
    );
    expect(cursors).toEqual([undefined, 'c1', undefined]);
    expect(refs).toEqual(['a', 'b']);
    expect(refresh.incomplete).toBeUndefined();
  });

  test('a cursor that is refused a second time ends the refresh as interrupted', async () => {
    const { refresh, cursors } = await refreshWith(
      page([position('a')], 'c1'),
      cursorRefused,
      page([position('a')], 'c1'),
      cursorRefused,
    );
    expect(cursors).toEqual([undefined, 'c1', undefined, 'c1']);
    expect(refresh.incomplete).toBe('pages_interrupted');
  });

  test('cursors that go round in a circle are followed once', async () => {
    const { refresh, cursors } = await refreshWith(page([], 'c1'), page([], 'c2'), page([], 'c1'));
    expect(cursors).toEqual([undefined, 'c1', 'c2']);
    expect(refresh.incomplete).toBe('pages_endless');
  });

  test('cursors that never end are bounded, and the rest is called missing', async () => {
    let pages = 0;
    const readPage = async () => page([position(`t${pages}`)], `c${pages++}`);
    const refresh = await refreshArea(readPage, bbox);
    expect(pages).toBe(50);
    expect(refresh.positions.size).toBe(50);
    expect(refresh.incomplete).toBe('pages_endless');
  });

  test('a next page that cannot be asked for is missing, and unreadable records add up over the pages', async () => {
    const { refresh } = await refreshWith(
      page([], 'c1', { unreadable: 2 }),
      page([], undefined, { unreadable: 1, cursorUnusable: true }),
    );
    expect(refresh).toMatchObject({ incomplete: 'pages_interrupted', unreadable: 3 });
  });
});
