import 'server-only';
import { promisify } from 'node:util';
import { inflateRaw } from 'node:zlib';
import { z } from 'zod';
import { decodeFrame, encodeFrame } from '#lib/codec/frame.ts';
import { type Records, recordsOf } from '#lib/codec/records.ts';
import { RECEPTION_STATES } from '#lib/contract/reception.ts';
import { type Bbox, formatBbox } from '#lib/geo/bbox.ts';
import { LAYERS, type Layer, type Position } from '#lib/model/position.ts';
import type { ReceptionStretch } from '#lib/model/reception.ts';
import { epochMs, upstreamInstant } from '#lib/time/instant.ts';
import type { Window } from '#lib/time/window.ts';
import { deflated } from '../../database/deflated.ts';
import type { PartColumns } from '../../database/tables.ts';
import type { Cooldown } from '../../upstream/cooldown.ts';

/** The box and window of one request of the past. The box does not cross 180°. Edges are closed, as the upstream's are. */
export interface PastPart {
  readonly bbox: Bbox;
  readonly window: Window;
}

export interface LayerPart extends PastPart {
  readonly layer: Layer;
}

/** A part with the content that one request read. */
export interface HistoryPart extends LayerPart {
  readonly records: number;
  readonly truncated: boolean;
  /** Number of records that were dropped, because they broke the contract. */
  readonly unreadable: number;
  /** The stretches within the window, in order; absent where the upstream reports none. */
  readonly reception?: readonly ReceptionStretch[];
  /** A full frame (lib/codec/frame.ts), raw deflate; sent to browsers unchanged. */
  readonly body: Uint8Array;
}

/** A cached part without its body. */
export interface PartHead extends LayerPart {
  readonly records: number;
  readonly truncated: boolean;
  readonly isStored: boolean;
}

export type WholePart = Pick<HistoryPart, 'bbox' | 'window' | 'records'>;

/** The requests that a read took. Where several calls wait for one request, the first counts it. */
export type PartOutcome = { readonly requests: number } & (
  | { readonly kind: 'part'; readonly part: HistoryPart }
  | { readonly kind: 'blocked'; readonly cooldown: Cooldown }
);

export interface PartSource {
  /** @throws when the signal is aborted */
  read(layer: Layer, part: PastPart, operator: string, signal: AbortSignal): Promise<PartOutcome>;
}

export function partKey(layer: Layer, { bbox, window }: PastPart): string {
  return `${layer} ${formatBbox(bbox)} ${window.start} ${window.end}`;
}

export function withReception(
  part: Omit<HistoryPart, 'reception'>,
  reception: readonly ReceptionStretch[],
): HistoryPart {
  return reception.length === 0 ? part : { ...part, reception };
}

// The body of a part follows here.

const inflate = promisify(inflateRaw);

/** The limit is many times a page: a row of another program must not fill the memory. */
const OBSERVATIONS_MAX_BYTES = 16 * 1024 * 1024;

export function packObservations(positions: readonly Position[]): Promise<Uint8Array> {
  return deflated(encodeFrame(recordsOf(positions)));
}

/** @throws Error if the body is damaged or too large */
export async function unpackObservations(body: Uint8Array): Promise<Records> {
  return decodeFrame(await inflate(body, { maxOutputLength: OBSERVATIONS_MAX_BYTES })).records;
}

/** Stored bodies go to browsers unchanged, so that one that is damaged must be found before. */
export async function isReadableBody(body: Uint8Array, records: number): Promise<boolean> {
  try {
    // A frame has fewer where the upstream sent an observation twice.
    return (await unpackObservations(body)).count <= records;
  } catch {
    return false;
  }
}

// The columns of a part's row follow here.

/** The contract writes boxes with seven decimals. */
const UNITS_PER_DEG = 1e7;

export function partColumns(layer: Layer, { bbox, window }: PastPart): PartColumns {
  return { layer, ...boxColumns(bbox), start_ms: epochMs(window.start), end_ms: epochMs(window.end) };
}

export function boxColumns({ west, south, east, north }: Bbox) {
  return { west: units(west), south: units(south), east: units(east), north: units(north) };
}

/** The part of a row; `undefined` where the layer is unknown. */
export function partOfColumns(row: PartColumns): LayerPart | undefined {
  const { west, south, east, north, start_ms, end_ms } = row;
  const layer = LAYERS.find((each) => each === row.layer);
  if (!layer) return undefined;
  const bbox = {
    west: west / UNITS_PER_DEG,
    south: south / UNITS_PER_DEG,
    east: east / UNITS_PER_DEG,
    north: north / UNITS_PER_DEG,
  };
  return { layer, bbox, window: { start: upstreamInstant(start_ms), end: upstreamInstant(end_ms) } };
}

function units(deg: number): number {
  // Adding 0 turns -0 into 0.
  return Math.round(deg * UNITS_PER_DEG) + 0;
}

/** The reception as JSON, with instants in epoch ms. */
export const packedReception = z.array(
  z
    .tuple([z.number(), z.number(), z.enum(RECEPTION_STATES)])
    .transform(([from, to, state]) => ({ from: upstreamInstant(from), to: upstreamInstant(to), state })),
);

export function packReception({ reception }: Pick<HistoryPart, 'reception'>) {
  return reception?.map(({ from, to, state }) => [epochMs(from), epochMs(to), state] as const);
}
