import { describe, expect, it } from 'vitest';
import { RECEPTIONS } from '#lib/api/layer-reason.ts';
import { addMs, upstreamInstant } from '#lib/time/instant.ts';
import { replayLayer } from './replay-layer.fixture.ts';
import { replayLayerText } from './replay-layer-text.ts';
import type { MinuteState, ReplayLayer } from './replay-summary.ts';

const start = upstreamInstant(Date.UTC(2026, 10, 21, 10, 4));
const window = { start, end: addMs(start, 600_000) };
const bbox = { west: 8, south: 46, east: 9, north: 47 };

const layer = (states: Readonly<Record<number, MinuteState>>, change: Partial<ReplayLayer> = {}) =>
  replayLayer('adsb', {
    minutes: Array.from({ length: 10 }, (_, minute) => states[minute] ?? 'complete'),
    ...change,
  });
const say = (of: ReplayLayer, minutes: number, drawn = 3, mayLoad = true) =>
  replayLayerText(of, drawn, { window, cursor: addMs(start, minutes * 60_000), zone: 'utc', mayLoad });

const { receivers_lost: lost, receivers_partly: partly, not_equipped: none } = RECEPTIONS;

describe('replayLayerText', () => {
  it('calls a picture complete only if everything that it shows is loaded', () => {
    expect(say(layer({}), 5)).toMatchObject({ tone: 'good', short: 'complete' });
    // An aircraft counts for 60 s as current, and for 60 s more as expired.
    expect(say(layer({ 4: 'failed' }), 6.5)).toMatchObject({ tone: 'bad', short: 'failed' });
    expect(say(layer({ 4: 'failed' }), 7)).toMatchObject({ tone: 'good' });
    expect(say(layer({ 6: 'failed' }), 5.9)).toMatchObject({ tone: 'good' });
  });

  it('distinguishes incomplete, loading, failed and not loaded; the worst takes precedence', () => {
    expect(say(layer({ 5: 'truncated' }), 5.5).short).toBe('incomplete');
    expect(say(layer({ 4: 'truncated', 5: 'loading' }), 5.5).short).toBe('loading');
    expect(say(layer({ 4: 'loading', 5: 'not-requested' }), 5.5).short).toBe('not loaded');
    expect(say(layer({}, { minutes: [] }), 5.5).sentence).toBe('Aircraft: not loaded at this time');
  });

  it('includes the reason of a gap at this time', () => {
    const gap = { bbox, start: addMs(start, 300_000), end: addMs(start, 301_000), reason: 'too_dense' } as const;
    const dense = layer({ 5: 'truncated' }, { gaps: [gap] });
    expect(say(dense, 8.5).sentence).not.toMatch(/second and place/);
    const later = layer(
      { 5: 'truncated' },
      { gaps: [{ ...gap, start: addMs(start, 345_000), end: addMs(start, 346_000) }] },
    );
    expect(say(later, 5.5).sentence).toMatch(/more positions in one second/);
    expect(say(dense, 5.5).sentence).toMatch(/^Aircraft: incomplete at this time: more positions in one second/);
  });

  it('explains unloaded minutes by the role, if it may not load them', () => {
    const gap = { bbox, start, end: window.end, reason: 'not_requested' } as const;
    const open = layer({ 5: 'not-requested' }, { gaps: [gap] });
    expect(say(open, 5.5, 0, false).sentence).toBe('Aircraft: not loaded at this time: an operator can load it');
    expect(say(open, 5.5, 0).sentence).toMatch(/the load reached its limit of requests$/);
  });

  it('names the history, not the live picture, if access to the history is denied', () => {
    const gap = { bbox, start, end: window.end, reason: 'layer_not_approved' } as const;
    const refused = layer({ 5: 'failed' }, { gaps: [gap] });
    expect(say(refused, 5.5).sentence).toBe(
      'Aircraft: could not be loaded at this time: this account has no access to this layer’s history',
    );
  });

  it('says when receivers were missing, never that no positions were received', () => {
    const night = { bbox, start: addMs(start, 250_000), end: addMs(start, 600_000), reason: 'receivers_lost' } as const;
    const minutes = { 4: 'receivers_lost', 5: 'receivers_lost', 6: 'receivers_lost' } as const;
    expect(say(layer(minutes, { reception: [night] }), 5.5, 0)).toEqual({
      tone: 'bad',
      sentence: `Aircraft: ${lost.past} 10:08:10–10:14Z`,
      short: 'no receiver',
    });
    const before = { ...night, start: addMs(start, 240_000), end: addMs(start, 245_000) };
    expect(say(layer(minutes, { reception: [before, night] }), 5.5).sentence).toMatch(/10:08:10–10:14Z$/);
    // Before the end of the load, the times are known to a minute only.
    expect(say(layer(minutes), 5.5, 0).sentence).toBe(`Aircraft: ${lost.past} at this time`);
    expect(say(layer({ ...minutes, 3: 'truncated' }), 5.5, 0).short).toBe('no receiver');
    expect(say(layer({ ...minutes, 5: 'loading' }), 5.5, 0).short).toBe('loading');
  });

  it('says that some receivers were down, or that there was none, also over positions', () => {
    const box = { bbox, start, end: window.end } as const;
    const down = layer({ 5: 'receivers_partly' }, { reception: [{ ...box, reason: 'receivers_partly' }] });
    expect(say(down, 5.5)).toEqual({
      tone: 'warning',
      sentence: `Aircraft: ${partly.past} 10:04–10:14Z`,
      short: 'receivers down',
    });
    // One of two boxes has no receiver.
    const oneBox = layer({ 5: 'receivers_partly' }, { reception: [{ ...box, reason: 'receivers_lost' }] });
    expect(say(oneBox, 5.5, 0).sentence).toBe(`Aircraft: ${partly.past} 10:04–10:14Z`);
    const unequipped = layer({ 5: 'not_equipped' }, { reception: [{ ...box, reason: 'not_equipped' }] });
    expect(say(unequipped, 5.5, 0)).toMatchObject({
      sentence: `Aircraft: ${none.past} 10:04–10:14Z`,
      short: 'not equipped',
    });
  });

  it('says that no positions were received, which is no claim about the traffic', () => {
    expect(say(layer({}), 5, 0).sentence).toBe('No aircraft positions received in this area at this time');
    expect(say(layer({}, { on: false }), 5, 0).sentence).toBe('Aircraft: layer is off, not loaded');
  });

  it('says near the window’s start that earlier observations cannot be had, if it has no lead-in', () => {
    expect(say(layer({}), 1.9).sentence).toBe(
      'Aircraft: what was received before 10:04:00Z is outside the account’s history',
    );
    expect(say(layer({}), 2).short).toBe('complete');
  });

  it('calls the first picture complete if the lead-in is, and as bad as the lead-in if it is not', () => {
    expect(say(layer({}, { leadIn: ['complete', 'complete'] }), 0).short).toBe('complete');
    expect(say(layer({}, { leadIn: ['complete'] }), 0).short).toBe('beginning');
    expect(say(layer({}, { leadIn: ['failed', 'complete', 'complete'] }), 0).short).toBe('complete');
    expect(say(layer({}, { leadIn: ['complete', 'failed', 'complete'] }), 0).short).toBe('failed');
    expect(say(layer({}, { leadIn: ['complete', 'failed', 'complete'] }), 1).short).toBe('complete');
  });

  it('uses the last minute at the window’s end', () => {
    expect(say(layer({ 9: 'failed' }), 10).short).toBe('failed');
  });
});
