import { setTimeout as delay } from 'node:timers/promises';
import { request } from 'undici';
import { FRESH_MAX_MS, type LayerState } from '#lib/api/layer-state.ts';
import type { RunningServers } from '../e2e/running/running-servers.ts';
import { signedIn } from './signed-in.ts';

/** Places too far from each other for one request. */
const WESTS = [-120, -40, 7, 60, 100, 140];
const POLL_MS = 500;
const ANSWER_MAX_MS = 10_000;

/** What viewers were answered. */
export interface Answered {
  answers: number;
  /** Statuses other than 200 and failed connections, by name. */
  readonly failed: Record<string, number>;
  /** Called fresh, and older than fresh may be. */
  wrong: number;
  /** Age of what was shown, at most. */
  longestAgeMs: number;
  /** When the newest picture of each place was read. */
  readonly newestMs: Map<string, number>;
}

export interface Viewers {
  readonly answered: Answered;
  /** Whether every place shows what was read at that moment or later. */
  isReadSince(ms: number): boolean;
  /** Resolves when the last answer has come. */
  end(): Promise<void>;
}

/** Viewers who poll twice a second through nginx, of every operator as many. */
export async function startViewers({ url, operators }: RunningServers, count: number): Promise<Viewers> {
  const cookies: string[] = [];
  for (const operator of operators) cookies.push(await signedIn(url, operator));
  const answered: Answered = {
    answers: 0,
    failed: {},
    wrong: 0,
    longestAgeMs: 0,
    newestMs: new Map(WESTS.map((west) => [boxOf(west), 0])),
  };
  let isOver = false;
  const all = Array.from({ length: count }, async (_, index) => {
    const cookie = cookies[index % cookies.length] as string;
    while (!isOver) {
      await poll(url, index, cookie, answered);
      await delay(POLL_MS);
    }
  });
  return {
    answered,
    isReadSince: (ms) => Math.min(...answered.newestMs.values()) >= ms,
    async end() {
      isOver = true;
      await Promise.all(all);
    },
  };
}

function boxOf(west: number): string {
  return `${west},46,${west + 1},47`;
}

interface Answer {
  readonly as_of: string;
  readonly layers: { readonly adsb: { readonly state: LayerState; readonly fetched_at: string | null } };
}

async function poll(url: string, index: number, cookie: string, answered: Answered): Promise<void> {
  const box = boxOf(WESTS[index % WESTS.length] as number);
  try {
    const { statusCode, body } = await request(`${url}/api/live?bbox=${box}&layers=adsb&page=viewer-${index}`, {
      headers: { cookie },
      signal: AbortSignal.timeout(ANSWER_MAX_MS),
    });
    const text = await body.text();
    if (statusCode === 200) take(box, JSON.parse(text) as Answer, answered);
    else count(answered, String(statusCode));
  } catch (error) {
    count(answered, error instanceof Error ? error.name : String(error));
  }
}

function take(box: string, { as_of, layers }: Answer, answered: Answered): void {
  answered.answers++;
  const { state, fetched_at } = layers.adsb;
  if (fetched_at === null) return;
  const fetchedMs = Date.parse(fetched_at);
  const ageMs = Date.parse(as_of) - fetchedMs;
  answered.longestAgeMs = Math.max(answered.longestAgeMs, ageMs);
  answered.newestMs.set(box, Math.max(answered.newestMs.get(box) ?? 0, fetchedMs));
  if (state === 'fresh' && ageMs > FRESH_MAX_MS) answered.wrong++;
}

function count(answered: Answered, why: string): void {
  answered.failed[why] = (answered.failed[why] ?? 0) + 1;
}
