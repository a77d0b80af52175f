import type { FilterSummary } from '#lib/client/display/display-summary.ts';
import {
  type Criterion,
  type TrackFilter,
  UNKNOWABLE,
  type Unknowable,
  type ValueRange,
} from '#lib/filter/track-filter.ts';
import { confidenceText } from '#lib/model/confidence.ts';
import { distanceText, groupedNumber } from '#lib/model/measure-text.ts';
import { LENGTH_UNIT, lengthIn, SPEED_UNIT, speedIn, type UnitSystem } from '#lib/model/units.ts';

export function criterionText(filter: TrackFilter, criterion: Criterion, units: UnitSystem): string | undefined {
  const length = (metres: number) => oneDecimal(lengthIn(units, metres));
  const speed = (mps: number) => oneDecimal(speedIn(units, mps));
  switch (criterion) {
    case 'kind':
      return filter.kind && (filter.kind === 'drone' ? 'Drones only' : 'Aircraft only');
    case 'altitudeM':
      return rangeText('Altitude', filter.altitudeM, length, ` ${LENGTH_UNIT[units]}`);
    case 'heightAglM':
      return rangeText('Height above ground', filter.heightAglM, length, ` ${LENGTH_UNIT[units]}`);
    case 'speedMps':
      return rangeText('Speed', filter.speedMps, speed, ` ${SPEED_UNIT[units]}`);
    case 'receiverCount':
      return rangeText('Receivers', filter.receiverCount, oneDecimal, '');
    case 'ageS':
      return rangeText('Age', filter.ageS, oneDecimal, ' s');
    case 'confidence':
      return filter.confidence && `Confidence ${filter.confidence.map(confidenceText).join(' or ')}`;
    case 'simulated':
      return filter.simulated && (filter.simulated === 'hide' ? 'Simulated hidden' : 'Simulated only');
    case 'testBroadcast':
      return filter.testBroadcast && (filter.testBroadcast === 'hide' ? 'Tests hidden' : 'Tests only');
    case 'emergency':
      return filter.emergency && (filter.emergency === 'only' ? 'Emergencies only' : 'Emergencies always');
    case 'inside':
      return filter.inside && insideText(filter.inside, units);
  }
}

const UNKNOWN_NAME: Readonly<Record<Unknowable, string>> = {
  altitudeM: 'altitude',
  heightAglM: 'height above ground',
  speedMps: 'speed',
  receiverCount: 'number of receivers',
  confidence: 'confidence',
};

export function unknownTexts({ filter, unknown }: Pick<FilterSummary, 'filter' | 'unknown'>): readonly string[] {
  const verb = (count: number) => `${count === 1 ? 'is' : 'are'} ${filter.unknown === 'show' ? 'shown' : 'hidden'}`;
  return UNKNOWABLE.filter((name) => unknown[name] > 0).map(
    (name) => `${groupedNumber(unknown[name])} with unknown ${UNKNOWN_NAME[name]} ${verb(unknown[name])}`,
  );
}

export function shownCountText(shown: number, received: number): string {
  if (shown !== received) return `${groupedNumber(shown)} of ${groupedNumber(received)} shown`;
  return received === 1 ? '1 track' : `${groupedNumber(received)} tracks`;
}

export function hiddenEmergenciesText(count: number): string {
  return count === 1 ? '1 emergency hidden' : `${count} emergencies hidden`;
}

function insideText(inside: Exclude<TrackFilter['inside'], undefined>, units: UnitSystem): string {
  if (inside === 'view') return 'In view';
  if (!('kind' in inside)) return 'In an area';
  switch (inside.kind) {
    case 'circle':
      return `In a circle of radius ${distanceText(units, inside.radiusM)}`;
    case 'polygon':
      return `In a polygon of ${inside.corners.length} corners`;
    case 'corridor':
      return `In a corridor, ${distanceText(units, inside.halfWidthM)} to each side`;
  }
}

/** A half-open range: [from, to). */
function rangeText(
  name: string,
  range: ValueRange | undefined,
  textOf: (value: number) => string,
  unit: string,
): string | undefined {
  if (!range) return undefined;
  const { from, to } = range;
  if (from === undefined) return `${name} below ${textOf(to as number)}${unit}`;
  return to === undefined ? `${name} from ${textOf(from)}${unit}` : `${name} ${textOf(from)}–${textOf(to)}${unit}`;
}

function oneDecimal(value: number): string {
  return String(Number(value.toFixed(1)) + 0);
}
