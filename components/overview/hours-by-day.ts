import type { OverviewHour } from '#lib/api/overview.ts';
import { type ClockZone, clockText, dateText } from '#lib/model/clock-text.ts';
import { parseInstant } from '#lib/time/instant.ts';

export interface OverviewDay {
  /** `2026-11-27` */
  readonly day: string;
  /**
   * By hour of the clock, 24 entries. An hour that the change to winter time repeats has two, one that the change to
   * summer time skips none; so have hours outside the window.
   */
  readonly hours: readonly (readonly OverviewHour[])[];
}

/** The latest day first. */
export function hoursByDay(hours: readonly OverviewHour[], zone: ClockZone): readonly OverviewDay[] {
  const days = new Map<string, OverviewHour[][]>();
  for (const hour of hours) {
    const at = parseInstant(hour.start);
    if (at === undefined) continue;
    const day = dateText(at, zone);
    const row = days.get(day) ?? Array.from({ length: 24 }, (): OverviewHour[] => []);
    days.set(day, row);
    row[Number(clockText(at, zone).slice(0, 2))]?.push(hour);
  }
  return [...days].map(([day, row]) => ({ day, hours: row })).reverse();
}
