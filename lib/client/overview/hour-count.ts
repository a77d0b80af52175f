import { APART, type OverviewHour } from '#lib/api/overview.ts';

export const HOUR_COUNTED = ['references', ...APART] as const;
/** References received; those apart are never added. */
export type HourCounted = (typeof HOUR_COUNTED)[number];

export function countedOf(
  hour: OverviewHour,
  counted: HourCounted,
): Pick<OverviewHour, 'references' | 'references_error' | 'positions'> {
  return counted === 'references' ? hour : hour[counted];
}

export function hourCount(hour: OverviewHour, counted: HourCounted): number {
  return countedOf(hour, counted).references;
}
