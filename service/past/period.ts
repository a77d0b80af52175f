import type { Layer } from '#lib/contract/operation.ts';
import { epochMs, type UpstreamInstant, upstreamInstant } from '#lib/time/instant.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';

export const PERIOD_MS = 5 * MINUTE_MS;

/** Periods begin at whole multiples of their length since 1970. */
export function periodStart(at: UpstreamInstant): UpstreamInstant {
  return upstreamInstant(Math.floor(epochMs(at) / PERIOD_MS) * PERIOD_MS);
}

/** A name for files that sorts by time: `20261123T032000Z`. */
export function periodName(start: UpstreamInstant): string {
  return new Date(epochMs(start)).toISOString().replace(/[-:]|\.\d+/g, '');
}

/** The start in such a name; undefined for another name. */
export function periodNamed(name: string): UpstreamInstant | undefined {
  const parts = /^(\d{4})(\d{2})(\d{2})T(\d{2})(\d{2})(\d{2})Z$/.exec(name)?.slice(1).map(Number);
  if (parts === undefined) return undefined;
  const [year, month, day, hour, minute, second] = parts as [number, number, number, number, number, number];
  const start = upstreamInstant(Date.UTC(year, month - 1, day, hour, minute, second));
  return periodName(start) === name && periodStart(start) === start ? start : undefined;
}

export interface LayerPeriod {
  readonly layer: Layer;
  readonly start: UpstreamInstant;
}

export function periodKey({ layer, start }: LayerPeriod): string {
  return `${layer} ${epochMs(start)}`;
}
