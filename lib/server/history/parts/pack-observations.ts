import 'server-only';
import { promisify } from 'node:util';
import { inflateRaw } from 'node:zlib';
import { decodeFrame, encodeFrame } from '#lib/codec/frame.ts';
import { type Records, recordsOf } from '#lib/codec/records.ts';
import type { Position } from '#lib/model/position.ts';
import { deflated } from '../../database/deflated.ts';

const inflate = promisify(inflateRaw);

export function packObservations(positions: readonly Position[]): Promise<Uint8Array> {
  return deflated(encodeFrame(recordsOf(positions)));
}

/** @throws Error if the body is damaged */
export async function unpackObservations(body: Uint8Array): Promise<Records> {
  return decodeFrame(await inflate(body)).records;
}
