import { epochMs, type UpstreamInstant, upstreamInstant } from '#lib/time/instant.ts';
import { DAY_MS } from '#lib/time/time-units.ts';

/** `lookout.past_day_20261123`: where the segments of a UTC day are. */
export function dayTable(at: UpstreamInstant): string {
  return `lookout.past_day_${new Date(epochMs(at)).toISOString().slice(0, 10).replaceAll('-', '')}`;
}

/** The day of a table, by its name without the schema; undefined if it is not the table of one. */
export function dayOfTable(name: string): UpstreamInstant | undefined {
  const [, year, month, day] = /^past_day_(\d{4})(\d{2})(\d{2})$/.exec(name) ?? [];
  return year === undefined ? undefined : upstreamInstant(Date.UTC(Number(year), Number(month) - 1, Number(day)));
}

export function dayStart(at: UpstreamInstant): UpstreamInstant {
  return upstreamInstant(Math.floor(epochMs(at) / DAY_MS) * DAY_MS);
}
