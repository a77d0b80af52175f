import { FILTER_PARAMETERS, formatFilter, parseFilter } from '../filter/filter-parameters.ts';
import type { TrackFilter } from '../filter/track-filter.ts';
import { type Bbox, formatBbox } from '../geo/bbox.ts';
import { parseBbox } from '../geo/parse-bbox.ts';
import { isZoomIn, LINK_ZOOM } from '../geo/zoom-limits.ts';
import { COLOURINGS, type Colouring } from '../model/mark-colour.ts';
import { LAYERS, type Layer } from '../model/position.ts';
import { SELECTED_MAX } from '../model/selection.ts';
import { formatInstant, msBetween, parseInstant, type UpstreamInstant } from '../time/instant.ts';
import type { Window } from '../time/window.ts';
import { REPLAY_MAX_WINDOW_MS } from './replay-window.ts';

/** Each speed is a multiple of real time. */
export const SPEEDS = [0.5, 1, 2, 4, 5, 10, 20, 30, 60, 120, 300, 600] as const;
export type Speed = (typeof SPEEDS)[number];

export interface Camera {
  readonly lon: number;
  readonly lat: number;
  readonly zoom: number;
  readonly bearingDeg: number;
}

/** A link reopens what its sender saw. `undefined` means "not in the link". */
export interface AddressState {
  readonly view: Camera | undefined;
  readonly layers: ReadonlySet<Layer> | undefined;
  /** The selected tracks, the primary one first. An empty selection is not in the link. */
  readonly selectedRefs: readonly string[];
  readonly filter: TrackFilter;
  /** `altitude` is not in the link. */
  readonly colouring: Colouring;
  /** `undefined` while the map is live. */
  readonly replay: ReplayAddress | undefined;
}

/** Absolute times, so that a link always shows the same. */
export interface ReplayAddress {
  readonly window: Window;
  /** The same on every screen. Default: what the map shows. */
  readonly area: Bbox | undefined;
  readonly cursor: UpstreamInstant;
  readonly speed: Speed;
}

export interface ParsedAddress {
  readonly state: AddressState;
  /** Names of unknown, repeated and malformed parameters. */
  readonly ignored: readonly string[];
}

const reference = /^[^\s,]{1,64}$/;

/**
 * Parameters:
 * - `view=LAT,LON,ZOOM[,BEARING]`, `layers=rid,adsb`, `sel=REF,REF` (the first is the primary one)
 * - replay: `from=…&to=…&at=…&speed=…&area=W,S,E,N` (RFC 3339; `at` defaults to the start, `speed` to 1)
 * - filter (filter-parameters.ts); `speed` is a filter if it is a range
 * - `colour=` (default altitude)
 * - tar1090's `lat`, `lon` and `zoom`
 *
 * Never throws: invalid parts are ignored and listed.
 */
export function parseAddress(search: string): ParsedAddress {
  const parameters = new URLSearchParams(search);
  const isRange = (text: string) => /\.\.|_/.test(text);
  const text = (name: string) => {
    const values = parameters.getAll(name).filter((value) => name !== 'speed' || !isRange(value));
    return values.length === 1 ? (values[0] as string) : '';
  };
  const { filter, problems } = parseFilter((name) =>
    parameters.getAll(name).filter((value) => name !== 'speed' || isRange(value)),
  );
  const view = readView(text('view').split(','));
  const foreignView = readView([text('lat'), text('lon'), text('zoom')]);
  const layers = parameters.has('layers') ? readLayers(text('layers')) : undefined;
  const named = text('sel').split(',');
  const selectedRefs = [...new Set(named.filter((ref) => reference.test(ref)))].slice(0, SELECTED_MAX);
  const colouring = COLOURINGS.find((name) => name === text('colour'));
  const replay = readReplay(text('from'), text('to'), text('at'), text('speed'), text('area'));
  const understood = new Map<string, unknown>([
    ...FILTER_PARAMETERS.map((name) => [name, filter] as const),
    ['view', view],
    ['layers', layers],
    ['sel', selectedRefs.length === named.length ? selectedRefs : undefined],
    ['colour', colouring],
    ['lat', foreignView],
    ['lon', foreignView],
    ['zoom', foreignView],
    ['from', replay],
    ['to', replay],
    ['area', replay?.area],
    ['at', replay && (text('at') === '' || parseInstant(text('at')) !== undefined) ? replay : undefined],
  ]);
  const playbackSpeeds = parameters.getAll('speed').filter((value) => !isRange(value));
  const isSpeedIgnored = playbackSpeeds.length > 0 && (replay === undefined || readSpeed(text('speed')) === undefined);
  const ignored = new Set([
    ...[...parameters.keys()].filter((name) => understood.get(name) === undefined),
    ...problems.map(({ name }) => name),
    ...(isSpeedIgnored ? ['speed'] : []),
  ]);
  return {
    state: { view: view ?? foreignView, layers, selectedRefs, filter, colouring: colouring ?? 'altitude', replay },
    ignored: [...ignored],
  };
}

/** Writes parameters in a stable order, with plain commas for readability. */
export function formatAddress({ view, layers, selectedRefs, filter, colouring, replay }: AddressState): string {
  const parts: string[] = [];
  if (view) {
    const bearing = Math.round(view.bearingDeg * 10) / 10;
    const place = [view.lat.toFixed(5), view.lon.toFixed(5), view.zoom.toFixed(2)]
      .map((decimal) => Number(decimal))
      .join(',');
    parts.push(`view=${place}${bearing === 0 ? '' : `,${bearing}`}`);
  }
  if (layers) parts.push(`layers=${LAYERS.filter((layer) => layers.has(layer)).join(',')}`);
  if (replay) {
    const { window, area, cursor, speed } = replay;
    // Readable: milliseconds only if they are not 0.
    const time = (instant: UpstreamInstant) => formatInstant(instant).replace('.000Z', 'Z');
    parts.push(`at=${time(cursor)}`, `from=${time(window.start)}`, `to=${time(window.end)}`, `speed=${speed}`);
    if (area) parts.push(`area=${formatBbox(area)}`);
  }
  if (selectedRefs.length > 0) parts.push(`sel=${selectedRefs.map(encodeURIComponent).join(',')}`);
  parts.push(...formatFilter(filter));
  if (colouring !== 'altitude') parts.push(`colour=${colouring}`);
  return parts.length === 0 ? '' : `?${parts.join('&')}`;
}

export function liveAddress(search: string): string {
  return `/${formatAddress({ ...parseAddress(search).state, replay: undefined })}`;
}

function readView(parts: readonly string[]): AddressState['view'] {
  if (parts.length < 3 || parts.length > 4 || !parts.every((part) => /^-?\d{1,3}(\.\d{1,12})?$/.test(part)))
    return undefined;
  const [lat, lon, zoom, bearingDeg = 0] = parts.map(Number) as [number, number, number, number?];
  if (Math.abs(lat) > 90 || Math.abs(lon) > 180 || !isZoomIn(LINK_ZOOM, zoom) || Math.abs(bearingDeg) > 360)
    return undefined;
  return { lat, lon, zoom, bearingDeg };
}

/** Empty text switches every layer off. */
function readLayers(text: string): ReadonlySet<Layer> | undefined {
  const named = text === '' ? [] : text.split(',');
  const known = LAYERS.filter((layer) => named.includes(layer));
  return known.length === named.length ? new Set(known) : undefined;
}

function readReplay(from: string, to: string, at: string, speed: string, area: string): ReplayAddress | undefined {
  const [start, end] = [parseInstant(from), parseInstant(to)];
  if (start === undefined || end === undefined || end <= start || msBetween(start, end) > REPLAY_MAX_WINDOW_MS)
    return undefined;
  const cursor = parseInstant(at) ?? start;
  const within = cursor < start ? start : cursor > end ? end : cursor;
  const bbox = parseBbox(area);
  return {
    window: { start, end },
    area: bbox.ok ? bbox.bbox : undefined,
    cursor: within,
    speed: readSpeed(speed) ?? 1,
  };
}

function readSpeed(text: string): Speed | undefined {
  return SPEEDS.find((speed) => String(speed) === text);
}
