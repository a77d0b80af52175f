import { describe, expect, it } from 'vitest';
import { RECEPTIONS } from '#lib/api/layer-reason.ts';
import { replayLayer } from '#lib/client/replay/replay-layer.fixture.ts';
import type { AskReason, MinuteState, ReplayLayer, ReplayLoading } from '#lib/client/replay/replay-summary.ts';
import { upstreamInstant } from '#lib/time/instant.ts';
import { loadingText } from './replay-loading.tsx';

const at = upstreamInstant(Date.UTC(2026, 10, 21, 12, 5));
const layer = (name: 'rid' | 'adsb', change: Partial<ReplayLayer>) =>
  replayLayer(name, { minutes: ['complete', 'complete'], ...change });
const LOST = RECEPTIONS.receivers_lost.past;
const terms = { choice: undefined, maxRequests: 78, area: undefined };
const loadingNow = { kind: 'loading', terms } as const;
const done = { kind: 'done', terms } as const;
const say = (
  loading: ReplayLoading,
  adsb: Partial<ReplayLayer> = {},
  rid: Partial<ReplayLayer> = { on: false },
  mayLoad = true,
  hasAllowance = true,
) =>
  loadingText({ loading, layers: { adsb: layer('adsb', adsb), rid: layer('rid', rid) }, mayLoad, hasAllowance }, 'utc');
const minutes = (...states: MinuteState[]) => ({ minutes: states });
const gap = (reason: ReplayLayer['gaps'][0]['reason']) => ({
  bbox: { west: 8, south: 46, east: 9, north: 47 },
  start: at,
  end: at,
  reason,
});

describe('loadingText', () => {
  it('counts parts and requests of all layers that are on while loading', () => {
    const counts = { partsDone: 15, partsKnown: 18, requestsMade: 17, requestsExpected: 2 };
    expect(say(loadingNow, counts, counts).sentence).toBe('Loading 30 of 36 parts · 34 requests made of about 38');
    expect(say(loadingNow, counts).sentence).toBe('Loading 15 of 18 parts · 17 requests made of about 19');
  });

  it('has the rank of a queued load, and its cause', () => {
    const queued = (rank: number, running = 2) => say({ kind: 'queued', terms, rank, running });
    expect(queued(3)).toEqual({ tone: 'neutral', sentence: '3rd in the queue: two of your loads run' });
    const ordinals = [1, 2, 4, 11, 12, 13, 21, 22, 40].map((rank) => queued(rank).sentence.split(' ')[0]);
    expect(ordinals).toEqual(['1st', '2nd', '4th', '11th', '12th', '13th', '21st', '22nd', '40th']);
    expect(queued(1, 1).sentence).toBe('1st in the queue: one of your loads runs');
  });

  it('says why loading is paused, and until when', () => {
    const paused = say({ kind: 'paused', terms, reason: 'allowance_used_up', until: at }, { requestsMade: 1 });
    expect(paused).toEqual({
      tone: 'warning',
      sentence: 'Waiting until 12:05:00Z: paused by the account’s allowance · 1 request made',
    });
  });

  it('says complete only if every layer that is on is complete', () => {
    expect(say(done, { requestsMade: 34 })).toEqual({
      tone: 'good',
      sentence: 'Complete · 34 requests made',
    });
    expect(say(done, {}, { on: false, ...minutes('not-requested') }).tone).toBe('good');
    expect(say(done, {}, minutes('complete', 'failed')).tone).toBe('warning');
  });

  it('counts no requests of a service that has no allowance', () => {
    const counts = { partsDone: 15, partsKnown: 18, requestsMade: 17, requestsExpected: 2 };
    const free = (loading: ReplayLoading) => say(loading, counts, undefined, true, false).sentence;
    expect(free(loadingNow)).toBe('Loading 15 of 18 parts');
    expect(free(done)).toBe('Complete');
  });

  it('says to a role that may not load how much is missing, and whom to ask', () => {
    const adsb = { ...minutes('complete', 'not-requested'), gaps: [gap('not_requested')] };
    expect(say(done, adsb, { on: false }, false).sentence).toBe(
      '1 min of aircraft missing. Ask an operator to load this.',
    );
    const before = { ...minutes('complete'), leadIn: ['not-requested'] satisfies MinuteState[] };
    expect(say(done, before, { on: false }, false).sentence).toBe(
      'Lead-in of aircraft missing. Ask an operator to load this.',
    );
  });

  it('counts once what a load would add, apart from what failed', () => {
    const adsb = {
      ...minutes('not-requested', 'not-requested', 'failed'),
      leadIn: ['not-requested'] satisfies MinuteState[],
      gaps: [gap('not_requested'), gap('service_busy')],
    };
    expect(say(done, adsb).sentence).toBe(
      '2 min of aircraft missing · Aircraft: 1 min failed (service busy) · 0 requests made',
    );
  });

  it('gives what is missing in each layer and why, each reason once', () => {
    const adsb = {
      ...minutes('truncated', 'truncated', 'failed'),
      gaps: [gap('too_dense'), gap('too_dense'), gap('service_busy')],
    };
    expect(say(done, adsb).sentence).toBe(
      'Aircraft: 2 min incomplete, 1 min failed (more positions in one second and place than the service returns; ' +
        'service busy) · 0 requests made',
    );
  });

  it('names the history, not the live picture, when history is refused', () => {
    const refused = { ...minutes('failed', 'failed'), gaps: [gap('layer_not_approved')] };
    expect(say(done, refused).sentence).toBe(
      'Aircraft: 2 min failed (this account has no access to this layer’s history) · 0 requests made',
    );
  });

  it('says for how long receivers were missing, which no load can mend', () => {
    const night = minutes('receivers_lost', 'receivers_lost', 'complete');
    expect(say(done, night)).toEqual({
      tone: 'warning',
      sentence: `Aircraft: ${LOST} within 2 of 3 min · 0 requests made`,
    });
    const failed = { ...minutes('failed', 'receivers_lost'), gaps: [gap('service_busy')] };
    expect(say(done, failed).sentence).toBe(
      `Aircraft: 1 min failed (service busy), ${LOST} within 1 of 2 min · 0 requests made`,
    );
    expect(say(done, { leadIn: ['receivers_lost'] }).sentence).toBe(
      `Aircraft: ${LOST} in the lead-in · 0 requests made`,
    );
  });

  it('counts unreadable records without calling the rest incomplete', () => {
    const sentence = 'Aircraft: 3 records unreadable · 5 requests made';
    expect(say(done, { unreadable: 3, requestsMade: 5 })).toEqual({ tone: 'warning', sentence });
  });

  it('says why a replay did not load by itself', () => {
    const quote = { expected: 39, known: true, maxRequests: 78, area: undefined, wide: undefined };
    const quoted = (asks: AskReason) => say({ kind: 'quoted', quote, asks }).sentence;
    expect(quoted('always')).toBe('Not loaded yet');
    expect(quoted('price')).toBe('Not loaded yet: above the limit for loading by itself');
    expect(quoted('allowance')).toBe('Not loaded yet: over 50% of the requests left for you');
  });

  it('calls a window complete only if its lead-in is', () => {
    expect(say(done, { leadIn: ['complete', 'complete'] }).tone).toBe('good');
    expect(say(done, { leadIn: ['complete', 'failed'] }).sentence).toBe('Aircraft: lead-in failed · 0 requests made');
  });

  it('passes on why nothing can be loaded', () => {
    expect(say({ kind: 'refused', message: 'Too old.', remedy: undefined })).toEqual({
      tone: 'bad',
      sentence: 'Too old.',
    });
  });
});
