import { setTimeout as delay } from 'node:timers/promises';
import type { Pool } from 'undici';
import { COMPACT_LIVE_TYPE, type CompactHead, compactHeadSchema, formatSince } from '#lib/api/compact-answer.ts';
import { splitHead } from '#lib/codec/json-head.ts';
import { makeDice } from '#lib/random/seeded-random.ts';

const PLACES = [
  { lon: 8.5, lat: 47.4 },
  { lon: 6.1, lat: 46.2 },
  { lon: 11.6, lat: 48.2 },
  { lon: 9.2, lat: 45.5 },
] as const;

/** A slower answer counts as an error. */
const ANSWER_MAX_MS = 10_000;
const AFTER_ERROR_MS = 2000;

export interface Tally {
  answers: number;
  errors: number;
  /** Answers without anything to show, while a place was read for the first time. */
  empty: number;
  bytes: number;
  readonly tookMs: number[];
}

/**
 * Polls as a viewer who pans or zooms before every poll, until then.
 * @param endsMs may become earlier
 * @param haste how many times as often as pages poll
 */
export async function panningViewer(
  pool: Pool,
  cookie: string,
  index: number,
  endsMs: () => number,
  tally: Tally,
  haste = 1,
): Promise<void> {
  const views = panning(index);
  let since = '';
  while (Date.now() < endsMs()) {
    const bbox = views.next().value;
    const query = new URLSearchParams({ bbox, page: `viewer-${index}`, ...(since !== '' && { since }) });
    let nextMs = AFTER_ERROR_MS;
    try {
      const sent = performance.now();
      const answer = await poll(pool, `/api/live?${query}`, cookie);
      const head = headOf(answer);
      const parts = [...(head.layers.adsb?.parts ?? []), ...(head.layers.rid?.parts ?? [])];
      since = formatSince(new Map(parts.map(({ area, sequence }) => [area, sequence])));
      nextMs = head.next_poll_ms / haste;
      tally.answers++;
      tally.empty += parts.length === 0 ? 1 : 0;
      tally.bytes += answer.byteLength;
      tally.tookMs.push(performance.now() - sent);
    } catch (error) {
      tally.errors++;
      process.stderr.write(`viewer ${index}: ${String(error)}\n`);
    }
    await delay(Math.max(0, Math.min(nextMs, endsMs() - Date.now())));
  }
}

/** Values of the `bbox` parameter. */
function* panning(seed: number): Generator<string, never> {
  const dice = makeDice(seed + 1);
  const home = dice.pick(PLACES);
  let { lon, lat }: { lon: number; lat: number } = home;
  for (;;) {
    const spanDeg = 0.5 * 20 ** dice.between(0, 1);
    // Halve the distance to home first, so that the view never drifts away.
    lon = (lon + home.lon) / 2 + dice.between(-1, 1);
    lat = (lat + home.lat) / 2 + dice.between(-1, 1);
    const corners = [lon - spanDeg / 2, lat - spanDeg / 3, lon + spanDeg / 2, lat + spanDeg / 3];
    yield corners.map((deg) => deg.toFixed(4)).join(',');
  }
}

/** @throws Error if the answer is late or not 200 */
async function poll(pool: Pool, path: string, cookie: string): Promise<Buffer> {
  const { statusCode, body } = await pool.request({
    method: 'GET',
    path,
    headers: { cookie, accept: COMPACT_LIVE_TYPE },
    signal: AbortSignal.timeout(ANSWER_MAX_MS),
  });
  const answer = Buffer.from(await body.arrayBuffer());
  if (statusCode !== 200) throw new Error(`answered ${statusCode}`);
  return answer;
}

/** @throws Error if the head is invalid, or if the body is not as long as it announces */
function headOf(answer: Buffer): CompactHead {
  const { head: read, end } = splitHead(answer);
  const head = compactHeadSchema.parse(read);
  const parts = [...(head.layers.rid?.parts ?? []), ...(head.layers.adsb?.parts ?? [])];
  const announced = parts.flatMap(({ bodies }) => bodies).reduce((sum, bytes) => sum + bytes, end);
  if (announced !== answer.byteLength) throw new Error(`${answer.byteLength} bytes where ${announced} were announced`);
  return head;
}
