import type { AnchorStatus, Leg, MeasuringReading, PlacedAnchor } from '#lib/client/measuring/measuring-reading.ts';
import { bearingText, distanceText } from '#lib/model/distance-text.ts';
import { shortReference } from '#lib/model/short-reference.ts';
import type { UnitSystem } from '#lib/model/units.ts';

const STATUS: Readonly<Record<AnchorStatus, string | undefined>> = {
  place: undefined,
  current: undefined,
  expired: 'expired',
  ended: 'no longer received',
  unseen: 'not shown at this time',
};

/** `2`, or `2 SIM 7F3A1 (expired)`: point number and track. */
export function pointText(anchor: PlacedAnchor, index: number): string {
  return anchor.ref === undefined ? String(index + 1) : `${index + 1} ${anchorText(anchor)}`;
}

export function anchorText({ ref, status, at, simulated, testBroadcast }: PlacedAnchor): string {
  if (ref === undefined) return at ? `${at.lat.toFixed(4)}, ${at.lon.toFixed(4)}` : '';
  const tags = `${simulated ? 'SIM ' : ''}${testBroadcast ? 'TEST ' : ''}`;
  const said = STATUS[status];
  return `${tags}${shortReference(ref)}${said === undefined ? '' : ` (${said})`}`;
}

export function legText(units: UnitSystem, { distanceM, bearingDeg }: Leg): string {
  if (distanceM === undefined) return 'not known';
  return `${distanceText(units, distanceM)}${bearingDeg === undefined ? '' : ` · ${bearingText(bearingDeg)} true`}`;
}

export function totalText(units: UnitSystem, { totalM }: MeasuringReading): string {
  return totalM === undefined ? 'not known' : distanceText(units, totalM);
}

export function spokenReading(units: UnitSystem, reading: MeasuringReading): string {
  const { points, legs } = reading;
  if (points.length === 0) return '';
  const first = points[0];
  if (legs.length === 0 && first) return `Point ${pointText(first, 0)}.`;
  const said = legs.map((leg, index) => {
    const [from, to] = [points[index], points[index + 1]];
    return from && to ? `${pointText(from, index)} to ${pointText(to, index + 1)}: ${legText(units, leg)}` : '';
  });
  return `${said.join('; ')}.${legs.length > 1 ? ` Total ${totalText(units, reading)}.` : ''}`;
}
