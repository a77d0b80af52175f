import type { MyPosition } from '#lib/client/page/my-position.ts';
import { type Bbox, bboxContains } from '#lib/geo/bbox.ts';
import { durationText } from '#lib/model/duration-text.ts';
import { LENGTH_UNIT, lengthIn, type UnitSystem } from '#lib/model/units.ts';
import { type LocalInstant, msBetween } from '#lib/time/instant.ts';

export function myPositionText(mine: MyPosition, now: LocalInstant, units: UnitSystem): string {
  switch (mine.kind) {
    case 'off':
      return '';
    case 'asking':
      return 'Waiting for the position of this device…';
    case 'denied':
      return 'This browser does not share the position of this device. Allow it in the settings of this page.';
    case 'unavailable':
      return 'This device does not know its position.';
    case 'insecure':
      return 'Browsers share the position over HTTPS only.';
    case 'known': {
      const accuracy = `±${Math.ceil(lengthIn(units, mine.accuracyM))} ${LENGTH_UNIT[units]}`;
      return `${accuracy} · ${durationText(msBetween(mine.at, now))} ago`;
    }
  }
}

/** `undefined` if the list has all received drones. */
export function nearLimitText(
  mine: { readonly lon: number; readonly lat: number },
  {
    layerOn,
    covered,
    isPast,
  }: { readonly layerOn: boolean; readonly covered: readonly Bbox[]; readonly isPast: boolean },
): string | undefined {
  if (!layerOn) return 'The drone layer is off.';
  if (!covered.some((box) => bboxContains(box, mine.lon, mine.lat))) {
    return isPast
      ? 'You are outside the replayed area: drones near you are not loaded.'
      : 'You are outside the requested area: no drones near you are shown.';
  }
  return undefined;
}
