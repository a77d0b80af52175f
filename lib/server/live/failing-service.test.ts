import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, onTestFinished, test } from 'vitest';
import type { FailureReason } from '#lib/api/layer-reason.ts';
import type { LayerState } from '#lib/api/layer-state.ts';
import type { LiveAnswer } from '#lib/api/live-answer.ts';
import { HOUR_MS, MINUTE_MS } from '#lib/time/time-units.ts';
import type { FaultSetting } from '#service/faults/fault.ts';
import { ask } from '#testing/api-requests.ts';
import { type LookoutHere, startLookoutHere } from '#testing/lookout-here.ts';

let lookout: LookoutHere;
afterEach(() => lookout.stop());

const LAYERS = ['rid', 'adsb'] as const;
type Layer = (typeof LAYERS)[number];
const live = async (): Promise<LiveAnswer> =>
  (await ask(`${lookout.url}/api/live?bbox=7,46,10,48&layers=rid,adsb`)).json();
const stateOf = async (layer: Layer) => {
  const { state, reason } = (await live()).layers[layer] ?? {};
  return [state, reason];
};
const ageMs = ({ as_of, layers }: LiveAnswer, layer: Layer) =>
  Date.parse(as_of) - Date.parse(layers[layer]?.fetched_at ?? '');

async function recovers(): Promise<void> {
  for (const layer of LAYERS) await expect.poll(() => stateOf(layer)).toEqual(['fresh', null]);
}

interface Failure {
  readonly fault: FaultSetting;
  readonly layers?: readonly Layer[];
  readonly shown: readonly [LayerState, FailureReason];
  /** In the eight seconds after the first answers: both layers have one in flight. */
  readonly requestsMax: number;
  readonly endsMs: number;
}

/** lib/server/live/failure-table.test.ts and reason-table.test.ts have each one alone, to the second. */
const FAILURES: Readonly<Record<string, Failure>> = {
  '503': {
    fault: { kind: 'status', status: 503 },
    shown: ['stale', 'service_busy'],
    requestsMax: 6,
    endsMs: MINUTE_MS,
  },
  '200 with HTML': {
    fault: { kind: 'html' },
    shown: ['stale', 'service_unreachable'],
    requestsMax: 6,
    endsMs: MINUTE_MS,
  },
  'JSON that is cut off': {
    fault: { kind: 'cut_json' },
    shown: ['stale', 'answer_unreadable'],
    requestsMax: 6,
    endsMs: MINUTE_MS,
  },
  '429 with Retry-After': {
    fault: { kind: 'status', status: 429, retry_after: '90' },
    shown: ['limited', 'allowance_used_up'],
    requestsMax: 2,
    endsMs: 90_000,
  },
  '429 without Retry-After': {
    fault: { kind: 'status', status: 429, retry_after: null, as: 'html' },
    shown: ['stale', 'service_unreachable'],
    requestsMax: 2,
    endsMs: 2 * MINUTE_MS,
  },
  '403 for one layer': {
    fault: { kind: 'status', status: 403, operation: 'live_rid' },
    layers: ['rid'],
    shown: ['denied', 'layer_not_approved'],
    requestsMax: 1,
    endsMs: 16 * MINUTE_MS,
  },
  '401': {
    fault: { kind: 'status', status: 401 },
    shown: ['failed', 'key_refused'],
    requestsMax: 1,
    endsMs: HOUR_MS + MINUTE_MS,
  },
};

test('each failure of the service has its reason, costs few requests, leaves the positions and the other layer, and ends', async () => {
  lookout = await startLookoutHere({ service: { options: ['--tracks', '300,100'] } });
  await recovers();
  for (const [what, { fault, layers = LAYERS, shown, requestsMax, endsMs }] of Object.entries(FAILURES)) {
    lookout.service.breakWith(fault);
    // Every refresh is due.
    lookout.moveClock(5000);
    for (const layer of layers) await expect.poll(() => stateOf(layer), { message: what }).toEqual(shown);
    lookout.moveClock(8000);
    const answer = await live();
    for (const layer of layers) {
      expect(answer.layers[layer]?.records.length, what).toBeGreaterThan(0);
      expect(ageMs(answer, layer), what).toBeGreaterThanOrEqual(8000);
      expect(await stateOf(layer), what).toEqual(shown);
    }
    const others = LAYERS.filter((layer) => !layers.includes(layer));
    for (const layer of others) await expect.poll(() => stateOf(layer), { message: what }).toEqual(['fresh', null]);
    const made = lookout.service
      .requests()
      .filter(({ operation }) => layers.some((layer) => operation === `live_${layer}`));
    expect(made.length, what).toBeLessThanOrEqual(requestsMax);
    lookout.service.mend();
    lookout.moveClock(endsMs);
    await recovers();
  }
});

test('a key that is wrong from the start shows no empty sky, costs one request, and its replacement is tried at once', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'lookout-key-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const keyFile = join(folder, 'key');
  writeFileSync(keyFile, 'a-key-that-was-never-valid');
  lookout = await startLookoutHere({ settings: { POSITIONS_API_KEY_FILE: keyFile } });
  for (const layer of LAYERS) await expect.poll(() => stateOf(layer)).toEqual(['failed', 'key_refused']);
  const { layers } = await live();
  for (const layer of LAYERS) {
    expect([layers[layer]?.fetched_at, layers[layer]?.records]).toEqual([null, []]);
    expect(Date.parse(layers[layer]?.failing_since ?? '')).toBeLessThanOrEqual(Date.now());
  }
  lookout.moveClock(MINUTE_MS);
  await live();
  expect(lookout.service.requests()).toHaveLength(1);
  writeFileSync(keyFile, lookout.service.apiKey);
  await recovers();
});
