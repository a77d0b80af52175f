import type { StatusAnswer } from '#lib/api/status-answer.ts';
import { addMs, formatInstant, upstreamInstant } from '#lib/time/instant.ts';

export const STATUS_AT = upstreamInstant(Date.UTC(2026, 10, 21, 12, 4, 30));

const at = (secondsLater: number) => formatInstant(addMs(STATUS_AT, secondsLater * 1000));
const inOrder = { state: 'ok', reason: null, since: null, until: null, reception: null } as const;

export const STATUS_ANSWER: StatusAnswer = {
  as_of: at(0),
  has_allowance: true,
  minute: { remaining: 52, reserved: 0, size: 60, resets_at: '2026-11-21T12:05:00Z' },
  day: { remaining: 8214, reserved: 0, size: 10_000, resets_at: '2026-11-22T00:00:00Z' },
  spent_today: 1786,
  pace_per_minute: 11.7,
  paused_until: null,
  used_up_until: null,
  key_refused: false,
  layers: { rid: inOrder, adsb: inOrder },
  viewers: 3,
  areas: [
    {
      layer: 'adsb',
      bbox: [6, 46, 10.5, 48],
      viewers: 3,
      zones: 0,
      cost: 2,
      interval_ms: 5000,
      fetched_at: at(-3),
      records: 120,
      reason: 'not_due',
      until: at(2),
    },
  ],
  servers: null,
};
