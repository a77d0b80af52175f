import { distanceM, type LonLat } from '#lib/geo/great-circle.ts';
import { type ClockZone, clockText, dateText } from '#lib/model/clock-text.ts';
import { bearingText, DISTANCE_UNIT, distanceIn } from '#lib/model/distance-text.ts';
import { headingText, wholeText } from '#lib/model/measure-text.ts';
import type { Position } from '#lib/model/position.ts';
import { LENGTH_UNIT, lengthIn, SPEED_UNIT, speedIn, type UnitSystem } from '#lib/model/units.ts';
import { bearingFrom } from '#lib/picture/column-values.ts';
import type { ArrangedColumn, TableColumn } from '#lib/picture/table-columns.ts';
import type { UpstreamInstant } from '#lib/time/instant.ts';

/** What the texts of cells depend on besides the track. */
export interface CellSetting {
  readonly units: UnitSystem;
  readonly zone: ClockZone;
  /** The point of reference of distances and bearings. */
  readonly from: LonLat;
}

export interface ShownColumn {
  readonly name: TableColumn;
  readonly short: string;
  /** Full name, for tooltips and screen readers. */
  readonly long: string;
  readonly align: 'left' | 'right';
  /** The least width; of the reference, what the others leave. */
  readonly widthPx: number;
}

/** A cell's text; `undefined` is "not reported". Kind, reference and age have cells of their own. */
type CellText = (position: Position, setting: CellSetting) => string | undefined;

const yesOrNo = (is: boolean) => (is ? 'yes' : 'no');
const oneDecimal = (value: number) => String(Number(value.toFixed(1)) + 0);

const CELL_TEXT: Readonly<Record<Exclude<TableColumn, 'kind' | 'ref' | 'age'>, CellText>> = {
  altitudeM: ({ altitudeM }, { units }) =>
    altitudeM === undefined ? undefined : wholeText(lengthIn(units, altitudeM)),
  heightAglM: ({ heightAglM }, { units }) =>
    heightAglM === undefined ? undefined : wholeText(lengthIn(units, heightAglM)),
  speedMps: ({ speedMps }, { units }) => (speedMps === undefined ? undefined : wholeText(speedIn(units, speedMps))),
  headingDeg: ({ headingDeg }) => headingText(headingDeg),
  distance: (position, { units, from }) => distanceCell(distanceIn(units, distanceM(from, position))),
  bearing(position, { from }) {
    const deg = bearingFrom(from, position);
    return Number.isNaN(deg) ? 'here' : bearingText(deg);
  },
  emergencyState: ({ emergencyState }) => emergencyState,
  confidence: ({ confidence }) => confidence,
  confidenceScore: ({ confidenceScore }) => (confidenceScore === undefined ? undefined : String(confidenceScore)),
  receiverCount: ({ receiverCount }) => (receiverCount === undefined ? undefined : oneDecimal(receiverCount)),
  simulated: ({ simulated }) => yesOrNo(simulated),
  testBroadcast: ({ testBroadcast }) => yesOrNo(testBroadcast),
  observedAt: ({ observedAt }, { zone }) => timeText(observedAt, zone),
  staleAfter: ({ staleAfter }, { zone }) => staleAfter && timeText(staleAfter, zone),
  lat: ({ lat }) => lat.toFixed(5),
  lon: ({ lon }) => lon.toFixed(5),
};

/** Of one unit in the whole column, so that its values can be compared at a glance. */
function distanceCell(distance: number): string {
  return distance.toFixed(distance < 99.995 ? 2 : 1);
}

/** `2026-11-21 11:04:18Z`: always with date and zone. */
function timeText(at: UpstreamInstant, zone: ClockZone): string {
  return `${dateText(at, zone)} ${clockText(at, zone)}`;
}

export function cellText(
  column: Exclude<TableColumn, 'kind' | 'ref' | 'age'>,
  position: Position,
  setting: CellSetting,
): string | undefined {
  return CELL_TEXT[column](position, setting);
}

type Described = readonly [short: string, long: string, widthPx: number, align?: 'left'];

/** @param point the name of the point of reference: `the middle of the map` */
function described(name: TableColumn, units: UnitSystem, zone: ClockZone, point: string): Described {
  const length = LENGTH_UNIT[units];
  const speed = SPEED_UNIT[units];
  const distance = DISTANCE_UNIT[units];
  const timePx = zone === 'utc' ? 140 : 184;
  switch (name) {
    case 'kind':
      return ['', 'Kind', 38, 'left'];
    case 'ref':
      return ['Reference', 'Track reference', 76, 'left'];
    case 'altitudeM':
      return [`Alt ${length}`, `Altitude in ${length}, reference not stated`, 48];
    case 'heightAglM':
      return [`AGL ${length}`, `Height above ground in ${length}, estimated`, 48];
    case 'speedMps':
      return [speed, `Ground speed in ${speed}`, 38];
    case 'headingDeg':
      return ['Hdg', 'Heading in degrees from north', 40];
    case 'age':
      return ['Age', 'Age of the position', 52];
    case 'distance':
      return [`Dist ${distance}`, `Distance in ${distance} from ${point}`, 66];
    case 'bearing':
      return ['Brg', `Bearing from ${point}, degrees from true north`, 48];
    case 'emergencyState':
      return ['Emergency', 'Emergency state', 88, 'left'];
    case 'confidence':
      return ['Confidence', 'Confidence label', 92, 'left'];
    case 'confidenceScore':
      return ['Score', 'Confidence score, not a probability', 58];
    case 'receiverCount':
      return ['Rx', 'Receivers that contributed', 36];
    case 'simulated':
      return ['Sim', 'Simulated', 42, 'left'];
    case 'testBroadcast':
      return ['Test', 'Test broadcast', 44, 'left'];
    case 'observedAt':
      return ['Observed', 'Observed at', timePx, 'left'];
    case 'staleAfter':
      return ['Expires', 'Expires at, as the service says', timePx, 'left'];
    case 'lat':
      return ['Latitude', 'Latitude in degrees, WGS84', 74];
    case 'lon':
      return ['Longitude', 'Longitude in degrees, WGS84', 80];
  }
}

function columnOf(name: TableColumn, units: UnitSystem, zone: ClockZone, point: string): ShownColumn {
  const [short, long, widthPx, align = 'right'] = described(name, units, zone, point);
  return { name, short, long, align, widthPx };
}

/** The table's columns in their order, with units in the headers. */
export function shownColumns(
  columns: readonly ArrangedColumn[],
  units: UnitSystem,
  zone: ClockZone,
  point: string,
): readonly ShownColumn[] {
  return columns.filter(({ isShown }) => isShown).map(({ name }) => columnOf(name, units, zone, point));
}

/** A column's name where it stands by itself. */
export function columnTitle(name: TableColumn, units: UnitSystem, point: string): string {
  return columnOf(name, units, 'utc', point).long;
}
