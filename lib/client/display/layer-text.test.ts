import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FAILURES, failureReasonSchema, liveReasonSchema } from '#lib/api/layer-reason.ts';
import { layerStateSchema } from '#lib/api/layer-state.ts';
import { LAYERS } from '#lib/model/position.ts';
import { addMs, upstreamInstant } from '#lib/time/instant.ts';
import type { LayerStatus } from './display-summary.ts';
import { freshLayer } from './layer-status.fixture.ts';
import { layerText } from './layer-text.ts';

const now = upstreamInstant(Date.UTC(2026, 10, 21, 12, 5));
const quiet = freshLayer(now);
const nothing = quiet.counts;
const none = nothing.current;
const sentence = (change: Partial<LayerStatus>) => layerText({ ...quiet, ...change }, now, 'utc').sentence;

const failures = failureReasonSchema.options.filter((reason) => FAILURES[reason].state.without === 'failed');

/** The states that must never read alike, in every form of an answer. */
const failure = fc.constantFrom(...failures).map((reason) => ({ reason }));
const states = {
  empty: fc.constant({ state: 'fresh', counts: nothing } as const),
  off: fc.record({ on: fc.constant(false), state: fc.constantFrom(undefined, 'fresh', 'failed', 'denied') } as const),
  failed: fc.tuple(fc.constantFrom('failed', 'stale'), failure).map(([state, why]) => ({ state, ...why }) as const),
  refused: fc.constant({ state: 'denied', reason: 'layer_not_approved' } as const),
  limited: fc.constant({ state: 'limited', reason: 'allowance_used_up' } as const),
  lost: fc.constantFrom('stale', 'failed').map((state) => ({ state, reason: 'receivers_lost' }) as const),
  unequipped: fc.constant({ state: 'unequipped', reason: 'not_equipped' } as const),
};
const origins = fc.record({ real: fc.nat(2), simulated: fc.nat(2), test: fc.nat(2) });
const nearNow = fc.integer({ min: -600_000, max: 600_000 }).map((ms) => addMs(now, ms));
const time = fc.option(nearNow, { nil: undefined });
const rest = fc.record({
  layer: fc.constantFrom(...LAYERS),
  fetchedAt: time,
  failingSince: time,
  until: time,
  partial: fc.boolean(),
  unreadable: fc.nat(3),
  reception: fc.option(
    fc.record({
      state: fc.constantFrom('ok', 'partly', 'lost', 'none'),
      since: time,
      receivers: fc.nat(20),
      receiving: fc.nat(20),
    }),
    { nil: undefined },
  ),
  counts: fc.record({ current: origins, expired: origins }),
});
const names = Object.keys(states) as (keyof typeof states)[];
const statusIn = (name: keyof typeof states, common: Omit<LayerStatus, 'on' | 'state' | 'reason'>) =>
  (states[name] as fc.Arbitrary<Partial<LayerStatus>>).map((own): LayerStatus => ({ ...quiet, ...common, ...own }));

describe('layerText', () => {
  test('empty, off, failed, denied, limited, lost and unequipped layers have different texts, whatever else is known of them', () => {
    const oneOfEach = rest.chain((common) => fc.tuple(...names.map((name) => statusIn(name, common))));
    fc.assert(
      fc.property(oneOfEach, fc.constantFrom(now, undefined), (statuses, now) => {
        const sentences = statuses.map((status) => layerText(status, now, 'utc').sentence);
        expect(new Set(sentences).size).toBe(names.length);
      }),
    );
  });

  test('no text claims "no traffic" or contains a broken value or an unknown time', () => {
    const anyReason = fc.constantFrom(...liveReasonSchema.options, undefined);
    const anyStatus = fc
      .tuple(fc.constantFrom(...layerStateSchema.options, undefined), rest, anyReason)
      .map(([state, common, reason]): LayerStatus => ({ ...quiet, ...common, reason, state }));
    fc.assert(
      fc.property(anyStatus, fc.constantFrom(now, undefined), fc.constantFrom('utc', 'local'), (status, now, zone) => {
        const text = layerText(status, now, zone).sentence;
        expect(text).not.toMatch(/traffic|clear|undefined|null|NaN|Invalid|1970|0%/i);
        expect(text).toMatch(/drone|aircraft/i);
      }),
      { numRuns: 500 },
    );
  });

  test('partial and unreadable are mentioned in every state that shows positions', () => {
    for (const state of ['fresh', 'stale', 'failed', 'denied', 'limited'] as const) {
      const shown = { state, counts: { ...nothing, current: { ...none, real: 3 } } };
      expect(sentence({ ...shown, partial: true })).toMatch(/incomplete/);
      expect(sentence({ ...shown, unreadable: 1 })).toMatch(/1 record unreadable/);
      expect(sentence({ ...shown, unreadable: 2 })).toMatch(/2 records unreadable/);
      expect(sentence(shown)).not.toMatch(/incomplete|unreadable/);
    }
  });

  test('the text of a failure includes since when it fails and the age of the shown positions', () => {
    const failing = { state: 'stale', reason: 'service_unreachable', failingSince: addMs(now, -29_000) } as const;
    expect(
      sentence({ ...failing, fetchedAt: addMs(now, -180_000), counts: { ...nothing, expired: { ...none, real: 1 } } }),
    ).toBe('Drones: no answer from the service since 12:04:31Z, showing positions read 3 min ago');
    expect(sentence({ ...failing, state: 'failed' })).toMatch(/nothing to show/);
  });

  test('the text of a pause includes until when, with the timezone', () => {
    const limited = { state: 'limited', reason: 'allowance_used_up' } as const;
    expect(sentence({ ...limited, until: addMs(now, 61_000) })).toMatch(/allowance until 12:06:01Z/);
  });

  test('an unknown age is not made up', () => {
    const shown = { counts: { ...nothing, current: { ...none, real: 1 } } };
    expect(sentence({ ...shown, fetchedAt: undefined })).toMatch(/some time ago/);
    expect(layerText({ ...quiet, ...shown }, undefined, 'utc').sentence).toMatch(/some time ago/);
  });

  test('a layer without receivers says since when, and never that nothing was received', () => {
    const lost = { state: 'failed', reason: 'receivers_lost', failingSince: addMs(now, -29_000) } as const;
    const shown = { state: 'stale', counts: { ...nothing, current: { ...none, real: 1 } } } as const;
    expect(sentence({ ...lost, layer: 'adsb' })).toBe('Aircraft: no receiver since 12:04:31Z, nothing to show');
    expect(sentence({ ...lost, ...shown })).toBe('Drones: no receiver since 12:04:31Z, showing the last positions');
    expect(sentence({ ...lost, ...shown, partial: true })).toBe(
      'Drones: no receiver in part of this view since 12:04:31Z, showing the last positions',
    );
    const unequipped = { ...quiet, state: 'unequipped', reason: 'not_equipped' } as const;
    expect(layerText(unequipped, now, 'utc')).toEqual({ tone: 'neutral', sentence: 'No drone receiver' });
    expect(sentence({ ...unequipped, counts: shown.counts })).toBe('No drone receiver, showing the last positions');
    expect(sentence({ partial: true, reason: 'not_equipped' })).toBe(
      'No drone positions received in this view · incomplete: no receiver for part of this view',
    );
  });

  test.each([
    [3, 2, 'one of three receivers is down since 12:04:31Z'],
    [3, 1, 'two of three receivers are down since 12:04:31Z'],
    [20, 7, '13 of 20 receivers are down since 12:04:31Z'],
    [2, 2, 'some receivers are down or hear little since 12:04:31Z'],
  ])('%i receivers of which %i receive are counted in words', (receivers, receiving, text) => {
    const reception = { state: 'partly', since: addMs(now, -29_000), receivers, receiving } as const;
    const partly = { ...quiet, partial: true, reason: 'receivers_partly', reception } as const;
    expect(layerText(partly, now, 'utc')).toEqual({
      tone: 'warning',
      sentence: `No drone positions received in this view · incomplete: ${text}`,
    });
    expect(sentence({ ...partly, state: 'stale' })).toBe(
      `Drones: not refreshed, nothing to show · incomplete: ${text}`,
    );
  });

  test('missing pages and unread parts of the view have different texts', () => {
    const partial = { ...quiet, partial: true };
    const text = (reason: LayerStatus['reason']) => layerText({ ...partial, reason }, now, 'utc').sentence;
    expect(text('pages_endless')).toMatch(/incomplete: not every page was read/);
    expect(text(undefined)).toMatch(/incomplete: part of this view has not been read/);
    expect(text('pages_pending')).toContain('incomplete: further pages are still being read');
  });

  test('a place that waits for its turn has a text with the seconds, whole or in part', () => {
    const turn = { reason: 'waits_its_turn', until: addMs(now, 11_200) } as const;
    const shown = { counts: { ...nothing, current: { ...none, real: 1 } } };
    expect(sentence({ ...turn, state: 'waiting', fetchedAt: undefined })).toBe(
      'Drones: you opened more new areas than your share allows; this place is read in 12 s',
    );
    expect(sentence({ ...turn, ...shown, partial: true })).toBe(
      'Drones: up to date, read 3 s ago · incomplete: part of this view waits for your share of the allowance, read in 12 s',
    );
    expect(sentence({ ...turn, ...shown, state: 'stale', fetchedAt: addMs(now, -70_000) })).toBe(
      'Drones: you opened more new areas than your share allows; this place is read in 12 s, showing positions read 70 s ago',
    );
    expect(sentence({ ...turn, state: 'waiting', until: addMs(now, -100) })).toMatch(/this place is read now$/);
    expect(sentence({ ...turn, state: 'waiting', until: addMs(now, 4_920_001) })).toMatch(/read in 1 h 23 min$/);
    expect(sentence({ ...turn, state: 'waiting', until: undefined })).toMatch(/this place is read in its turn$/);
  });

  test('a layer that is up to date but incomplete does not have the tone `good`', () => {
    expect(layerText(quiet, now, 'utc').tone).toBe('good');
    expect(layerText({ ...quiet, partial: true }, now, 'utc').tone).toBe('warning');
    expect(layerText({ ...quiet, unreadable: 1 }, now, 'utc').tone).toBe('warning');
    for (const state of ['stale', 'failed', 'denied', 'limited', 'waiting', undefined] as const) {
      expect(layerText({ ...quiet, state }, now, 'utc').tone).not.toBe('good');
    }
  });
});
