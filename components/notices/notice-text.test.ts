import { describe, expect, it } from 'vitest';
import { Display } from '#lib/client/display/display.ts';
import type { DisplaySummary } from '#lib/client/display/display-summary.ts';
import { LiveFeed } from '#lib/client/live/live-feed.ts';
import { addMs, localInstant, upstreamInstant } from '#lib/time/instant.ts';
import { noticeText } from './notice-text.ts';

const calm: DisplaySummary = {
  ...new Display(new LiveFeed({ monotonicMs: () => 0, wallNow: () => localInstant(0) }), () => 0).summary(),
  connection: { kind: 'connected' },
};
const sentences = (change: Partial<DisplaySummary>) =>
  noticeText({ ...calm, ...change }).map(({ sentence }) => sentence);

describe('noticeText', () => {
  it('says nothing while nothing is wrong', () => {
    expect(sentences({})).toEqual([]);
  });

  it('reads differently for a silent server, an offline browser and a lost session', () => {
    const since = upstreamInstant(Date.UTC(2026, 10, 21, 12, 4, 31));
    const lost = (connection: DisplaySummary['connection']) => sentences({ connection });
    expect(lost({ kind: 'unreachable', since })).toEqual(['Lookout’s own server does not answer.']);
    expect(lost({ kind: 'database-lost', since })).toEqual(['Lookout’s database does not answer.']);
    expect(lost({ kind: 'offline' })).toEqual(['You are offline.']);
    expect(noticeText({ ...calm, connection: { kind: 'signed-out' } })).toMatchObject([{ signIn: true }]);
  });

  it('says how old the newest layer is while the connection is lost', () => {
    const now = upstreamInstant(Date.UTC(2026, 10, 21, 12, 4, 31));
    const { rid, adsb } = calm.layers;
    const layers = {
      rid: { ...rid, fetchedAt: addMs(now, -90_000) },
      adsb: { ...adsb, fetchedAt: addMs(now, -20_000) },
    };
    const offline = { ...calm, now, connection: { kind: 'offline' } } as const;
    expect(noticeText({ ...offline, layers })).toMatchObject([{ age: 'Last update 20 s ago.' }]);
    expect(noticeText(offline)).toEqual([{ key: 'offline', tone: 'bad', sentence: 'You are offline.', signIn: false }]);
  });

  it('says what is left out while it is', () => {
    expect(sentences({ capped: true })).toEqual(['Zoomed out too far: only the framed area is live.']);
  });

  it('leaves what is wrong with a layer to that layer, which says it once', () => {
    const trouble = { state: 'denied', reason: 'layer_not_approved', partial: true } as const;
    const layers = { rid: { ...calm.layers.rid, ...trouble }, adsb: { ...calm.layers.adsb, ...trouble } };
    expect(sentences({ layers })).toEqual([]);
  });

  it('says what is loaded of a replay, and nothing about the live layers', () => {
    const adsb = { ...calm.layers.adsb, partial: true };
    const past = {
      isPast: true,
      capped: true,
      connection: { kind: 'offline' },
      layers: { ...calm.layers, adsb },
    } as const;
    expect(sentences(past)).toEqual(['Only the framed area is loaded.']);
  });
});
