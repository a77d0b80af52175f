import 'server-only';
import { wrapLongitude } from '#lib/geo/longitude.ts';
import { cameraOf, flatMap } from '#lib/geo/view-box.ts';
import { tagsOf } from '#lib/incidents/incident-text.ts';
import { scaleBar } from '#lib/model/measure-text.ts';
import { KIND_OF_LAYER, type Layer } from '#lib/model/position.ts';
import { shortReference } from '#lib/model/short-reference.ts';
import { TRAIL_LIMITS } from '#lib/picture/trail-joins.ts';
import { upstreamInstant } from '#lib/time/instant.ts';
import { DAY_MS, SECOND_MS } from '#lib/time/time-units.ts';
import { axisTicks } from '#lib/time/window.ts';
import { shapeOutline } from '#lib/zones/shape-outline.ts';
import type { ZoneShape } from '#lib/zones/zone.ts';
import { type Bounds, GROUND_STEPS, type GroundMap } from '../maps/ground-map.ts';
import { groundPoints, html, type LayerWords, markLabels, type NamedEvent, type NamedTrack } from './incident-words.ts';
import type { KeptPosition } from './kept-positions.ts';

/** Both are ms, inclusive. */
type Span = [fromMs: number, toMs: number];

interface DrawnTrack {
  readonly layer: Layer;
  readonly ref: string;
  /** Received without a break: a solid line joins positions of one span only. More than `SPANS_MAX`: not all. */
  readonly spans: Span[];
  readonly insideSpans: Span[];
  /** At most one position in each step of time. */
  points: Map<number, readonly [atMs: number, lon: number, lat: number]>;
}

/** Tracks that only passed outside the area. */
const BESIDE_MAX = 1500;
const INSIDE_MAX = 5000;
const POINTS_MAX = 40_000;
const STEPS_OF_WINDOW = 400;
/** A track with more breaks is drawn as dots. */
const SPANS_MAX = 200;

/** Sums positions for the drawings, in any order; memory is bounded whatever their number. */
export class TracksDrawn {
  readonly tracks = new Map<string, DrawnTrack>();
  readonly #inside: ReadonlySet<string>;
  readonly #windowMs: number;
  #stepMs: number;
  #points = 0;
  #beside = 0;
  /** Whether some tracks outside the area are left out. */
  isCut = false;

  constructor(layers: readonly LayerWords[], windowMs: number) {
    const keys = layers.flatMap(({ layer, tracks }) => tracks.map(({ track }) => `${layer} ${track}`));
    this.#inside = new Set(keys.slice(0, INSIDE_MAX));
    this.#windowMs = windowMs;
    this.#stepMs = Math.max(SECOND_MS, windowMs / STEPS_OF_WINDOW);
  }

  add({ layer, ref, atMs, lon, lat, isInside }: KeptPosition): void {
    const key = `${layer} ${ref}`;
    let track = this.tracks.get(key);
    if (!track) {
      if (!this.#inside.has(key) && this.#beside++ >= BESIDE_MAX) {
        this.isCut = true;
        return;
      }
      track = { layer, ref, spans: [], insideSpans: [], points: new Map() };
      this.tracks.set(key, track);
    }
    const { solidMs } = TRAIL_LIMITS[KIND_OF_LAYER[layer]];
    if (track.spans.length <= SPANS_MAX) addToSpans(track.spans, atMs, solidMs);
    // A shorter break is narrower than a line of the axis.
    if (isInside) addToSpans(track.insideSpans, atMs, Math.max(solidMs, this.#windowMs / PLOT));
    const step = Math.floor(atMs / this.#stepMs);
    if (track.points.has(step)) return;
    track.points.set(step, [atMs, lon, lat]);
    if (++this.#points > POINTS_MAX) this.#thinOut();
  }

  #thinOut(): void {
    this.#stepMs *= 2;
    this.#points = 0;
    for (const track of this.tracks.values()) {
      track.points = new Map(
        Array.from(track.points.values(), (point) => [Math.floor(point[0] / this.#stepMs), point]),
      );
      this.#points += track.points.size;
    }
  }
}

function addToSpans(spans: Span[], atMs: number, joinMs: number): void {
  let index = spans.length - 1;
  while (index >= 0 && (spans[index] as Span)[0] > atMs) index--;
  const before = spans[index];
  if (before && atMs - before[1] <= joinMs) before[1] = Math.max(before[1], atMs);
  else spans.splice(++index, 0, [atMs, atMs]);
  const [here, next] = [spans[index] as Span, spans[index + 1]];
  if (next && next[0] - here[1] <= joinMs) {
    here[1] = Math.max(here[1], next[1]);
    spans.splice(index + 1, 1);
  }
}

const WIDTH = 720;
const LEFT = 132;
const PLOT = WIDTH - LEFT - 8;
const TICKS_MAX = 9;
/** The first figure is below the answer, on its page. */
const FIRST_LANES_MAX = 18;
const LANES_MAX = 48;
const FIGURES_MAX = 8;
/** Lifelines that the axis has. */
export const LIFELINES_MAX = LANES_MAX * FIGURES_MAX;

interface Axis {
  readonly window: readonly [fromMs: number, toMs: number];
  /** The times of the kept positions: the window and some minutes around it. */
  readonly kept: readonly [fromMs: number, toMs: number];
  readonly layers: readonly LayerWords[];
  /** The name of a stretch that was not watched, as its table has it. */
  readonly stretchName: (layer: Layer, fromMs: number) => string;
  readonly events: readonly NamedEvent[];
  readonly drawn: TracksDrawn;
}

/** One axis for all, as figures that each fit on a page. */
export function axisFigures(axis: Axis): readonly string[] {
  const lanes = axis.layers.flatMap(({ tracks, layer }) => tracks.map((track) => ({ layer, track })));
  const figures: string[] = [];
  let from = 0;
  do {
    const to = Math.min(LIFELINES_MAX, from + (from === 0 ? FIRST_LANES_MAX : LANES_MAX));
    figures.push(axisFigure(axis, lanes.slice(from, to), from === 0));
    from = to;
  } while (from < Math.min(lanes.length, LIFELINES_MAX));
  return figures;
}

function axisFigure(
  { window, kept, layers, stretchName, events, drawn }: Axis,
  lanes: readonly { readonly layer: Layer; readonly track: NamedTrack }[],
  isFirst: boolean,
): string {
  const x = (ms: number) => LEFT + ((Math.min(kept[1], Math.max(kept[0], ms)) - kept[0]) / (kept[1] - kept[0])) * PLOT;
  const parts: string[] = [];
  let y = 30;
  const label = (text: string, kind = 'lab') =>
    parts.push(`<text class="${kind}" x="0" y="${y + 9}">${html(text)}</text>`);
  for (const { layer, name, watched } of layers) {
    label(name, 'lab b');
    for (const { fromMs, toMs, state } of watched) {
      const [left, width] = [x(fromMs), x(toMs) - x(fromMs)];
      parts.push(
        `<rect class="${state}" x="${px(left)}" y="${y}" width="${px(Math.max(state === 'watched' ? 0 : 2, width))}" height="12"/>`,
      );
      const called = state === 'watched' ? '' : stretchName(layer, fromMs);
      if (called !== '' && width > 5 * called.length)
        parts.push(`<text class="mid" x="${px(left + width / 2)}" y="${y + 9.2}">${html(called)}</text>`);
    }
    y += 18;
  }
  if (isFirst)
    for (const [title, kind] of [
      ['Alarms', 'alarm'],
      ['Notes', 'note'],
    ] as const) {
      const marks = events.filter((each) => each.kind === kind);
      label(title, 'lab b');
      for (const { atMs, toMs } of marks) {
        const at = x(atMs);
        if (toMs > atMs)
          parts.push(
            `<rect class="${kind}" x="${px(at)}" y="${y + 11}" width="${px(Math.max(0.8, x(toMs) - at))}" height="2.4"/>`,
          );
        parts.push(`<path class="${kind}" d="M${px(at)} ${y + 9}l2.6 6h-5.2z"/>`);
      }
      const placed = marks.map(({ name, atMs }) => ({ name, x: x(atMs) }));
      for (const { text, leftX } of markLabels(placed, LETTER_PX, WIDTH - 4))
        parts.push(`<text class="tag" x="${px(leftX)}" y="${y + 7}">${text}</text>`);
      y += 20;
    }
  for (const { layer, track } of lanes) {
    const { name, track: ref, first_at, last_at } = track;
    label(`${name}  …${shortReference(ref)} ${tagsOf(track).join(' ')}`);
    const spans = drawn.tracks.get(`${layer} ${ref}`)?.insideSpans ?? [[Date.parse(first_at), Date.parse(last_at)]];
    for (const [fromMs, toMs] of spans)
      parts.push(
        `<rect class="${tagsOf(track).length > 0 ? 'life sim' : 'life'}" x="${px(x(fromMs))}" y="${y + 3}" width="${px(Math.max(1, x(toMs) - x(fromMs)))}" height="6"/>`,
      );
    y += 14;
  }
  const height = y + 4;
  const [start, end] = [upstreamInstant(kept[0]), upstreamInstant(kept[1])];
  const ticks = axisTicks({ start, end }, TICKS_MAX).map((at) => {
    const text = new Date(at).toISOString();
    const shown = at % DAY_MS === 0 ? text.slice(0, 10) : `${text.slice(11, 16)}Z`;
    // A label at the end stays within the drawing.
    const labelX = Math.min(x(at), WIDTH - (shown.length * LETTER_PX) / 2);
    return `<path class="tick" d="M${px(x(at))} 18V${height}"/><text class="mid" x="${px(labelX)}" y="14">${shown}</text>`;
  });
  const edges = window.map((at) => `<path class="edge" d="M${px(x(at))} 18V${height}"/>`).join('');
  return `<svg class="axis" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="Axis of time: what was watched, alarms, notes, and when each track was received inside. The tables below have the same in words.">${SIM_PATTERN}<rect class="outside" x="${LEFT}" y="18" width="${px(x(window[0]) - LEFT)}" height="${height - 18}"/><rect class="outside" x="${px(x(window[1]))}" y="18" width="${px(LEFT + PLOT - x(window[1]))}" height="${height - 18}"/>${ticks.join('')}${parts.join('')}${edges}</svg>`;
}

/** Unlike an empty box, which is a time that was not watched. */
const SIM_PATTERN =
  '<pattern id="stripes" width="3" height="6" patternUnits="userSpaceOnUse"><rect class="stripe" width="1.5" height="6"/></pattern>';

const MAP_HEIGHT = 470;
interface AreaMap {
  readonly shape: ZoneShape;
  readonly bounds: Bounds;
  readonly ground: GroundMap;
  readonly layers: readonly LayerWords[];
  readonly drawn: TracksDrawn;
  readonly notes: readonly { readonly name: string; readonly lon: number; readonly lat: number }[];
}

/** North is up. Lines join positions as trails do on screen: nothing is drawn over a time without reception. */
export function areaMap({ shape, bounds, ground, layers, drawn, notes }: AreaMap): string {
  const frame = { left: 52, top: 24, frameW: WIDTH - 104, frameH: MAP_HEIGHT - 54 };
  const { left, top, frameW, frameH } = frame;
  const size = { width: frameW, height: frameH };
  const placed = flatMap(cameraOf(bounds, size, Number.POSITIVE_INFINITY), size);
  const pointAt = (lon: number, lat: number) => {
    const [x, y] = placed.at({ lon, lat });
    return [left + x, top + y] as const;
  };
  const at = (lon: number, lat: number) => pointAt(lon, lat).map(px).join(' ');
  const path = (points: readonly (readonly [number, number])[]) =>
    `M${points.map(([lon, lat]) => at(lon, lat)).join('L')}`;
  const ofGround = (name: keyof GroundMap['lines']) => {
    const lines = ground.lines[name].map((line) => path(groundPoints(line, GROUND_STEPS)));
    return lines.length === 0 ? '' : `<path class="${name}" d="${lines.join('')}"/>`;
  };
  const bar = scaleBar(placed.metresPerPx, 'metric', 160);
  const labels = new Labels(frame);
  labels.keepFree(left, top + frameH - 30, bar.px + 70, 30);
  labels.keepFree(left + frameW - 32, top, 32, 44);
  const named = new Map(layers.flatMap(({ layer, tracks }) => tracks.map((each) => [`${layer} ${each.track}`, each])));
  const lines: string[] = [];
  const starts: string[] = [];
  const inOrder = [...drawn.tracks].sort(([one], [next]) => Number(named.has(one)) - Number(named.has(next)));
  const marks = notes.map(({ name, lon, lat }) => {
    labels.add('name', name, ...pointAt(lon, lat), 6);
    return `<path class="noted" transform="translate(${at(lon, lat)})" d="M0 -5L5 4H-5z"/>`;
  });
  for (const [key, track] of inOrder) {
    const its = named.get(key);
    const kind = its ? (tagsOf(its).length > 0 ? 'in sim' : 'in') : 'by';
    const { solid, dotted, first } = linesOf(track, at);
    if (solid !== '') lines.push(`<path class="${kind}" d="${solid}"/>`);
    if (dotted !== '') lines.push(`<path class="${kind} dots" d="${dotted}"/>`);
    if (!its || !first) continue;
    starts.push(`<circle class="start" transform="translate(${at(first[1], first[2])})" r="2.2"/>`);
    labels.add('name', [its.name, ...tagsOf(its)].join(' '), ...pointAt(first[1], first[2]), 3);
  }
  for (const [kind, places] of [
    ['port', ground.airports],
    ['town', ground.places],
  ] as const)
    for (const [name, lon, lat] of places)
      labels.add(kind, name, ...pointAt(lon / GROUND_STEPS, lat / GROUND_STEPS), 0);
  const area = shapeOutline(shape)
    .flat()
    .map((ring) => path(ring))
    .join('');
  const scale = `<g transform="translate(${left + 12} ${top + frameH - 12})"><path class="bar" d="M0 -4V0H${px(bar.px)}V-4"/><text class="tag" x="${px(bar.px + 5)}" y="1">${bar.text}</text></g>`;
  const north = `<g transform="translate(${left + frameW - 16} ${top + 34})"><path class="north" d="M0 -26L6 -8L0 -12L-6 -8z"/><text class="mid b" x="0" y="4">N</text></g>`;
  const box = `x="${left}" y="${top}" width="${frameW}" height="${frameH}"`;
  const drawnGround = (['land', 'lakes', 'rivers', 'coast', 'borders', 'runways'] as const).map(ofGround).join('');
  return `<svg class="map" viewBox="0 0 ${WIDTH} ${MAP_HEIGHT}" role="img" aria-label="Map: the area of the incident and the lines of the tracks. The table of tracks has the same in words."><clipPath id="frame"><rect ${box}/></clipPath><g clip-path="url(#frame)"><rect class="${ground.covered ? 'sea' : 'unmapped'}" ${box}/>${drawnGround}<path class="area" d="${area}"/>${lines.join('')}${starts.join('')}${marks.join('')}${labels.text}${scale}${north}</g><rect class="frame" ${box}/>${graticule(bounds, pointAt, frame)}</svg>`;
}

/** Places labels next to their points, the most important first, and drops those without free room. */
class Labels {
  readonly #taken: (readonly [left: number, top: number, width: number, height: number])[] = [];
  readonly #frame: Frame;
  text = '';

  constructor(frame: Frame) {
    this.#frame = frame;
  }

  keepFree(left: number, top: number, width: number, height: number): void {
    this.#taken.push([left, top, width, height]);
  }

  /** @param awayPx from a mark at the point; 0: over the point */
  add(kind: 'name' | 'port' | 'town', text: string, x: number, y: number, awayPx: number): void {
    const { left, top, frameW, frameH } = this.#frame;
    const [width, height] = [text.length * LETTER_PX + 2, 10];
    const sides = [awayPx, -width - awayPx];
    const places =
      awayPx === 0 ? [[-width / 2, -5]] : sides.flatMap((aside) => [-10, 1, -4.5, -17, 9].map((up) => [aside, up]));
    for (const [aside = 0, up = 0] of places) {
      const [boxX, boxY] = [x + aside, y + up];
      if (boxX < left || boxY < top || boxX + width > left + frameW || boxY + height > top + frameH) continue;
      const isTaken = this.#taken.some(
        ([otherX, otherY, otherW, otherH]) =>
          boxX < otherX + otherW && otherX < boxX + width && boxY < otherY + otherH && otherY < boxY + height,
      );
      if (isTaken) continue;
      this.keepFree(boxX, boxY, width, height);
      this.text += `<text class="${kind}" x="${px(boxX + 1)}" y="${px(boxY + 8)}">${html(text)}</text>`;
      return;
    }
  }
}

/** About the width of a letter. */
const LETTER_PX = 5.4;

interface Frame {
  readonly left: number;
  readonly top: number;
  readonly frameW: number;
  readonly frameH: number;
}

const GRATICULE_DEG = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5];

/** Coordinates at the edges, of three to seven whole steps along the longer one. */
function graticule(
  bounds: Bounds,
  pointAt: (lon: number, lat: number) => readonly [x: number, y: number],
  { left, top, frameW, frameH }: Frame,
): string {
  const [[westX], [eastX]] = [pointAt(bounds.west, bounds.south), pointAt(bounds.east, bounds.south)];
  const lonAcross = ((bounds.east - bounds.west) * frameW) / Math.max(1, eastX - westX);
  const step = GRATICULE_DEG.find((deg) => lonAcross / deg <= 7) ?? 10;
  const digits = Math.max(0, Math.ceil(-Math.log10(step)));
  const out: string[] = [];
  const middle = (bounds.west + bounds.east) / 2;
  for (let lon = Math.ceil((middle - lonAcross / 2) / step) * step; lon <= middle + lonAcross / 2; lon += step) {
    const [at] = pointAt(lon, bounds.south);
    const shown = wrapLongitude(lon);
    out.push(
      `<path class="tick" d="M${px(at)} ${top + frameH}v5M${px(at)} ${top}v-5"/><text class="mid" x="${px(at)}" y="${top + frameH + 16}">${Math.abs(shown).toFixed(digits)}° ${shown < 0 ? 'W' : 'E'}</text>`,
    );
  }
  for (let lat = Math.ceil((bounds.south - 1) / step) * step; lat <= bounds.north + 1; lat += step) {
    const [, at] = pointAt(bounds.west, lat);
    if (at < top + 4 || at > top + frameH - 4) continue;
    out.push(
      `<path class="tick" d="M${left} ${px(at)}h-5M${left + frameW} ${px(at)}h5"/><text class="end" x="${left - 7}" y="${px(at + 3)}">${Math.abs(lat).toFixed(digits)}° ${lat < 0 ? 'S' : 'N'}</text>`,
    );
  }
  return out.join('');
}

function linesOf({ layer, points, spans }: DrawnTrack, at: (lon: number, lat: number) => string) {
  const { dottedMs } = TRAIL_LIMITS[KIND_OF_LAYER[layer]];
  const inOrder = [...points.values()].sort(([one], [next]) => one - next);
  let [solid, dotted, lastText, span] = ['', '', '', 0];
  let isOpen = false;
  inOrder.forEach(([atMs, lon, lat], index) => {
    const text = at(lon, lat);
    const before = span;
    while (span + 1 < spans.length && (spans[span + 1] as Span)[0] <= atMs) span++;
    let longestMs = 0;
    for (let each = before; each < span; each++)
      longestMs = Math.max(longestMs, (spans[each + 1] as Span)[0] - (spans[each] as Span)[1]);
    if (index > 0 && span === before && spans.length <= SPANS_MAX) {
      solid += isOpen ? `L${text}` : `M${lastText}L${text}`;
      isOpen = true;
    } else {
      if (index > 0 && longestMs <= dottedMs && spans.length <= SPANS_MAX) dotted += `M${lastText}L${text}`;
      // A dot where nothing joins: a line of no length with round ends.
      solid += `M${text}h0`;
      isOpen = true;
    }
    lastText = text;
  });
  return { solid, dotted, first: inOrder[0] };
}

function px(value: number): string {
  return String(Math.round(value * 10) / 10);
}
