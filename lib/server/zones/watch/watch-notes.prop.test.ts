import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Bbox } from '#lib/geo/bbox.ts';
import type { Reception } from '#lib/model/reception.ts';
import { upstreamInstant } from '#lib/time/instant.ts';
import { WATCHED_MAX_MS } from '#lib/zones/stretches/watched-reception.ts';
import { ZoneHours } from '#lib/zones/zone-hours.ts';
import { areaOf } from '../../live/snapshots.ts';
import type { CurrentZone } from '../current-zones.ts';
import { newZone } from '../new-zone.fixture.ts';
import { WatchNotes } from './watch-notes.ts';

const { shape, vertical, hours, rules } = newZone();
const zone: CurrentZone = {
  id: 'z',
  revision: 1,
  name: 'z',
  shape,
  vertical,
  hours,
  permits: [],
  historyRequestsADay: 0,
  activeHours: new ZoneHours(null),
  rules: [{ ...rules[0]!, id: 'r', layers: ['rid'] }],
};
const WHOLE: Bbox = { west: 8, south: 47, east: 9, north: 48 };
const WEST: Bbox = { ...WHOLE, east: 8.5 };
const EAST: Bbox = { ...WHOLE, west: 8.5 };

const events = fc.array(
  fc.record({
    what: fc.constantFrom('whole', 'west', 'east', 'pass', 'incomplete'),
    afterMs: fc.oneof(fc.integer({ min: 1, max: 20_000 }), fc.integer({ min: 1, max: 120_000 })),
  }),
  { maxLength: 40 },
);
const BOXES: Readonly<Record<string, Bbox>> = { whole: WHOLE, west: WEST, east: EAST };

describe('watch notes', () => {
  test('leave no time out, note none twice, and call watched only what was read whole often enough', () => {
    fc.assert(
      fc.property(events, (all) => {
        const watch = new WatchNotes();
        watch.setZones([zone]);
        const read = { west: -1, east: -1 };
        let at = 1000;
        let coveredMs = -1;
        let notedMs: number | undefined;
        for (const { what, afterMs } of all) {
          at += afterMs;
          const now = upstreamInstant(at);
          const box = BOXES[what];
          const notes = box
            ? watch.read(areaOf('rid', box), now, undefined)
            : what === 'incomplete'
              ? watch.read(areaOf('rid', WHOLE), now, 'capped')
              : watch.pass(now, () => 'upstream');
          if (what === 'whole' || what === 'west') read.west = at;
          if (what === 'whole' || what === 'east') read.east = at;
          if (box) coveredMs = Math.min(read.west, read.east);
          for (const note of notes) {
            if (notedMs !== undefined) expect(note.from).toBe(notedMs);
            expect(note.from < note.to).toBe(true);
            expect(note.reason === null).toBe(note.state === 'watched');
            notedMs = Number(note.to);
            if (note.state === 'watched') {
              expect(notedMs).toBe(coveredMs);
              expect(notedMs - Number(note.from)).toBeLessThanOrEqual(WATCHED_MAX_MS);
            }
          }
        }
      }),
    );
  });

  test('the gap between two reads decides, and an outage is noted while it lasts', () => {
    const watch = new WatchNotes();
    watch.setZones([zone]);
    const area = areaOf('rid', WHOLE);
    const read = (ms: number) =>
      watch.read(area, upstreamInstant(ms), undefined).map(({ state, reason }) => [state, reason]);
    const pass = (ms: number) => watch.pass(upstreamInstant(ms), () => 'upstream').map(({ state }) => state);
    expect(read(0)).toEqual([]);
    expect(read(5000)).toEqual([['watched', null]]);
    expect(pass(19_000)).toEqual([]);
    expect(read(45_000)).toEqual([['partly', 'allowance']]);
    expect(pass(100_000)).toEqual([]);
    expect(pass(106_000)).toEqual(['not_watched']);
    expect(pass(110_000)).toEqual([]);
    expect(read(112_000)).toEqual([['not_watched', 'upstream']]);
    expect(read(117_000)).toEqual([['watched', null]]);
  });

  test('a zone that is never read is noted as not watched from the beginning', () => {
    const watch = new WatchNotes();
    watch.setZones([zone]);
    const pass = (ms: number) => watch.pass(upstreamInstant(ms), () => 'allowance');
    expect([pass(0), pass(30_000)]).toEqual([[], []]);
    expect(pass(61_000)).toMatchObject([{ from: 0, to: 61_000, state: 'not_watched', reason: 'allowance' }]);
    const other = new WatchNotes();
    other.setZones([zone]);
    other.pass(upstreamInstant(0), () => undefined);
    expect(other.read(areaOf('rid', WHOLE), upstreamInstant(4000), undefined)).toEqual([]);
  });

  test('go on after a restart: a short one leaves no gap, and a long one says why', () => {
    const area = areaOf('rid', WHOLE);
    const readAfter = (ms: number) => {
      const watch = new WatchNotes();
      watch.setZones([zone]);
      watch.resume({ zoneId: 'z', layer: 'rid', toMs: 0, state: 'watched', reason: null }, 'no_writer');
      return watch.read(area, upstreamInstant(ms), undefined);
    };
    expect(readAfter(10_000)).toMatchObject([{ state: 'watched', reason: null }]);
    expect(readAfter(90_000)).toMatchObject([{ state: 'not_watched', reason: 'no_writer' }]);
  });

  test('outside of its hours nothing is noted', () => {
    const from = Date.UTC(2026, 10, 27, 8);
    const local = { time_zone: 'UTC', from: '2026-11-27T08:00', to: '2026-11-27T09:00' };
    const watch = new WatchNotes();
    watch.setZones([{ ...zone, activeHours: new ZoneHours(local) }]);
    const area = areaOf('rid', WHOLE);
    const read = (minutes: number) => watch.read(area, upstreamInstant(from + minutes * 60_000), undefined);
    const pass = (minutes: number) => watch.pass(upstreamInstant(from + minutes * 60_000), () => undefined);
    read(59);
    expect(pass(59.1)).toEqual([]);
    expect(pass(60.6)).toMatchObject([{ state: 'not_watched' }]);
    expect(pass(61.1)).toEqual([]);
    expect(read(24 * 60)).toEqual([]);
    expect(read(24 * 60 + 0.1)).toMatchObject([{ state: 'watched' }]);
  });
});

describe('watch notes over reported receivers', () => {
  const OK: Reception = { state: 'ok', since: undefined, receivers: 1, receiving: 1 };
  const lost = (sinceMs?: number): Reception => ({
    state: 'lost',
    since: sinceMs === undefined ? undefined : upstreamInstant(sinceMs),
    receivers: 1,
    receiving: 0,
  });
  const started = (hours: CurrentZone['activeHours'] = zone.activeHours) => {
    const watch = new WatchNotes();
    watch.setZones([{ ...zone, activeHours: hours }]);
    const read = (ms: number, reception?: Reception, box = WHOLE, incomplete?: 'capped') =>
      watch
        .read(areaOf('rid', box), upstreamInstant(ms), incomplete, reception)
        .map(({ from, to, state, reason }) => [Number(from), Number(to), state, reason]);
    return { watch, read };
  };

  test('call a zone partly watched of which one half is lost, and not watched once both are', () => {
    const { read } = started();
    const both = (ms: number, west: Reception, east: Reception) => [...read(ms, west, WEST), ...read(ms, east, EAST)];
    both(0, OK, OK);
    expect(both(5000, OK, OK)).toEqual([[0, 5000, 'watched', null]]);
    expect(both(10_000, lost(4000), OK)).toEqual([
      [4000, 5000, 'partly', 'receivers_lost'],
      [5000, 10_000, 'partly', 'receivers_lost'],
    ]);
    expect(both(15_000, lost(4000), lost(12_000))).toEqual([
      [10_000, 12_000, 'partly', 'receivers_lost'],
      [12_000, 15_000, 'not_watched', 'receivers_lost'],
    ]);
  });

  test('take a read that was cut short for whole while nothing can be received', () => {
    const { read } = started();
    read(0, OK);
    expect(read(5000, OK, WHOLE, 'capped')).toEqual([]);
    expect(read(10_000, lost(4000), WHOLE, 'capped')).toEqual([
      [0, 4000, 'watched', null],
      [4000, 10_000, 'not_watched', 'receivers_lost'],
    ]);
  });

  test('begin a loss of an unknown or future time with the read before', () => {
    for (const reception of [lost(), lost(3_600_000)]) {
      const { read } = started();
      read(0, OK);
      read(5000, OK);
      expect(read(10_000, reception)).toEqual([[5000, 10_000, 'not_watched', 'receivers_lost']]);
    }
  });

  test('end a loss with the last report of it, if the upstream reports no longer', () => {
    const { read } = started();
    read(0, lost(0));
    expect(read(5000, lost(0))).toEqual([[0, 5000, 'not_watched', 'receivers_lost']]);
    expect(read(10_000)).toEqual([[5000, 10_000, 'watched', null]]);
  });

  test('keep a short return between two reads, and do not correct twice', () => {
    const { read } = started();
    read(0, OK);
    read(5000, OK);
    expect(read(10_000, lost(2000))).toHaveLength(2);
    expect(read(15_000, lost(2000))).toEqual([[10_000, 15_000, 'not_watched', 'receivers_lost']]);
    expect(read(20_000, lost(18_000))).toEqual([
      [15_000, 18_000, 'not_watched', 'receivers_lost'],
      [18_000, 20_000, 'not_watched', 'receivers_lost'],
    ]);
  });

  test('note nothing outside of hours, also if the loss began there', () => {
    const from = Date.UTC(2026, 10, 27, 8);
    const local = { time_zone: 'UTC', from: '2026-11-27T08:00', to: '2026-11-27T09:00' };
    const { watch, read } = started(new ZoneHours(local));
    const [opens, lostMs] = [from - 60_000, from - 3_600_000];
    watch.pass(upstreamInstant(from - 1_800_000), () => undefined);
    expect(read(opens, lost(lostMs))).toEqual([]);
    const notes = read(opens + 5000, lost(lostMs));
    expect(notes.at(-1)).toEqual([opens, opens + 5000, 'not_watched', 'receivers_lost']);
    // A correction of earlier notes has none to correct.
    expect(notes.slice(0, -1).every(([, to]) => to === opens)).toBe(true);
  });
});
