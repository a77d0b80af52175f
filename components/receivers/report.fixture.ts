import type { HoursReport, StationHours } from '#lib/api/receivers/receiver-hours.ts';

/** An hour that is `undefined` was not recorded. */
export type HourFacts =
  | Readonly<{ recordedS?: number; downS?: number; silentS?: number; positions?: number; alone?: number }>
  | undefined;

/** The last hour is half over. */
export function reportOf(stations: Readonly<Record<string, readonly HourFacts[]>>): HoursReport {
  const hours = Object.values(stations)[0]?.length ?? 24;
  const lastMs = Date.UTC(2026, 10, 27, 12);
  return {
    at: new Date(lastMs + 1_800_000).toISOString(),
    first_hour_at: new Date(lastMs - (hours - 1) * 3_600_000).toISOString(),
    hours,
    problem: null,
    stations: Object.entries(stations).map(([id, facts]) => columnsOf(id, facts)),
  };
}

function columnsOf(id: string, facts: readonly HourFacts[]): StationHours {
  const column = (value: (hour: NonNullable<HourFacts>) => number | undefined) =>
    facts.map((hour) => (hour ? (value(hour) ?? 0) : null));
  return {
    id,
    recorded_s: column(({ recordedS = 3600 }) => recordedS),
    not_connected_s: column(({ downS }) => downS),
    silent_s: column(({ silentS }) => silentS),
    positions: column(({ positions }) => positions),
    alone: column(({ alone }) => alone),
    clock_error_ms: facts.map((hour) => (hour?.positions ? 300 : null)),
    clock_spread_ms: facts.map((hour) => (hour?.positions ? 40 : null)),
    simulated: facts.map((hour) => (hour ? false : null)),
  };
}
