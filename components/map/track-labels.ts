import type { Preferences } from '#lib/client/page/preferences.ts';
import { type Bbox, bboxContains } from '#lib/geo/bbox.ts';
import { emergencyClass } from '#lib/model/emergency.ts';
import type { Position } from '#lib/model/position.ts';
import { FLAG_TEST } from '#lib/model/record-fields.ts';
import { shortReference } from '#lib/model/short-reference.ts';
import { LENGTH_UNIT, lengthIn, SPEED_UNIT, speedIn, type UnitSystem } from '#lib/model/units.ts';
import { MARK_EMERGENCY, MARK_SELECTED } from '#lib/picture/mark-style.ts';
import type { Picture } from '#lib/picture/picture.ts';
import type { PicturedTracks } from '#lib/picture/pictured-tracks.ts';

/** More labels than this do not fit on a screen; the map declutters the rest. */
const MAX_LABELS = 250;

export interface LabelProperties {
  readonly text: string;
  /** Lower ranks are placed first and win over higher ones. */
  readonly rank: number;
  readonly emergency: boolean;
}

/** Labels of the marks in view: emergencies, then the selected one, then tests, then the rest in the picture's order. */
export function trackLabels(
  picture: Picture,
  tracks: PicturedTracks,
  visible: Bbox,
  level: Preferences['labels'],
  units: UnitSystem,
): GeoJSON.FeatureCollection<GeoJSON.Point, LabelProperties> {
  const { columns } = tracks;
  const chosen: { index: number; rank: number }[] = [];
  for (let index = 0; index < picture.count; index++) {
    const style = picture.style[index] as number;
    const rank = rankOf(style);
    if (rank === 3 && (level === 'off' || chosen.length >= MAX_LABELS)) continue;
    const slot = picture.slot[index] as number;
    if (bboxContains(visible, columns.lon[slot] as number, columns.lat[slot] as number)) chosen.push({ index, rank });
  }
  chosen.sort((a, b) => a.rank - b.rank || a.index - b.index);
  return {
    type: 'FeatureCollection',
    features: chosen.slice(0, MAX_LABELS).map(({ index, rank }) => {
      const position = tracks.positionAt(picture.slot[index] as number);
      return {
        type: 'Feature',
        geometry: { type: 'Point', coordinates: [position.lon, position.lat] },
        properties: {
          text: labelText(position, level, units),
          rank,
          emergency: emergencyClass(position.emergencyState) === 'emergency',
        },
      };
    }),
  };
}

function rankOf(style: number): number {
  if (style & MARK_EMERGENCY) return 0;
  if (style & MARK_SELECTED) return 1;
  return style & FLAG_TEST ? 2 : 3;
}

export function labelText(position: Position, level: Preferences['labels'], units: UnitSystem): string {
  const tags = [
    emergencyClass(position.emergencyState) === 'emergency' ? position.emergencyState?.toUpperCase() : undefined,
    position.testBroadcast ? 'TEST' : undefined,
    position.simulated ? 'SIM' : undefined,
  ].filter((tag) => tag !== undefined);
  if (level === 'off') return tags.join(' ');
  const name = [...tags, shortReference(position.ref)].join(' ');
  return level === 'full' ? `${name}\n${heightText(position, units)} · ${speedText(position, units)}` : name;
}

function heightText(position: Position, units: UnitSystem): string {
  const isDrone = position.kind === 'drone';
  const metres = isDrone ? position.heightAglM : position.altitudeM;
  if (metres === undefined) return isDrone ? 'height not reported' : 'altitude not reported';
  return `${Math.round(lengthIn(units, metres))} ${LENGTH_UNIT[units]}${isDrone ? ' agl' : ''}`;
}

function speedText(position: Position, units: UnitSystem): string {
  if (position.speedMps === undefined) return 'speed not reported';
  return `${Math.round(speedIn(units, position.speedMps))} ${SPEED_UNIT[units]}`;
}
