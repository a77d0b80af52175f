import 'server-only';
import { promisify } from 'node:util';
import { inflateRaw } from 'node:zlib';
import { decodeObservations, encodeObservations } from '#lib/codec/observations.ts';
import type { QuantisedRecords } from '#lib/codec/quantised-records.ts';
import type { Position } from '#lib/model/position.ts';
import { deflated } from '../../database/deflated.ts';

const inflate = promisify(inflateRaw);

/** The body of a history part. */
export function packObservations(positions: readonly Position[]): Promise<Uint8Array> {
  return deflated(encodeObservations(positions));
}

/** @throws Error where the body is damaged */
export async function unpackObservations(body: Uint8Array): Promise<readonly QuantisedRecords[]> {
  return decodeObservations(await inflate(body));
}
