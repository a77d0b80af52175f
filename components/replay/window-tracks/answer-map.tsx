import type { AnswerTrail, NearestPosition } from '#lib/client/replay/window-tracks/answer-trails.ts';
import { type Area, areaContains } from '#lib/geo/area.ts';
import { type Bbox, eastPastWest } from '#lib/geo/bbox.ts';
import type { LonLat } from '#lib/geo/great-circle.ts';
import { nearestCopy } from '#lib/geo/longitude.ts';
import { cameraOf, type FlatMap, flatMap, type PlacedCamera } from '#lib/geo/view-box.ts';
import { type ClockZone, clockText } from '#lib/model/clock-text.ts';
import { distanceText, scaleBar } from '#lib/model/measure-text.ts';
import type { TrackKind } from '#lib/model/position.ts';
import type { UnitSystem } from '#lib/model/units.ts';
import { trailJoin } from '#lib/picture/trail-joins.ts';
import { msBetween } from '#lib/time/instant.ts';
import { areaRings } from '#lib/zones/zone-area.ts';
import type { GroundPicture } from '../../map/paper-ground.tsx';

/** The printed map in its own units, which are CSS pixels of the ground behind it. */
export const PAPER_MAP = { width: 960, height: 560 } as const;

const ZOOM_MAX = 16;
/** The share of the picture that the area takes, so that trails around it are seen. */
const AREA_SHARE = 0.5;
/** The share of the picture that the area and the nearest position take together. */
const BOTH_SHARE = 0.8;
/** The nearest position is in the picture if the area still takes this share of it. */
const SMALLEST_SHARE = 0.12;

type Point = readonly [x: number, y: number];

/** Where a map of paper lies, and where a place is on it. */
export interface PaperView extends PlacedCamera, FlatMap {}

/** A view of an area, with a place near it where there is room. */
export function paperView(box: Bbox, near: LonLat | undefined): PaperView {
  const area = { ...box, east: eastPastWest(box) };
  const alone = viewOf(area, AREA_SHARE);
  if (!near) return alone;
  const [atX, atY] = alone.at(near);
  if (atX >= 0 && atX <= PAPER_MAP.width && atY >= 0 && atY <= PAPER_MAP.height) return alone;
  const lon = nearestCopy(near.lon, (area.west + area.east) / 2);
  const withBoth = {
    west: Math.min(area.west, lon),
    south: Math.min(area.south, near.lat),
    east: Math.max(area.east, lon),
    north: Math.max(area.north, near.lat),
  };
  const both = viewOf(withBoth, BOTH_SHARE, alone.zoom);
  return 2 ** (both.zoom - alone.zoom) * AREA_SHARE >= SMALLEST_SHARE ? both : alone;
}

function viewOf(box: Bbox, share: number, zoomMax = ZOOM_MAX): PaperView {
  const { width, height } = PAPER_MAP;
  const camera = cameraOf(box, { width: width * share, height: height * share }, zoomMax);
  return { ...camera, ...flatMap(camera, PAPER_MAP) };
}

const SCALE_MAX_PX = 180;
/** More numbers would cover each other. The table has the rest. */
const NUMBERS_MAX = 60;
/** Two positions closer than this are one dot, in pixels. */
const DOT_APART_PX = 5;

const INK = { drone: '#a3005c', aircraft: '#0b3d91', area: '#000000', halo: '#ffffff' } as const;

export interface AnswerMapProps {
  readonly view: PaperView;
  readonly ground: GroundPicture | undefined;
  readonly area: Area | undefined;
  readonly trails: readonly AnswerTrail[];
  /** The number of a track in the table, by its reference. */
  readonly numbers: ReadonlyMap<string, number>;
  readonly nearest: (NearestPosition & { readonly kind: TrackKind }) | undefined;
  readonly units: UnitSystem;
  readonly zone: ClockZone;
  /** So many of the `listed` tracks are simulated. */
  readonly simulated: number;
  readonly listed: number;
}

/** The map of an answer on paper: the ground, the area, all trails with their numbers and times, and a scale. */
export function AnswerMap(props: AnswerMapProps) {
  const { view, ground, area, trails, numbers, nearest, units, zone, simulated, listed } = props;
  const { width, height } = PAPER_MAP;
  const bar = scaleBar(view.metresPerPx, units, SCALE_MAX_PX);
  const marks = trails.flatMap((trail) => markOf(trail, area, numbers.get(trail.ref)) ?? []).slice(0, NUMBERS_MAX);
  const places = marks.map(({ point }) => view.at(point));
  return (
    <figure className="answer-map">
      <svg viewBox={`0 0 ${width} ${height}`} role="img" aria-label="Map of the area and the trails">
        <rect width={width} height={height} fill={INK.halo} />
        {ground && <image href={ground.url} width={width} height={height} />}
        {area && <AreaLine rings={areaRings(area)} view={view} />}
        {trails.map((trail) => (
          <Trail key={trail.ref} trail={trail} view={view} />
        ))}
        {nearest && !nearest.isInside && (
          <Nearest
            at={view.at(nearest)}
            text={`Nearest ${nearest.kind}: ${distanceText(units, nearest.distanceM)}, ${clockText(nearest.at, zone)}`}
          />
        )}
        {marks.map((mark, index) => (
          <TrackNumber
            key={mark.number}
            mark={mark}
            at={places[index] as Point}
            hasTime={isFree(places, index)}
            zone={zone}
          />
        ))}
        <g transform={`translate(16 ${height - 18})`}>
          <rect x={-8} y={-24} width={bar.px + 16} height={36} fill={INK.halo} fillOpacity={0.85} />
          <path d={`M0 -6 V0 H${bar.px} V-6`} fill="none" stroke={INK.area} strokeWidth={2} />
          <text x={bar.px / 2} y={-9} textAnchor="middle" fontSize={13}>
            {bar.text}
          </text>
        </g>
        <g transform={`translate(${width - 26} 34)`}>
          <path d="M0 -22 L6 0 L0 -4 L-6 0 Z" fill={INK.area} />
          <text y={15} textAnchor="middle" fontSize={13} fontWeight={600}>
            N
          </text>
        </g>
        {simulated > 0 && (
          <g>
            <rect x={8} y={8} width={250} height={26} fill={INK.area} />
            <text x={18} y={26} fontSize={14} fontWeight={600} fill={INK.halo}>
              {simulated === listed ? 'SIM · all tracks simulated' : `SIM · ${simulated} of ${listed} simulated`}
            </text>
          </g>
        )}
        <rect x={0.5} y={0.5} width={width - 1} height={height - 1} fill="none" stroke={INK.area} />
      </svg>
      <figcaption>
        {[
          ...(trails.some(({ kind }) => kind === 'drone') ? ['Drones thick'] : []),
          ...(trails.some(({ kind }) => kind === 'aircraft') ? ['aircraft thin'] : []),
          'dotted: no position in between',
          ground ? ground.attribution : 'without ground: this browser could not draw it',
        ].join(' · ')}
      </figcaption>
    </figure>
  );
}

interface TrackMark {
  readonly number: number;
  readonly point: AnswerTrail['points'][number];
}

/** The nearest position outside, in a ring. Its label has room on the side of the middle. */
function Nearest({ at: [x, y], text }: { readonly at: Point; readonly text: string }) {
  const isRight = x > PAPER_MAP.width / 2;
  return (
    <g>
      <circle cx={x} cy={y} r={9} fill="none" stroke={INK.area} strokeWidth={2} />
      <Label at={[isRight ? x - 16 : x + 8, y]} text={text} anchor={isRight ? 'end' : 'start'} />
    </g>
  );
}

/** At the first position inside. */
function markOf({ points }: AnswerTrail, area: Area | undefined, number: number | undefined): TrackMark | undefined {
  const point = points.find(({ lon, lat }) => !area || areaContains(area, lon, lat));
  return point && number !== undefined ? { number, point } : undefined;
}

function AreaLine({ rings, view }: { readonly rings: ReturnType<typeof areaRings>; readonly view: PaperView }) {
  const path = rings.map((ring) => `M${ring.map((place) => pointText(view.at(place))).join('L')}Z`).join('');
  return (
    <>
      <path d={path} fill="none" stroke={INK.halo} strokeWidth={6} />
      <path d={path} fill={INK.area} fillOpacity={0.05} fillRule="evenodd" stroke={INK.area} strokeWidth={2.5} />
    </>
  );
}

function Trail({ trail, view }: { readonly trail: AnswerTrail; readonly view: PaperView }) {
  const { solid, dotted, dots } = trailPaths(trail, view);
  const [stroke, strokeWidth] = [INK[trail.kind], trail.kind === 'drone' ? 3 : 1.5];
  return (
    <g fill="none" strokeLinejoin="round">
      <path d={solid} stroke={INK.halo} strokeWidth={strokeWidth + 2.5} />
      <path d={solid} stroke={stroke} strokeWidth={strokeWidth} />
      <path d={dotted} stroke={stroke} strokeWidth={1.5} strokeDasharray="1.5 4" />
      <path d={dots} stroke={stroke} strokeWidth={strokeWidth + 2.5} strokeLinecap="round" />
    </g>
  );
}

/** Lines between positions that follow each other soon, dotted ones across short gaps, and a dot for each position. */
export function trailPaths({ kind, points }: AnswerTrail, view: Pick<PaperView, 'at'>) {
  let [solid, dotted, dots] = ['', '', ''];
  let before: { readonly text: string; readonly point: AnswerTrail['points'][number] } | undefined;
  let dot: Point | undefined;
  for (const point of points) {
    const at = view.at(point);
    const text = pointText(at);
    if (before) {
      const join = trailJoin(kind, msBetween(before.point.at, point.at));
      if (join === 'solid') solid += solid.endsWith(before.text) ? `L${text}` : `M${before.text}L${text}`;
      if (join === 'dotted') dotted += `M${before.text}L${text}`;
    }
    if (!dot || Math.hypot(at[0] - dot[0], at[1] - dot[1]) >= DOT_APART_PX) {
      dots += `M${text}h0`;
      dot = at;
    }
    before = { text, point };
  }
  return { solid, dotted, dots };
}

interface TrackNumberProps {
  readonly mark: TrackMark;
  readonly at: Point;
  readonly hasTime: boolean;
  readonly zone: ClockZone;
}

function TrackNumber({ mark: { number, point }, at: [x, y], hasTime, zone }: TrackNumberProps) {
  return (
    <g>
      {hasTime && <Label at={[x + 8, y]} text={clockText(point.at, zone)} />}
      <circle cx={x} cy={y} r={10} fill={INK.halo} stroke={INK.area} strokeWidth={1.5} />
      <text x={x} y={y + 4.5} textAnchor="middle" fontSize={12} fontWeight={600}>
        {number}
      </text>
    </g>
  );
}

/** A time covers no other number and no time before it. */
function isFree(places: readonly Point[], index: number): boolean {
  const [x, y] = places[index] as Point;
  return !places.some(([otherX, otherY], other) => {
    const isAbove = Math.abs(otherY - y) < 18;
    return other !== index && isAbove && (other < index ? Math.abs(otherX - x) < 95 : otherX > x && otherX - x < 95);
  });
}

interface LabelProps {
  readonly at: Point;
  readonly text: string;
  readonly anchor?: 'start' | 'end';
}

function Label({ at: [x, y], text, anchor = 'start' }: LabelProps) {
  return (
    <text
      textAnchor={anchor}
      x={x + 6}
      y={y - 7}
      fontSize={12}
      stroke={INK.halo}
      strokeWidth={3.5}
      strokeLinejoin="round"
      paintOrder="stroke"
    >
      {text}
    </text>
  );
}

function pointText([x, y]: Point): string {
  return `${x.toFixed(1)} ${y.toFixed(1)}`;
}
