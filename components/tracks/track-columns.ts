import { distanceM, type LonLat } from '#lib/geo/great-circle.ts';
import { type ClockZone, dateTimeText } from '#lib/model/clock-text.ts';
import { confidenceText } from '#lib/model/confidence.ts';
import { bearingText, DISTANCE_UNIT, distanceIn, headingText, metresOf, wholeText } from '#lib/model/measure-text.ts';
import type { Position } from '#lib/model/position.ts';
import { LENGTH_UNIT, lengthIn, metresFrom, mpsFrom, SPEED_UNIT, speedIn, type UnitSystem } from '#lib/model/units.ts';
import { type ArrangedColumn, bearingFrom, type TableColumn } from '#lib/picture/table-columns.ts';

export interface HeadSetting {
  readonly units: UnitSystem;
  readonly zone: ClockZone;
  readonly point: string;
}

export interface CellSetting {
  readonly units: UnitSystem;
  readonly zone: ClockZone;
  readonly from: LonLat;
}

export interface Scale {
  readonly shown: (value: number) => number;
  readonly stored: (shown: number) => number;
  readonly decimals: number;
}

type ColumnFilter =
  | { readonly is: 'search' }
  | { readonly is: 'labels' }
  | { readonly is: 'choice'; readonly choices: Readonly<Record<string, string>> }
  | { readonly is: 'page-range'; readonly scale: (units: UnitSystem) => Scale }
  | {
      readonly is: 'list-range';
      readonly noun: string;
      readonly scale: (units: UnitSystem) => Scale;
      readonly isAroundNorth?: true;
    }
  | { readonly is: 'by-age' };

type Of<Setting, T> = T | ((setting: Setting) => T);

interface TrackColumn {
  readonly short: Of<HeadSetting, string>;
  /** The full name is for tooltips and screen readers. */
  readonly long: Of<HeadSetting, string>;
  /** The least width of the column; the reference takes what is left. */
  readonly widthPx: Of<HeadSetting, number>;
  readonly align: 'left' | 'right';
  /** `undefined` is "not reported". Kind, reference and age have cells of their own. */
  readonly text?: (position: Position, setting: CellSetting) => string | undefined;
  readonly filter: ColumnFilter;
}

const yesOrNo = (is: boolean) => (is ? 'yes' : 'no');

const oneDecimal = (value: number) => String(Number(value.toFixed(1)) + 0);

/** The whole column has one unit, so that values are comparable at a glance. */
const distanceCell = (distance: number) => distance.toFixed(distance < 99.995 ? 2 : 1);

/** Feet have a digit more than metres, and a longer header. */
const lengthPx = ({ units }: HeadSetting) => (units === 'metric' ? 54 : 58);

const timePx = ({ zone }: HeadSetting) => (zone === 'utc' ? 140 : 184);

const asItIs = (value: number) => value;

const plain = (decimals: number) => (): Scale => ({ shown: asItIs, stored: asItIs, decimals });

const length = (units: UnitSystem): Scale => ({
  shown: (m) => lengthIn(units, m),
  stored: (length) => metresFrom(units, length),
  decimals: 1,
});

const speed = (units: UnitSystem): Scale => ({
  shown: (mps) => speedIn(units, mps),
  stored: (speed) => mpsFrom(units, speed),
  decimals: 1,
});

const distance = (units: UnitSystem): Scale => ({
  shown: (m) => distanceIn(units, m),
  stored: (distance) => metresOf(units, distance),
  decimals: 2,
});

/** The columns of the table: what each is called, how wide it is, what its cells say, and how it is filtered. */
export const TRACK_COLUMNS = {
  kind: {
    short: '',
    long: 'Kind',
    widthPx: 38,
    align: 'left',
    filter: { is: 'choice', choices: { aircraft: 'aircraft', drone: 'drones' } },
  },
  ref: { short: 'Reference', long: 'Track reference', widthPx: 76, align: 'left', filter: { is: 'search' } },
  altitudeM: {
    short: ({ units }) => `Alt ${LENGTH_UNIT[units]}`,
    long: ({ units }) => `Altitude in ${LENGTH_UNIT[units]}, reference not stated`,
    widthPx: lengthPx,
    align: 'right',
    text: ({ altitudeM }, { units }) => (altitudeM === undefined ? undefined : wholeText(lengthIn(units, altitudeM))),
    filter: { is: 'page-range', scale: length },
  },
  heightAglM: {
    short: ({ units }) => `AGL ${LENGTH_UNIT[units]}`,
    long: ({ units }) => `Height above ground in ${LENGTH_UNIT[units]}, estimated`,
    widthPx: lengthPx,
    align: 'right',
    text: ({ heightAglM }, { units }) =>
      heightAglM === undefined ? undefined : wholeText(lengthIn(units, heightAglM)),
    filter: { is: 'page-range', scale: length },
  },
  speedMps: {
    short: ({ units }) => SPEED_UNIT[units],
    long: ({ units }) => `Ground speed in ${SPEED_UNIT[units]}`,
    widthPx: 44,
    align: 'right',
    text: ({ speedMps }, { units }) => (speedMps === undefined ? undefined : wholeText(speedIn(units, speedMps))),
    filter: { is: 'page-range', scale: speed },
  },
  headingDeg: {
    short: 'Hdg',
    long: 'Heading in degrees from north',
    widthPx: 40,
    align: 'right',
    text: ({ headingDeg }) => headingText(headingDeg),
    filter: { is: 'list-range', noun: 'heading', scale: plain(1), isAroundNorth: true },
  },
  age: {
    short: 'Age',
    long: 'Age of the position',
    widthPx: 52,
    align: 'right',
    filter: { is: 'page-range', scale: plain(1) },
  },
  distance: {
    short: ({ units }) => `Dist ${DISTANCE_UNIT[units]}`,
    long: ({ units, point }) => `Distance in ${DISTANCE_UNIT[units]} from ${point}`,
    widthPx: 66,
    align: 'right',
    text: (position, { units, from }) => distanceCell(distanceIn(units, distanceM(from, position))),
    filter: { is: 'list-range', noun: 'distance', scale: distance },
  },
  bearing: {
    short: 'Brg',
    long: ({ point }) => `Bearing from ${point}, degrees from true north`,
    widthPx: 48,
    align: 'right',
    text(position, { from }) {
      const deg = bearingFrom(from, position);
      return Number.isNaN(deg) ? 'here' : bearingText(deg);
    },
    filter: { is: 'list-range', noun: 'bearing', scale: plain(1), isAroundNorth: true },
  },
  emergencyState: {
    short: 'Emergency',
    long: 'Emergency state',
    widthPx: 88,
    align: 'left',
    text: ({ emergencyState }) => emergencyState,
    filter: { is: 'choice', choices: { only: 'emergencies' } },
  },
  confidence: {
    short: 'Confidence',
    long: 'Confidence label',
    widthPx: 112,
    align: 'left',
    text: ({ confidence }) => confidenceText(confidence),
    filter: { is: 'labels' },
  },
  confidenceScore: {
    short: 'Score',
    long: 'Confidence score, not a probability',
    widthPx: 58,
    align: 'right',
    text: ({ confidenceScore }) => (confidenceScore === undefined ? undefined : String(confidenceScore)),
    filter: { is: 'list-range', noun: 'score', scale: plain(4) },
  },
  receiverCount: {
    short: 'Rx',
    long: 'Receivers that contributed',
    widthPx: 36,
    align: 'right',
    text: ({ receiverCount }) => (receiverCount === undefined ? undefined : oneDecimal(receiverCount)),
    filter: { is: 'page-range', scale: plain(1) },
  },
  simulated: {
    short: 'Sim',
    long: 'Simulated',
    widthPx: 42,
    align: 'left',
    text: ({ simulated }) => yesOrNo(simulated),
    filter: { is: 'choice', choices: { only: 'yes', hide: 'no' } },
  },
  testBroadcast: {
    short: 'Test',
    long: 'Test broadcast',
    widthPx: 44,
    align: 'left',
    text: ({ testBroadcast }) => yesOrNo(testBroadcast),
    filter: { is: 'choice', choices: { only: 'yes', hide: 'no' } },
  },
  observedAt: {
    short: 'Observed',
    long: 'Observed at',
    widthPx: timePx,
    align: 'left',
    text: ({ observedAt }, { zone }) => dateTimeText(observedAt, zone),
    filter: { is: 'by-age' },
  },
  staleAfter: {
    short: 'Expires at',
    long: 'Expires at, as the service says',
    widthPx: timePx,
    align: 'left',
    text: ({ staleAfter }, { zone }) => staleAfter && dateTimeText(staleAfter, zone),
    filter: { is: 'by-age' },
  },
  lat: {
    short: 'Latitude',
    long: 'Latitude in degrees, WGS84',
    widthPx: 74,
    align: 'right',
    text: ({ lat }) => lat.toFixed(5),
    filter: { is: 'list-range', noun: 'latitude', scale: plain(5) },
  },
  lon: {
    short: 'Longitude',
    long: 'Longitude in degrees, WGS84',
    widthPx: 80,
    align: 'right',
    text: ({ lon }) => lon.toFixed(5),
    filter: { is: 'list-range', noun: 'longitude', scale: plain(5) },
  },
} as const satisfies Readonly<Record<TableColumn, TrackColumn>>;

export type ColumnsFilteredBy<Is extends ColumnFilter['is']> = {
  [Name in TableColumn]: (typeof TRACK_COLUMNS)[Name]['filter']['is'] extends Is ? Name : never;
}[TableColumn];

export interface ShownColumn {
  readonly name: TableColumn;
  readonly short: string;
  readonly long: string;
  readonly align: 'left' | 'right';
  /** The least width of the column; the reference takes what is left. */
  readonly widthPx: number;
}

export function shownColumns(columns: readonly ArrangedColumn[], setting: HeadSetting): readonly ShownColumn[] {
  return columns.filter(({ isShown }) => isShown).map(({ name }) => shownColumn(name, setting));
}

function shownColumn(name: TableColumn, setting: HeadSetting): ShownColumn {
  const { short, long, align, widthPx } = TRACK_COLUMNS[name];
  return {
    name,
    short: typeof short === 'string' ? short : short(setting),
    long: typeof long === 'string' ? long : long(setting),
    align,
    widthPx: typeof widthPx === 'number' ? widthPx : widthPx(setting),
  };
}

export function columnTitle(name: TableColumn, units: UnitSystem, point: string): string {
  return shownColumn(name, { units, zone: 'utc', point }).long;
}

/** `undefined` is "not reported". Kind, reference and age have cells of their own. */
export function cellText(
  column: Exclude<TableColumn, 'kind' | 'ref' | 'age'>,
  position: Position,
  setting: CellSetting,
): string | undefined {
  return TRACK_COLUMNS[column].text(position, setting);
}
