import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { decodeFrame, encodeFrame } from '#lib/codec/frame.ts';
import { recordsOf } from '#lib/codec/records.ts';
import type { Position } from '#lib/model/position.ts';
import { deflated } from '#lib/server/database/deflated.ts';
import { historyRecords } from '#lib/server/history/history-stream.ts';
import { toPosition } from '#lib/server/upstream/to-position.ts';
import { addMs, compareInstants, upstreamInstant } from '#lib/time/instant.ts';
import { HOUR_MS } from '#lib/time/time-units.ts';
import { REFERENCE_PERIOD_MS } from '#service/references/public-reference.ts';
import { cacheReferences } from '#service/references/reference-cache.ts';
import { openRecordings } from '#service/sources/recording/open-recordings.ts';
import { wireRecord } from '#service/wire/wire-record.ts';

const RECORDING = join(import.meta.dirname, '../../shared/recordings/adsb-traffic_switzerland_20180801.jsonl.gz');
const AT = upstreamInstant(Date.UTC(2026, 10, 21, 12));
const SWITZERLAND = { west: 5.5, south: 45.5, east: 10.5, north: 48 };
/** About the number of records per request that the splitter aims for. */
const PART = 900;
const ROUNDS = 4;

/** Bytes per observation on the wire to the browser, in parts of one request each. */
export async function historyWire(): Promise<object> {
  const what = `the busiest hour of the Swiss recording over Switzerland, in parts of ${PART} observations by time, raw deflate; random references of 64 bits`;
  const goal = { bytes: 10 };
  if (!existsSync(RECORDING)) return { what, goal, skipped: 'the recording is missing' };
  const observations = await busiestHour();
  for (let warmUp = 1; warmUp < ROUNDS; warmUp++) await measured(observations);
  const { bytes, notDeflated, json, encodeMs, decodeMs } = await measured(observations);
  const each = (total: number) => Math.round((total / observations.length) * 100) / 100;
  return {
    what,
    goal,
    reached: each(bytes) <= goal.bytes,
    observations: observations.length,
    bytes: each(bytes),
    not_deflated_bytes: each(notDeflated),
    json_gzip_bytes: each(json),
    encode_us: each(encodeMs * 1000),
    decode_us: each(decodeMs * 1000),
  };
}

async function measured(observations: readonly Position[]) {
  const sum = { bytes: 0, notDeflated: 0, json: 0, encodeMs: 0, decodeMs: 0 };
  for (let first = 0; first < observations.length; first += PART) {
    const began = performance.now();
    const encoded = encodeFrame(recordsOf(observations.slice(first, first + PART)));
    const encodedAt = performance.now();
    const { records } = decodeFrame(encoded);
    sum.decodeMs += performance.now() - encodedAt;
    sum.encodeMs += encodedAt - began;
    sum.notDeflated += encoded.byteLength;
    sum.bytes += (await deflated(encoded)).byteLength;
    sum.json += gzipSync(JSON.stringify(historyRecords(records))).byteLength;
  }
  return sum;
}

async function busiestHour(): Promise<readonly Position[]> {
  const { source } = await openRecordings({ files: [RECORDING], anchor: AT });
  const window = { start: addMs(AT, -HOUR_MS), end: AT };
  const { observations } = source.history('adsb', SWITZERLAND, window, Number.MAX_SAFE_INTEGER);
  const referenceOf = cacheReferences({
    secret: new TextEncoder().encode('the benchmark has no secrets'),
    prefix: 'RX',
    periodMs: REFERENCE_PERIOD_MS,
  });
  return observations
    .map((seen) => toPosition(wireRecord('history', referenceOf(seen.sourceId, 'adsb', AT), seen)) as Position)
    .sort((a, b) => compareInstants(a.observedAt, b.observedAt));
}
