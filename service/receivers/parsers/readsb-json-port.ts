import type { Parsed, Parser } from '../fix.ts';
import type { AircraftJsonSettings } from './aircraft-json.ts';
import { clockMs, type RowSettings, readAircraftRow } from './aircraft-row.ts';
import { parseJsonObject } from './json-value.ts';

/**
 * readsb's `--net-json-port`: one aircraft a line, written when a position arrives, with its own time. Nothing is lost
 * between polls, so it is the better input of the two.
 */
export function makeReadsbJsonPort({ feed, keyOf, policy = {} }: AircraftJsonSettings): Parser {
  const settings: RowSettings = { feed, keyOf, policy, altGeomIsPressure: false };
  return {
    parse(message): Parsed {
      const row = parseJsonObject(message);
      const feedClockMs = clockMs(row?.now);
      if (feedClockMs === undefined) return { fixes: [], refused: ['unreadable'], feedClockMs };
      const fix = readAircraftRow(row, feedClockMs, settings);
      return typeof fix === 'string'
        ? { fixes: [], refused: [fix], feedClockMs }
        : { fixes: [fix], refused: [], feedClockMs };
    },
  };
}
