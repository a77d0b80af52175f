import { describe, expect, test } from 'vitest';
import { FRESH_MAX_MS } from '#lib/api/layer-state.ts';
import { LEAD_IN_MAX_MS } from '#lib/api/lead-in.ts';
import { liveQuerySchema } from '#lib/api/query.ts';
import { REPLAY_MAX_WINDOW_MS } from '#lib/api/replay-window.ts';
import { VIEWS_MAX } from '#lib/api/saved-view.ts';
import { NAME_MAX_LENGTH } from '#lib/api/short-name.ts';
import { STEP_MS } from '#lib/client/replay/playback.ts';
import { UNASKED_DEFAULT } from '#lib/client/replay/unasked-load.ts';
import { STEPS_PER_UNIT } from '#lib/codec/quantised-records.ts';
import {
  HISTORY_MAX_AGE_MS,
  HISTORY_MAX_SPAN_DEG,
  LIVE_MAX_SPAN_DEG,
  LOOKBACK_MAX_DAYS,
} from '#lib/contract/limits.ts';
import { TILES_MAX } from '#lib/server/history/history-area.ts';
import { REQUESTS_MAX } from '#lib/server/history/history-reader.ts';
import { SETTLED_AFTER_MS } from '#lib/server/history/parts/upstream-parts.ts';
import { MAX_PAUSE_MS, MAX_RETRIES, RETRY_SHARE } from '#lib/server/history/retry-policy.ts';
import { GIVEN_UP, STEPS_MS } from '#lib/server/history/split/clock-cut.ts';
import { MAX_POLL_MS, MIN_POLL_MS } from '#lib/server/live/live-reader.ts';
import { SESSION_VIEWS_MAX, VIEWER_KEPT_MS } from '#lib/server/live/plan/demand.ts';
import { STALE_INTERVALS, STALE_MIN_MS } from '#lib/server/live/refresh-job.ts';
import { RECHECK_EVERY_MS } from '#lib/server/live/status-reader.ts';
import { SESSION_ABSOLUTE_MS, SESSION_IDLE_MS, SESSION_KEPT_IDLE_MS } from '#lib/server/sign-in/session.ts';
import { DENIED_RECHECK_MS } from '#lib/server/upstream/circuit.ts';
import { MAX_IN_FLIGHT } from '#lib/server/upstream/upstream-client.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '#lib/time/time-units.ts';
import { FAILURES_AT_ONCE, FAILURES_PER_SECOND } from '#service/accounts/address-limit.ts';
import { readServeOptions } from '#service/cli/read-serve-options.ts';
import { REFERENCE_PERIOD_MS } from '#service/references/public-reference.ts';
import { ttlMs } from '#service/sources/observation.ts';
import { BREAK_KEPT_MS, SESSION_BREAK_MS } from '#service/sources/recording/build-recording.ts';
import { CURSOR_TTL_MS } from '#service/store/cursors.ts';
import { SOURCE_WINDOW_MAX } from '#service/store/history-window.ts';
import { sentencesOf } from './document.ts';

const numerals = ['no', 'one', 'two', 'three', 'four', 'five', 'six'];

/** A small count as a word, as the documents write it. */
function inText(count: number): string {
  const numeral = numerals[count];
  if (numeral === undefined) throw new Error(`no numeral for ${count}`);
  return numeral;
}

/** A whole number of units as text: `a minute`, `two minutes`. */
function span(ms: number, unitMs: number, unit: string): string {
  const count = ms / unitMs;
  return count === 1 ? `${unit === 'hour' ? 'an' : 'a'} ${unit}` : `${inText(count)} ${unit}s`;
}

/** A number of units in digits: `30 seconds`. */
const digits = (ms: number, unitMs: number, unit: string) => `${ms / unitMs} ${unit}`;
const step = (perUnit: number) => String(1 / perUnit);

/** Sentences that state a figure, built from the constant that defines it. */
const stated: Readonly<Record<string, readonly string[]>> = {
  'docs/api.md': [
    `Sessions end after ${digits(SESSION_IDLE_MS, HOUR_MS, 'hours')} without a request, kept ones after ${digits(SESSION_KEPT_IDLE_MS, DAY_MS, 'days')}, after ${digits(SESSION_ABSOLUTE_MS, DAY_MS, 'days')} in any case`,
    `A box that is wider or higher than ${LIVE_MAX_SPAN_DEG}° is cut to ${LIVE_MAX_SPAN_DEG}° around its middle,`,
    `next_poll_ms, which is ${MIN_POLL_MS / SECOND_MS} to ${digits(MAX_POLL_MS, SECOND_MS, 'seconds')}.`,
    `A view that was not polled for ${span(VIEWER_KEPT_MS, MINUTE_MS, 'minute')} is no longer refreshed.`,
    `A session has at most ${SESSION_VIEWS_MAX} views.`,
    `read within the last ${STALE_INTERVALS} refresh intervals or ${digits(STALE_MIN_MS, SECOND_MS, 's')}, and at most ${digits(FRESH_MAX_MS, SECOND_MS, 's')} ago;`,
    `the account has no access to the layer; tried again in ${digits(DENIED_RECHECK_MS, MINUTE_MS, 'minutes')}`,
    `At most once ${span(RECHECK_EVERY_MS, MINUTE_MS, 'minute')} per layer, else 429.`,
    `Up to ${digits(LEAD_IN_MAX_MS, MINUTE_MS, 'minutes')} before it may be asked for with it`,
    `loads a past window, at most ${digits(REPLAY_MAX_WINDOW_MS, HOUR_MS, 'hours')} long and half-open`,
    `to 1e-6°, ${step(STEPS_PER_UNIT.altitudeM)} m, ${step(STEPS_PER_UNIT.speedMps)} m/s, ${step(STEPS_PER_UNIT.headingDeg)}° and ${step(STEPS_PER_UNIT.ttlMs)} ms.`,
    `An area that is over ${HISTORY_MAX_SPAN_DEG}° wide or high is refused, unless wide=middle takes its middle, or what lies around centre=LON,LAT, or wide=tiles all of it, in at most ${TILES_MAX} tiles.`,
    `limits the requests to the upstream, at most ${REQUESTS_MAX} for each hour in any case;`,
    `403 outside_lookback if the window starts more than ${digits(HISTORY_MAX_AGE_MS, DAY_MS, 'days')} ago;`,
    `A name has 1 to ${NAME_MAX_LENGTH} characters on one line and is unique for its operator, who has at most ${VIEWS_MAX} views.`,
    `a window that starts more than ${digits(HISTORY_MAX_AGE_MS, DAY_MS, 'days')} ago, further back than any history`,
  ],
  'README.md': [`loads by itself what costs few requests (${UNASKED_DEFAULT} unless you choose otherwise);`],
  'docs/architecture.md': [`forgets it after ${span(VIEWER_KEPT_MS, MINUTE_MS, 'minute')} of silence.`],
  'docs/service.md': [
    `${LOOKBACK_MAX_DAYS} days of lookback`,
    `Wrong keys are limited by address: ${FAILURES_AT_ONCE} at once, then ${FAILURES_PER_SECOND} a second,`,
    `handles that work for ${span(CURSOR_TTL_MS, MINUTE_MS, 'minute')}`,
    `They change every ${span(REFERENCE_PERIOD_MS, HOUR_MS, 'hour')}`,
    `reads the first ${SOURCE_WINDOW_MAX.toLocaleString('en')} observations`,
    `stale_after is ${digits(ttlMs('adsb'), SECOND_MS, 's')} after the observation for aircraft, ${digits(ttlMs('rid'), SECOND_MS, 's')} for drones.`,
    `A silence of more than ${span(SESSION_BREAK_MS, HOUR_MS, 'hour')} is cut to ${span(BREAK_KEPT_MS, MINUTE_MS, 'minute')}.`,
  ],
  'docs/decisions/0003-libraries-of-the-engine.md': [`p-queue (at most ${inText(MAX_IN_FLIGHT)} requests in flight)`],
  'docs/decisions/0006-areas-are-what-is-shared.md': [
    `1e-6° (11 cm), ${step(STEPS_PER_UNIT.altitudeM)} m, ${step(STEPS_PER_UNIT.speedMps)} m/s, ${step(STEPS_PER_UNIT.headingDeg)}° and ${step(STEPS_PER_UNIT.ttlMs)} ms`,
  ],
  'docs/decisions/0008-history-in-shared-parts.md': [
    `A window is closed when it ended ${digits(SETTLED_AFTER_MS, SECOND_MS, 'seconds')} ago.`,
    `Retries are at most ${inText(MAX_RETRIES)} for a part. For a load they are one in twenty of its requests, but at least ${inText(MAX_RETRIES)}.`,
    'A load does not wait longer than two and a half minutes',
    `the coarsest line of the clock (${span(STEPS_MS[0], MINUTE_MS, 'minute')} to one second) that costs at most ${GIVEN_UP * 100}% of the part.`,
  ],
  'docs/decisions/0009-replay-on-screen.md': ['A step is one second, ten with Shift.'],
};

describe.each(Object.keys(stated))('%s states the figures of the code', (document) => {
  test.each(stated[document] ?? [])('%s', (sentence) => {
    expect(sentencesOf(document)).toContain(sentence);
  });
});

test('figures that the documents paraphrase have these values', () => {
  expect(RETRY_SHARE).toBe(1 / 20);
  expect(MAX_PAUSE_MS).toBe(2.5 * MINUTE_MS);
  expect(STEPS_MS.at(-1)).toBe(SECOND_MS);
  expect(STEP_MS).toBe(SECOND_MS);
  expect([STEPS_PER_UNIT.lon, STEPS_PER_UNIT.lat]).toEqual([1e6, 1e6]);
  expect(STEPS_PER_UNIT.heightAglM).toBe(STEPS_PER_UNIT.altitudeM);
});

test('a page is named by at most 40 letters, digits and hyphens', () => {
  expect(sentencesOf('docs/api.md')).toContain('page (optional, up to 40 letters, digits and hyphens)');
  const accepts = (page: string) => liveQuerySchema.safeParse({ bbox: '8,47,9,48', page }).success;
  expect([accepts('a'.repeat(40)), accepts('a'.repeat(41))]).toEqual([true, false]);
});

test('a key of the service has 20 characters or more', () => {
  expect(sentencesOf('docs/service.md')).toContain('sets the key (20 characters or more)');
  const accepts = (key: string) => readServeOptions([], { SERVICE_API_KEY: key }).ok;
  expect([accepts('k'.repeat(20)), accepts('k'.repeat(19))]).toEqual([true, false]);
});
