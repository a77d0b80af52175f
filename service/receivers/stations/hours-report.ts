import { HOUR_MS } from '#lib/time/time-units.ts';
import type { RecordProblem } from '../../past/files/day-files.ts';
import { inSeconds } from './station-record.ts';
import { dayStartMs, type StationDay, type StationHour } from './station-tally.ts';

/** Columns have an entry for each hour; null if it was not recorded. */
export interface StationHoursReport {
  readonly at: string;
  readonly first_hour_at: string;
  readonly hours: number;
  readonly problem: RecordProblem | null;
  readonly stations: readonly StationColumns[];
}

type Column<Value = number> = readonly (Value | null)[];

interface StationColumns {
  readonly id: string;
  readonly recorded_s: Column;
  readonly not_connected_s: Column;
  readonly silent_s: Column;
  readonly positions: Column;
  readonly alone: Column;
  readonly clock_error_ms: Column;
  readonly clock_spread_ms: Column;
  readonly simulated: Column<boolean>;
}

export const REPORTED_HOURS_MAX = 720;

/**
 * The hours of all stations that were recorded in them, by name.
 * @param hours up to and including the present one
 */
export function hoursReport(
  days: ReadonlyMap<number, StationDay>,
  problem: RecordProblem | undefined,
  nowMs: number,
  hours: number,
): StationHoursReport {
  const firstMs = Math.floor(nowMs / HOUR_MS) * HOUR_MS - (hours - 1) * HOUR_MS;
  const starts = Array.from({ length: hours }, (_, index) => firstMs + index * HOUR_MS);
  const ids = new Set(starts.flatMap((startMs) => [...(days.get(dayStartMs(startMs))?.keys() ?? [])]));
  const stations = [...ids].sort().map((id) => ({
    id,
    recorded: starts.map((startMs) => {
      const dayMs = dayStartMs(startMs);
      return days.get(dayMs)?.get(id)?.[(startMs - dayMs) / HOUR_MS];
    }),
  }));
  return {
    at: new Date(nowMs).toISOString(),
    first_hour_at: new Date(firstMs).toISOString(),
    hours,
    problem: problem ?? null,
    stations: stations
      .filter(({ recorded }) => recorded.some(Boolean))
      .map(({ id, recorded }) => columnsOf(id, recorded)),
  };
}

function columnsOf(id: string, recorded: readonly (StationHour | undefined)[]): StationColumns {
  const column = <Value>(value: (hour: StationHour) => Value | null) =>
    recorded.map((hour) => (hour === undefined ? null : value(hour)));
  return {
    id,
    recorded_s: column(({ recordedMs }) => inSeconds(recordedMs)),
    not_connected_s: column(({ notConnectedMs }) => inSeconds(notConnectedMs)),
    silent_s: column(({ silentMs }) => inSeconds(silentMs)),
    positions: column(({ fixes }) => fixes),
    alone: column(({ alone }) => alone),
    clock_error_ms: column(({ clockErrorMs }) => clockErrorMs),
    clock_spread_ms: column(({ clockSpreadMs }) => clockSpreadMs),
    simulated: column(({ simulated }) => simulated),
  };
}
