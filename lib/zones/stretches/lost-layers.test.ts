import { expect, test } from 'vitest';
import { withoutLostLayers, type ZoneLedger } from './lost-layers.ts';
import type { StretchOfLayer } from './merged-stretches.ts';

const at = (time: string) => Date.parse(`2026-11-27T${time}Z`);

function stretch(
  layer: StretchOfLayer['layer'],
  from: string,
  to: string,
  reason: StretchOfLayer['reason'] = null,
): StretchOfLayer {
  return { layer, fromMs: at(from), toMs: at(to), state: reason === null ? 'watched' : 'not_watched', reason };
}

const ledger = (zone: string, ...stretches: StretchOfLayer[]): ZoneLedger<string> => ({ zone, stretches });

function texts(ledgers: readonly ZoneLedger<string>[]) {
  const { lost, unwatched } = withoutLostLayers(ledgers);
  const span = (each: { fromMs: number; toMs: number }) =>
    [each.fromMs, each.toMs].map((ms) => new Date(ms).toISOString().slice(11, 19)).join('–');
  return {
    lost: lost.map((each) => `${each.layer} ${span(each)} ${each.reason}`),
    unwatched: unwatched.map((each) => `${each.zone} ${each.state} ${span(each)} ${each.reason}`),
  };
}

test('a layer lost for every zone is one entry, also where the zones were read seconds apart', () => {
  const zones = ['00', '04', '20'].map((second) =>
    ledger(
      second,
      stretch('rid', '14:00:00', '15:00:00'),
      stretch('adsb', '14:00:00', `14:02:${second}`),
      stretch('adsb', `14:02:${second}`, `14:10:${second}`, 'upstream'),
      stretch('adsb', `14:10:${second}`, '15:00:00'),
    ),
  );
  expect(texts(zones)).toEqual({ lost: ['adsb 14:02:00–14:10:20 upstream'], unwatched: [] });
});

test('a layer without a receiver is one entry, and the other layer counts as watched', () => {
  const zones = ['a', 'b'].map((zone) =>
    ledger(
      zone,
      stretch('rid', '14:00:00', '15:00:00', 'not_equipped'),
      stretch('adsb', '14:00:00', '14:20:00'),
      stretch('adsb', '14:20:00', '14:40:00', 'receivers_lost'),
      stretch('adsb', '14:40:00', '15:00:00'),
    ),
  );
  expect(texts(zones)).toEqual({
    lost: ['rid 14:00:00–15:00:00 not_equipped', 'adsb 14:20:00–14:40:00 receivers_lost'],
    unwatched: [],
  });
});

test('a layer lost for one zone alone stays a stretch of that zone', () => {
  const zones = [
    ledger('a', stretch('rid', '14:00:00', '14:10:00'), stretch('adsb', '14:00:00', '14:10:00', 'allowance')),
    ledger('b', stretch('adsb', '14:00:00', '14:10:00')),
  ];
  expect(texts(zones)).toEqual({ lost: [], unwatched: ['a partly 14:00:00–14:10:00 allowance'] });
});

test('zones that differ in the reason, or overlap for less than a minute, keep their own stretches', () => {
  const reasons = [
    ledger('a', stretch('adsb', '14:00:00', '14:10:00', 'allowance')),
    ledger('b', stretch('adsb', '14:00:00', '14:10:00', 'upstream')),
  ];
  expect(texts(reasons).lost).toEqual([]);
  expect(texts(reasons).unwatched).toHaveLength(2);
  const overlap = [
    ledger('a', stretch('adsb', '14:00:00', '14:10:00', 'upstream'), stretch('adsb', '14:10:00', '14:20:00')),
    ledger('b', stretch('adsb', '14:00:00', '14:09:30'), stretch('adsb', '14:09:30', '14:20:00', 'upstream')),
  ];
  expect(texts(overlap)).toEqual({
    lost: [],
    unwatched: ['a not_watched 14:00:00–14:10:00 upstream', 'b not_watched 14:09:30–14:20:00 upstream'],
  });
});

test('keeps what a zone missed beyond the lost layer', () => {
  const zones = [
    ledger('a', stretch('adsb', '14:00:00', '14:10:00', 'upstream'), stretch('adsb', '14:10:00', '14:30:00')),
    ledger('b', stretch('adsb', '14:00:00', '14:30:00', 'upstream')),
  ];
  expect(texts(zones)).toEqual({
    lost: ['adsb 14:00:00–14:10:00 upstream'],
    unwatched: ['b not_watched 14:10:00–14:30:00 upstream'],
  });
});

test('a zone outside its hours does not keep a layer from being lost', () => {
  const zones = [
    ledger('day', stretch('adsb', '14:00:00', '14:10:00', 'upstream')),
    ledger('night', stretch('adsb', '22:00:00', '23:00:00')),
  ];
  expect(texts(zones)).toEqual({ lost: ['adsb 14:00:00–14:10:00 upstream'], unwatched: [] });
});

test('takes work in proportion to the stretches', () => {
  let looks = 0;
  const stretchAt = (at: number): StretchOfLayer => {
    const fromMs = at * 120_000;
    return {
      ...(at % 2 === 0 ? { state: 'watched', reason: null } : { state: 'not_watched', reason: 'upstream' }),
      layer: 'rid',
      toMs: fromMs + 120_000,
      get fromMs() {
        looks++;
        return fromMs;
      },
    };
  };
  const looksFor = (count: number) => {
    const ledgers = [ledger('a', ...Array.from({ length: count }, (_, at) => stretchAt(at)))];
    looks = 0;
    withoutLostLayers(ledgers);
    return looks;
  };
  // Four times as many; work in their square would be 16 times as much.
  expect(looksFor(4000) / looksFor(1000)).toBeLessThan(6);
});
