import { describe, expect, test } from 'vitest';
import type { StatusAnswer } from '#lib/api/status-answer.ts';
import { LookoutRequestError } from '#lib/client/request/fetch-lookout.ts';
import { STATUS_ANSWER, STATUS_AT } from '#lib/client/status/status-answer.fixture.ts';
import { allowanceStatus } from '#lib/client/status/status-query.ts';
import { addMs, formatInstant, type UpstreamInstant, upstreamInstant } from '#lib/time/instant.ts';
import { type RecheckNote, recheckBlockedUntil, recheckText, whyNoRequestsText } from './why-no-requests.tsx';

const at = (secondsLater: number) => formatInstant(addMs(STATUS_AT, secondsLater * 1000));
const { layers } = STATUS_ANSWER;
const access = (change: Partial<StatusAnswer>, now = STATUS_AT) =>
  whyNoRequestsText(allowanceStatus({ ...STATUS_ANSWER, ...change }), now, 'utc');
const sentences = (change: Partial<StatusAnswer>, now?: UpstreamInstant) =>
  access(change, now).map(({ sentence }) => sentence);

describe('whyNoRequestsText', () => {
  test('is empty while everything works, and before the first request', () => {
    expect(access({})).toEqual([]);
    const unknown = { state: 'unknown', reason: null, since: null, until: null, reception: null } as const;
    expect(access({ layers: { rid: unknown, adsb: unknown } })).toEqual([]);
  });

  test('a pause that the service asked for gives its end, and disappears when it is over', () => {
    const paused = { paused_until: at(23) };
    expect(sentences(paused)).toEqual(['All layers: the service asked for no requests until 12:04:53Z (in 23 s)']);
    expect(sentences(paused, addMs(STATUS_AT, 23_000))).toEqual([]);
  });

  test('a reason that applies to all layers is not repeated for each', () => {
    const refused = { state: 'failing', reason: 'key_refused', since: at(-40), until: null, reception: null } as const;
    expect(sentences({ key_refused: true, layers: { rid: refused, adsb: refused } })).toEqual([
      'All layers: key refused by the service; one request an hour tries it again',
    ]);
    const paused = {
      state: 'failing',
      reason: 'allowance_used_up',
      since: at(-4),
      until: at(23),
      reception: null,
    } as const;
    expect(sentences({ paused_until: at(23), layers: { rid: paused, adsb: paused } })).toHaveLength(1);
    expect(sentences({ layers: { ...layers, rid: paused } })).toEqual([
      'Drones: paused by the account’s allowance until 12:04:53Z (in 23 s)',
    ]);
  });

  test('a used-up day and a refused key are listed once, with the next check, which an admin can ask for', () => {
    const limited = {
      state: 'failing',
      reason: 'allowance_used_up',
      since: at(-4),
      until: at(1800),
      reception: null,
    } as const;
    const usedUp = { used_up_until: at(1800), layers: { rid: limited, adsb: limited } };
    expect(sentences(usedUp)).toEqual([
      'All layers: the service reports that today’s allowance is used up; one request checks this at 12:34:30Z (in 30 min)',
    ]);
    expect(sentences(usedUp, addMs(STATUS_AT, 1_800_000))[0]).toMatch(/used up; being checked now$/);
    expect(access(usedUp).map(({ recheck }) => recheck)).toEqual(['account']);
    expect(access({ key_refused: true }).map(({ recheck }) => recheck)).toEqual(['account']);
  });

  test('only a denied layer can be checked again by operators', () => {
    const items = access({
      layers: {
        rid: { state: 'denied', reason: 'layer_not_approved', since: at(-3600), until: at(840), reception: null },
        adsb: { state: 'failing', reason: 'service_busy', since: at(-40), until: at(8), reception: null },
      },
    });
    expect(items.map(({ recheck, tone }) => [recheck, tone])).toEqual([
      [undefined, 'warning'],
      ['rid', 'bad'],
    ]);
    expect(items.map(({ sentence }) => sentence)).toEqual([
      'Aircraft: service busy (since 12:03:50Z); next try at 12:04:38Z (in 8 s)',
      'Drones: this account has no live access to this layer (since 11:04:30Z); next try at 12:18:30Z (in 14 min)',
    ]);
  });
});

const requestedAt = upstreamInstant(Date.UTC(2026, 10, 21, 12, 4, 30));
const tooSoon = (retryAfterS: number | undefined, at: UpstreamInstant | undefined = requestedAt) => ({
  error: new LookoutRequestError('refused', { code: 'too_many_attempts', retryAfterS }),
  at,
});

describe('recheckText', () => {
  test('a check that is too soon gives the time of the next one, and says so once it has come', () => {
    expect(recheckText(tooSoon(60), addMs(requestedAt, 59_000), 'utc')).toBe(
      'Checked too recently. It can be checked again at 12:05:30Z.',
    );
    expect(recheckBlockedUntil(tooSoon(60), addMs(requestedAt, 59_000))).toBe(addMs(requestedAt, 60_000));
    expect(recheckText(tooSoon(60), addMs(requestedAt, 60_000), 'utc')).toBe('It can be checked again now.');
    expect(recheckBlockedUntil(tooSoon(60), addMs(requestedAt, 60_000))).toBeUndefined();
  });

  test('nothing is blocked for ever without a time to wait or without the current time', () => {
    expect(recheckBlockedUntil(tooSoon(undefined), requestedAt)).toBeUndefined();
    expect(recheckText(tooSoon(undefined), requestedAt, 'utc')).toBe('Checked too recently. Try again later.');
    const clockless: RecheckNote = { ...tooSoon(60), at: undefined };
    expect(recheckBlockedUntil(clockless, undefined)).toBeUndefined();
    expect(recheckText(clockless, undefined, 'utc')).toBe('Checked too recently. It can be checked again in 60 s.');
  });

  test('every outcome reads differently', () => {
    const outcomes = [
      undefined,
      tooSoon(60).error,
      new LookoutRequestError('signed-out'),
      new LookoutRequestError('refused', { code: 'internal' }),
      new LookoutRequestError('refused', { code: 'not_permitted' }),
      new LookoutRequestError('unreachable'),
    ];
    const texts = outcomes.map((error) => recheckText({ error, at: requestedAt }, requestedAt, 'utc'));
    expect(new Set(texts).size).toBe(outcomes.length);
  });
});
