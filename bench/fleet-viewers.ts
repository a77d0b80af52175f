import { setTimeout as delay } from 'node:timers/promises';
import { request } from 'undici';
import type { LayerState } from '#lib/api/layer-state.ts';

/** Places too far from each other for one request. */
const WESTS = [-120, -40, 7, 60, 100, 140];
const POLL_MS = 500;
const ANSWER_MAX_MS = 10_000;

/** What viewers of a fleet were answered. */
export interface Answered {
  answers: number;
  /** By status, or why there was none. */
  readonly failed: Record<string, number>;
  /** Fresh by its own words, and older than that may be. */
  wrong: number;
  /** Of what was shown: how old it was at most. */
  longestAgeMs: number;
  /** By place, when the youngest picture that was shown of it was read. */
  readonly newestMs: Map<string, number>;
}

export function nothingAnswered(): Answered {
  return {
    answers: 0,
    failed: {},
    wrong: 0,
    longestAgeMs: 0,
    newestMs: new Map(WESTS.map((west) => [boxOf(west), 0])),
  };
}

function boxOf(west: number): string {
  return `${west},46,${west + 1},47`;
}

interface Answer {
  readonly as_of: string;
  readonly layers: { readonly adsb: { readonly state: LayerState; readonly fetched_at: string | null } };
}

/** Polls a live picture as a page does, through whatever answers at the address, until it is told to stop. */
export async function viewer(
  url: string,
  index: number,
  freshMaxMs: number,
  answered: Answered,
  isOver: () => boolean,
): Promise<void> {
  const box = boxOf(WESTS[index % WESTS.length] as number);
  const path = `/api/live?bbox=${box}&layers=adsb&page=viewer-${index}`;
  while (!isOver()) {
    try {
      // As a new connection: nginx closes those that are idle when its list changes, and this client does not ask again.
      const { statusCode, body } = await request(url + path, {
        reset: true,
        signal: AbortSignal.timeout(ANSWER_MAX_MS),
      });
      const text = await body.text();
      if (statusCode === 200) take(box, JSON.parse(text) as Answer, freshMaxMs, answered);
      else count(answered, String(statusCode));
    } catch (error) {
      count(answered, error instanceof Error ? error.name : String(error));
    }
    await delay(POLL_MS);
  }
}

function take(box: string, { as_of, layers }: Answer, freshMaxMs: number, answered: Answered): void {
  answered.answers++;
  const { state, fetched_at } = layers.adsb;
  if (fetched_at === null) return;
  const fetchedMs = Date.parse(fetched_at);
  const ageMs = Date.parse(as_of) - fetchedMs;
  answered.longestAgeMs = Math.max(answered.longestAgeMs, ageMs);
  answered.newestMs.set(box, Math.max(answered.newestMs.get(box) ?? 0, fetchedMs));
  if (state === 'fresh' && ageMs > freshMaxMs) answered.wrong++;
}

function count(answered: Answered, why: string): void {
  answered.failed[why] = (answered.failed[why] ?? 0) + 1;
}
