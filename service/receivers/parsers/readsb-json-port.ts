import { readObjects } from '../../json/read-rows.ts';
import type { Parsed, Parser } from '../fix.ts';
import type { AircraftJsonSettings } from './aircraft-json.ts';
import { clockMs, type RowSettings, readAircraftRow } from './aircraft-row.ts';
import { messageText, ParsedMessage } from './parsed-message.ts';

const LINES_MAX = 8;
/** A line may have several records: some programs join lines. */
const RECORDS_MAX = 100;

/**
 * readsb's `--net-json-port`: one record per position, with its time, so polling loses none. With an aircraft
 * database, readsb breaks the line before `ownOp` and `year`.
 */
export function makeReadsbJsonPort({ feed, keyOf, policy = {} }: AircraftJsonSettings): Parser {
  const settings: RowSettings = { feed, keyOf, policy, altGeomIsPressure: false };
  let begun: readonly string[] = [];

  function recordsUntil(line: string): ReturnType<typeof readObjects> {
    const begins = line.trimStart().startsWith('{');
    const lost = begins && begun.length > 0 ? [undefined] : [];
    const lines = begins ? [line] : [...begun, line];
    const { objects, unusable } = readObjects(lines.join('\n'), RECORDS_MAX);
    const continues =
      (begins || begun.length > 0) &&
      !line.trimEnd().endsWith('}') &&
      lines.length < LINES_MAX &&
      objects.every((object) => object === undefined);
    begun = continues ? lines : [];
    return { objects: continues ? lost : [...lost, ...objects], unusable };
  }

  return {
    parse(message): Parsed {
      const { objects, unusable } = recordsUntil(messageText(message));
      const result = new ParsedMessage(unusable);
      let feedClockMs: number | undefined;
      for (const row of objects) {
        const nowMs = clockMs(row?.now);
        const fix = nowMs === undefined ? 'unreadable' : readAircraftRow(row, nowMs, settings, result.notes);
        result.add(typeof fix === 'object' && fix.feedTimeMs === undefined ? 'no_age' : fix);
        feedClockMs = nowMs ?? feedClockMs;
      }
      return result.parsed(feedClockMs);
    },
  };
}
