import { describe, expect, it } from 'vitest';
import { Display } from '#lib/client/display/display.ts';
import type { DisplaySummary } from '#lib/client/display/display-summary.ts';
import { LiveFeed } from '#lib/client/live/live-feed.ts';
import { localInstant, upstreamInstant } from '#lib/time/instant.ts';
import { noticeText } from './notice-text.ts';

const calm: DisplaySummary = {
  ...new Display(new LiveFeed({ monotonicMs: () => 0, wallNow: () => localInstant(0) }), () => 0).summary(),
  connection: { kind: 'connected' },
};
const sentences = (change: Partial<DisplaySummary>) =>
  noticeText({ ...calm, ...change }, 'utc').map(({ sentence }) => sentence);

describe('noticeText', () => {
  it('says nothing while nothing is wrong', () => {
    expect(sentences({})).toEqual([]);
  });

  it('reads differently for a silent server, an offline browser and a lost session', () => {
    const since = upstreamInstant(Date.UTC(2026, 10, 21, 12, 4, 31));
    expect(sentences({ connection: { kind: 'unreachable', since } })).toEqual([
      'No answer from Lookout’s own server since 12:04:31Z; positions shown are ageing.',
    ]);
    expect(sentences({ connection: { kind: 'store-lost', since } })).toEqual([
      'The servers’ shared store does not answer since 12:04:31Z; positions shown are ageing.',
    ]);
    expect(sentences({ connection: { kind: 'offline' } })).toEqual([
      'This browser is offline; positions shown are ageing.',
    ]);
    expect(noticeText({ ...calm, connection: { kind: 'signed-out' } }, 'utc')).toMatchObject([{ signIn: true }]);
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
