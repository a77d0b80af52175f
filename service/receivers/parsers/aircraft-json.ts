import { epochMs, type UpstreamInstant } from '#lib/time/instant.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';
import type { Fix, Parsed, Parser, ParserSettings, RefusalCause } from '../fix.ts';
import { clockMs, type RowSettings, readAircraftRow } from './aircraft-row.ts';
import type { AircraftPolicy } from './aircraft-value.ts';
import { jsonObject, parseJsonObject } from './json-value.ts';

export interface AircraftJsonSettings extends ParserSettings {
  readonly policy?: AircraftPolicy;
}

/**
 * `seen_pos` is rounded, to a tenth of a second in dump1090, so the same position is found at times that differ by up
 * to that. An aircraft sends two positions a second.
 */
const ROUNDING_MS = 200;
/** A greater difference is no delay of an answer. */
const CLOCK_STEP_MS = 5 * SECOND_MS;

/** More than fly over a continent at a time. Rows beyond it are not read: a feed that sends more harms only itself. */
const ROWS_MAX = 15_000;

interface Seen {
  readonly atMs: number;
  readonly lon: number;
  readonly lat: number;
}

/**
 * The whole answer of a poll: aircraft.json of readsb, dump1090-fa, tar1090 and skyaware978, and what readsb answers at
 * /re-api/. It repeats a position until a newer one comes, so an aircraft counts only if the time of its position moved
 * on since the last poll.
 */
export function makeAircraftJson({ feed, keyOf, policy = {} }: AircraftJsonSettings): Parser {
  let seenByTrack = new Map<string, Seen>();
  let last: { readonly clockMs: number; readonly receivedMs: number } | undefined;
  let isUat = false;

  /** How far the receiver's clock was set since the last poll. What is remembered is moved by as much. */
  function clockStepMs(nowMs: number, receivedMs: number): number {
    if (last === undefined) return 0;
    const stepMs = nowMs - last.clockMs - (receivedMs - last.receivedMs);
    return Math.abs(stepMs) > CLOCK_STEP_MS ? stepMs : 0;
  }

  return {
    parse(message, receivedAt: UpstreamInstant): Parsed {
      const answer = parseJsonObject(message);
      const nowMs = clockMs(answer?.now);
      const list = answer?.aircraft ?? answer?.ac;
      if (nowMs === undefined || !Array.isArray(list)) {
        return { fixes: [], refused: ['unreadable'], feedClockMs: undefined };
      }
      // The file is the one of the last poll: its clock says nothing about now.
      if (nowMs === last?.clockMs) return { fixes: [], refused: [], feedClockMs: undefined };

      const stepMs = clockStepMs(nowMs, epochMs(receivedAt));
      last = { clockMs: nowMs, receivedMs: epochMs(receivedAt) };
      const rows: readonly unknown[] = list.slice(0, ROWS_MAX);
      isUat ||= rows.some((row) => jsonObject(row)?.uat_version !== undefined);
      const settings: RowSettings = { feed, keyOf, policy, altGeomIsPressure: isUat };
      const fixes: Fix[] = [];
      const refused: RefusalCause[] = Array.from({ length: list.length - rows.length }, () => 'flood');
      const seenNow = new Map<string, Seen>();
      for (const row of rows) {
        const fix = readAircraftRow(row, nowMs, settings);
        if (typeof fix === 'string') {
          refused.push(fix);
          continue;
        }
        const before = seenByTrack.get(fix.trackKey);
        const atMs = fix.feedTimeMs as number;
        if (before === undefined || movedOn(before, fix, atMs - stepMs)) {
          fixes.push(fix);
          seenNow.set(fix.trackKey, { atMs, lon: fix.lon, lat: fix.lat });
        } else {
          seenNow.set(fix.trackKey, { ...before, atMs: before.atMs + stepMs });
        }
      }
      seenByTrack = seenNow;
      return { fixes, refused, feedClockMs: nowMs };
    },
  };
}

function movedOn(before: Seen, fix: Fix, atMs: number): boolean {
  const elsewhere = fix.lon !== before.lon || fix.lat !== before.lat;
  return atMs > before.atMs + (elsewhere ? 0 : ROUNDING_MS);
}
