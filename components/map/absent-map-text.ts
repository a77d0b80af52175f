import type { MapAbsence } from '#lib/client/page/page-map.ts';
import { type Bbox, latSpanDeg, lonSpanDeg } from '#lib/geo/bbox.ts';
import { decimalText } from '#lib/geo/coordinate-text.ts';
import { EARTH_RADIUS_M, type LonLat } from '#lib/geo/great-circle.ts';
import { DISTANCE_UNIT, distanceIn } from '#lib/model/measure-text.ts';
import type { UnitSystem } from '#lib/model/units.ts';

interface AbsenceText {
  readonly sentence: string;
  readonly remedy: string;
}

const ABSENCE_TEXT: Readonly<Record<Exclude<MapAbsence['kind'], 'pending'>, AbsenceText>> = {
  'no-webgl2': {
    sentence: 'This browser draws no WebGL2, which the map needs.',
    remedy: 'Switch on hardware acceleration in its settings, or use another browser or machine.',
  },
  failed: { sentence: 'The map failed. This is a defect in Lookout.', remedy: 'Reload the page to try again.' },
  lost: {
    sentence: 'The graphics of this machine failed, and the browser did not restore the map.',
    remedy: 'Reload the page to try again.',
  },
};

export function absenceText(absence: MapAbsence): AbsenceText {
  return absence.kind === 'pending' ? { sentence: absence.problem, remedy: '' } : ABSENCE_TEXT[absence.kind];
}

const METRES_PER_DEG = (EARTH_RADIUS_M * Math.PI) / 180;

/** Names the area that is requested without a map. */
export function absentAreaText(middle: LonLat, visible: Bbox, units: UnitSystem): string {
  const widthM = lonSpanDeg(visible) * METRES_PER_DEG * Math.cos((middle.lat * Math.PI) / 180);
  const heightM = latSpanDeg(visible) * METRES_PER_DEG;
  const size = [widthM, heightM].map((metres) => roundText(distanceIn(units, metres))).join(' × ');
  return `Everything else works. The table has what is received in an area of about ${size} ${DISTANCE_UNIT[units]} around ${decimalText(middle)}; Find, zoom and Home change it.`;
}

function roundText(distance: number): string {
  return distance >= 10 ? String(Math.round(distance)) : distance.toPrecision(2);
}
