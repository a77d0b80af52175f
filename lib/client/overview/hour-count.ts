import { type Look, lookOf, type OverviewHour } from '#lib/api/overview.ts';
import type { Counted } from './coverage-rates.ts';

/** Those apart are never added. */
export function countedOf(
  hour: OverviewHour,
  counted: Counted,
): Pick<OverviewHour, 'references' | 'references_error' | 'positions'> {
  return counted === 'references' || counted === 'positions' ? hour : hour[counted];
}

export function hourCount(hour: OverviewHour, counted: Counted): number {
  const { references, positions } = countedOf(hour, counted);
  return counted === 'references' ? references : positions;
}

/** By positions: a sample of few references may have none. */
export function hourLook(hour: OverviewHour, counted: Counted): Look {
  return lookOf(countedOf(hour, counted).positions, hour.watched_s, hour.partly_s);
}
