import { describe, expect, test } from 'vitest';
import type { StatusAnswer } from '#lib/api/status-answer.ts';
import { allowanceStatus } from '#lib/client/status/allowance-status.ts';
import { STATUS_ANSWER, STATUS_AT } from '#lib/client/status/status-answer.fixture.ts';
import { addMs, formatInstant, type UpstreamInstant } from '#lib/time/instant.ts';
import { accessText } from './access-text.ts';

const at = (secondsLater: number) => formatInstant(addMs(STATUS_AT, secondsLater * 1000));
const { layers } = STATUS_ANSWER;
const said = (change: Partial<StatusAnswer>, now = STATUS_AT) =>
  accessText(allowanceStatus({ ...STATUS_ANSWER, ...change }), now, 'utc');
const sentences = (change: Partial<StatusAnswer>, now?: UpstreamInstant) =>
  said(change, now).map(({ sentence }) => sentence);

describe('accessText', () => {
  test('where all is in order, or nothing was asked yet, nothing is said', () => {
    expect(said({})).toEqual([]);
    const unknown = { state: 'unknown', reason: null, since: null, until: null } as const;
    expect(said({ layers: { rid: unknown, adsb: unknown } })).toEqual([]);
  });

  test('a hold says until when and by whom, for a busy service holds everything too, and is over when that has passed', () => {
    const held = { paused_until: at(23) };
    expect(sentences(held)).toEqual(['All layers: the service wants no request until 12:04:53Z (in 23 s)']);
    expect(sentences(held, addMs(STATUS_AT, 23_000))).toEqual([]);
  });

  test('what is said of all layers is not repeated for each', () => {
    const refused = { state: 'failing', reason: 'key_refused', since: at(-40), until: null } as const;
    expect(sentences({ key_refused: true, layers: { rid: refused, adsb: refused } })).toEqual([
      'All layers: the service refuses this key; nothing is sent until the key changes',
    ]);
    const paused = { state: 'failing', reason: 'allowance_used_up', since: at(-4), until: at(23) } as const;
    expect(sentences({ paused_until: at(23), layers: { rid: paused, adsb: paused } })).toHaveLength(1);
    expect(sentences({ layers: { ...layers, rid: paused } })).toEqual([
      'Drones: paused by the account’s allowance until 12:04:53Z (in 23 s)',
    ]);
  });

  test('a denied layer, and no other trouble, can be checked again', () => {
    const words = said({
      layers: {
        rid: { state: 'denied', reason: 'layer_not_approved', since: at(-3600), until: at(840) },
        adsb: { state: 'failing', reason: 'service_busy', since: at(-40), until: at(8) },
      },
    });
    expect(words.map(({ recheck, tone }) => [recheck, tone])).toEqual([
      [undefined, 'warning'],
      ['rid', 'bad'],
    ]);
    expect(words.map(({ sentence }) => sentence)).toEqual([
      'Aircraft: the service says it is busy since 12:03:50Z; tried again at 12:04:38Z (in 8 s)',
      'Drones: this account has no live access to this layer since 11:04:30Z; tried again at 12:18:30Z (in 14 min)',
    ]);
  });
});
