import { epochMs, type UpstreamInstant } from '#lib/time/instant.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';
import { jsonObject } from '../../json/mend-object.ts';
import { readRows } from '../../json/read-rows.ts';
import type { Fix, Parsed, Parser, ParserSettings, RefusalCause, TrackKey } from '../fix.ts';
import { clockMs, type RowSettings, readAircraftRow } from './aircraft-row.ts';
import type { AircraftPolicy } from './aircraft-value.ts';
import { messageText, ParsedMessage } from './parsed-message.ts';

export interface AircraftJsonSettings extends ParserSettings {
  readonly policy?: AircraftPolicy;
}

/** `seen_pos` is rounded, in dump1090 to 0.1 s. An aircraft sends two positions a second. */
const ROUNDING_MS = 200;
/** A greater step is no network delay: the clock was set. */
const CLOCK_STEP_MS = 5 * SECOND_MS;
/** An ageless position is at most as old as the previous answer. */
const AGELESS_GAP_MAX_MS = 5 * SECOND_MS;

/** The limit exceeds the number of aircraft above a continent. */
const ROWS_MAX = 15_000;

interface Seen {
  /** `undefined` if the row has no age. */
  readonly atMs: number | undefined;
  readonly lon: number;
  readonly lat: number;
}

interface Poll {
  readonly clockMs: number | undefined;
  readonly receivedMs: number;
}

const UNREADABLE: Parsed = { fixes: [], refused: ['unreadable'], feedClockMs: undefined };

/**
 * aircraft.json of readsb, dump1090, tar1090 and skyaware978, readsb's /re-api/, data.json of the first dump1090.
 * Answers repeat positions: one counts only if its time advanced or, without a time, if it moved.
 */
export function makeAircraftJson({ feed, keyOf, policy = {} }: AircraftJsonSettings): Parser {
  let seenByTrack: ReadonlyMap<TrackKey, Seen> = new Map();
  let last: Poll | undefined;
  let isUat = false;

  function clockStepMs({ clockMs: nowMs, receivedMs }: Poll): number {
    if (last?.clockMs === undefined || nowMs === undefined) return 0;
    const stepMs = nowMs - last.clockMs - (receivedMs - last.receivedMs);
    return Math.abs(stepMs) > CLOCK_STEP_MS ? stepMs : 0;
  }

  /** @returns `undefined` for a repeated fix */
  function newFix(fix: Fix, poll: Poll, stepMs: number): Fix | RefusalCause | undefined {
    const before = seenByTrack.get(fix.trackKey);
    const isElsewhere = before !== undefined && (fix.lon !== before.lon || fix.lat !== before.lat);
    if (fix.feedTimeMs !== undefined) {
      if (before?.atMs === undefined) return fix;
      const atMs = fix.feedTimeMs - stepMs;
      return atMs > before.atMs + (isElsewhere ? 0 : ROUNDING_MS) ? fix : undefined;
    }
    if (before !== undefined && !isElsewhere) return undefined;
    const wasJustPolled = last !== undefined && poll.receivedMs - last.receivedMs <= AGELESS_GAP_MAX_MS;
    return isElsewhere && wasJustPolled ? { ...fix, feedTimeMs: poll.clockMs } : 'no_age';
  }

  return {
    parse(message, receivedAt: UpstreamInstant): Parsed {
      const answer = readRows(messageText(message), ['aircraft', 'ac'], ROWS_MAX);
      if (answer === undefined) return UNREADABLE;
      const nowMs = clockMs(answer.top.now);
      // It is the last file again, whose clock says nothing about now.
      if (nowMs !== undefined && nowMs === last?.clockMs) return { fixes: [], refused: [], feedClockMs: undefined };

      const result = new ParsedMessage(answer.unusable);
      if (nowMs === undefined && !answer.isList && !answer.unusable.includes('now')) result.notes.unusable('now');
      const poll: Poll = { clockMs: nowMs, receivedMs: epochMs(receivedAt) };
      const stepMs = clockStepMs(poll);
      const rows = answer.rows.slice(0, ROWS_MAX);
      isUat ||= rows.some((row) => jsonObject(row)?.uat_version !== undefined);
      const settings: RowSettings = { feed, keyOf, policy, altGeomIsPressure: isUat };
      for (let row = rows.length; row < answer.rows.length; row += 1) result.add('flood');
      // A damaged answer may lack rows, which the next one repeats.
      const seenNow = new Map<TrackKey, Seen>(answer.isDamaged && seenByTrack.size <= ROWS_MAX ? seenByTrack : []);
      for (const row of rows) {
        const read = readAircraftRow(row, nowMs, settings, result.notes);
        const fix = typeof read === 'string' ? read : newFix(read, poll, stepMs);
        if (fix !== undefined) result.add(fix);
        if (typeof read === 'string') continue;
        const before = seenByTrack.get(read.trackKey);
        seenNow.set(read.trackKey, fix === undefined && before ? moved(before, stepMs) : seenOf(read));
      }
      seenByTrack = seenNow;
      last = poll;
      return result.parsed(nowMs);
    },
  };
}

function seenOf({ feedTimeMs, lon, lat }: Fix): Seen {
  return { atMs: feedTimeMs, lon, lat };
}

function moved(seen: Seen, stepMs: number): Seen {
  return seen.atMs === undefined ? seen : { ...seen, atMs: seen.atMs + stepMs };
}
