import { expect, test } from 'vitest';
import { alarmOf } from '#lib/client/alarms/alarm.fixture.ts';
import { Display } from '#lib/client/display/display.ts';
import type { DisplaySummary } from '#lib/client/display/display-summary.ts';
import { LiveFeed } from '#lib/client/live/live-feed.ts';
import { addMs, localInstant, upstreamInstant } from '#lib/time/instant.ts';
import { lossOf, oldestOf, troubleOf } from './wall-text.ts';

const ANSWERED = upstreamInstant(Date.UTC(2026, 10, 21, 12, 4, 31));
const feed = new LiveFeed({ monotonicMs: () => 0, wallNow: () => localInstant(0) });
const calm = new Display(feed, () => 0).summary();

function loss(connection: DisplaySummary['connection'], silentMs: number) {
  return lossOf({ ...calm, connection, now: addMs(ANSWERED, silentMs) }, ANSWERED, 'utc');
}

test('says nothing while answers arrive, nor before the first of them', () => {
  expect(loss({ kind: 'connected' }, 18_000)).toBeUndefined();
  expect(lossOf({ ...calm, connection: { kind: 'connecting' } }, undefined, 'utc')).toBeUndefined();
});

test('every lost connection has the time of the last answer, and its own reason', () => {
  const since = undefined;
  expect(loss({ kind: 'unreachable', since }, 60_000)).toEqual({
    title: 'No connection',
    since: 'since 12:04:31Z',
    why: 'Lookout’s own server does not answer.',
  });
  expect(loss({ kind: 'offline' }, 0)).toMatchObject({ title: 'No connection', why: 'You are offline.' });
  expect(loss({ kind: 'signed-out' }, 0)).toMatchObject({ title: 'Signed out', since: 'since 12:04:31Z' });
  expect(loss({ kind: 'stopped' }, 0)).toMatchObject({ title: 'Nothing read' });
  expect(loss({ kind: 'unreachable', since }, 24 * 3_600_000)?.since).toBe('since 2026-11-21 12:04:31Z');
});

test('silence is a lost connection, also while a request hangs or after a sleep', () => {
  expect(loss({ kind: 'connected' }, 31_000)).toEqual({
    title: 'No connection',
    since: 'since 12:04:31Z',
    why: 'No answer for 31 s.',
  });
});

test('a server that never answered is lost without a time', () => {
  const connection = { kind: 'unreachable', since: undefined } as const;
  expect(lossOf({ ...calm, connection, now: undefined }, undefined, 'utc')).toMatchObject({ since: '' });
});

test('the oldest alarm is the one that opened first, however late it was decided', () => {
  const [first, second] = [alarmOf(9, { opened_at: '2026-11-27T11:00:00Z' }), alarmOf(1)];
  expect(oldestOf([second, first])).toBe(first);
  expect(oldestOf([])).toBeUndefined();
});

test('a layer in order or switched off has no trouble; one in trouble says since when, and nothing that the board says', () => {
  const status = { ...calm.layers.adsb, on: true, state: 'fresh', fetchedAt: ANSWERED } as const;
  const trouble = (change: Partial<typeof calm.layers.adsb>) => troubleOf({ ...status, ...change }, ANSWERED, 'utc');
  expect(trouble({})).toBeUndefined();
  expect(trouble({ on: false })).toBeUndefined();
  const reception = { state: 'partly', since: ANSWERED, receivers: 4, receiving: 3, deaf: 1 } as const;
  expect(trouble({ partial: true, reason: 'receivers_partly', reception })).toEqual({
    isBad: false,
    sentence: 'Aircraft: incomplete: one of four receivers is down, one hears far less than usual since 12:04:31Z',
  });
  expect(trouble({ state: 'failed', reason: 'receivers_lost', failingSince: ANSWERED })).toEqual({
    isBad: true,
    sentence: 'Aircraft: no receiver since 12:04:31Z, nothing to show',
  });
});
