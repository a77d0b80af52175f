import type { RefreshedArea } from '#lib/client/status/allowance-status.ts';
import { type Bbox, bboxCovers, bboxesOverlap } from '#lib/geo/bbox.ts';
import { groupedNumber } from '#lib/model/grouped-number.ts';
import { type BoxCounts, sumOfCounts } from '#lib/picture/draw-picture.ts';
import { HOUR_MS } from '#lib/time/time-units.ts';
import { originText } from '../layers/count-text.ts';

export function homeCountText({ aircraft, drone }: BoxCounts): string {
  return `Home: ${originText(aircraft, aircraft)} aircraft · ${originText(drone, drone)} drones`;
}

export function homeEmergencyText({ emergencies }: BoxCounts): string | undefined {
  const count = sumOfCounts(emergencies);
  if (count === 0) return undefined;
  return `${originText(emergencies, emergencies)} ${count === 1 ? 'emergency' : 'emergencies'}`;
}

export function isInView(home: Bbox, visible: Bbox | undefined): boolean {
  return visible !== undefined && bboxCovers(visible, home);
}

/** @param areas planned now; `undefined` before the first status */
export function homePriceText(home: Bbox, hasAllowance: boolean, areas: readonly RefreshedArea[] | undefined): string {
  if (!hasAllowance) return 'It costs nothing: the embedded service has no allowance.';
  const over = (areas ?? []).filter(({ bbox }) => bboxesOverlap(bbox, home));
  if (over.length === 0) return 'Its price is shown once it is read.';
  const anHour = over.reduce(
    (sum, { cost, intervalMs }) => sum + (intervalMs === undefined ? 0 : (cost * HOUR_MS) / intervalMs),
    0,
  );
  return `It takes about ${groupedNumber(Math.ceil(anHour))} requests an hour, less where others look at the same places.`;
}
