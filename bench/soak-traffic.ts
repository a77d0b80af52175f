import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { type Pool, request } from 'undici';
import { MINUTE_MS, SECOND_MS } from '#lib/time/time-units.ts';
import type { OperatorAccount } from '../e2e/running/operators.ts';
import { signedIn } from './signed-in.ts';

/** What was done beside watching. */
export interface Deeds {
  signIns: number;
  loads: number;
  hostile: number;
  /** What was answered otherwise than it should be. */
  readonly errors: string[];
}

const SIGN_IN_EVERY_MS = 5 * SECOND_MS;
const LOAD_EVERY_MS = 10 * SECOND_MS;
const HOSTILE_EVERY_MS = 20;
const ANSWER_MAX_MS = 30 * SECOND_MS;

/** Does something again and again; what it throws is an error that is counted. */
async function again(
  endsMs: number,
  everyMs: number,
  deeds: Deeds,
  run: (turn: number) => Promise<void>,
): Promise<void> {
  for (let turn = 0; Date.now() < endsMs; turn++) {
    try {
      await run(turn);
    } catch (error) {
      deeds.errors.push(String(error));
    }
    await delay(Math.max(0, Math.min(everyMs, endsMs - Date.now())));
  }
}

/** Signs in and out. */
export function comesAndGoes(
  url: string,
  account: OperatorAccount,
  endsMs: number,
  deeds: Deeds,
  haste: number,
): Promise<void> {
  return again(endsMs, SIGN_IN_EVERY_MS / haste, deeds, async () => {
    const cookie = await signedIn(url, account);
    const { statusCode, body } = await request(`${url}/api/session`, {
      method: 'DELETE',
      headers: { cookie, origin: url },
    });
    await body.dump();
    if (statusCode !== 204) throw new Error(`signing out was answered ${statusCode}`);
    deeds.signIns++;
  });
}

/** Loads a minute of the past of a small place to its end, each time another minute. */
export function loadsThePast(
  pool: Pool,
  cookie: string,
  index: number,
  endsMs: number,
  deeds: Deeds,
  haste: number,
): Promise<void> {
  return again(endsMs, LOAD_EVERY_MS / haste, deeds, async (turn) => {
    const end = Math.floor(Date.now() / MINUTE_MS - 2 - (turn % 20)) * MINUTE_MS;
    const [from, to] = [end - MINUTE_MS, end].map((ms) => new Date(ms).toISOString());
    const west = 8 + index / 2;
    const { statusCode, body } = await pool.request({
      method: 'GET',
      path: `/api/history?bbox=${west},47,${west + 0.3},47.2&layers=adsb&start=${from}&end=${to}`,
      headers: { cookie },
      signal: AbortSignal.timeout(ANSWER_MAX_MS),
    });
    const text = await body.text();
    if (statusCode !== 200) throw new Error(`a load was answered ${statusCode}`);
    if (!text.includes('"type":"end"')) throw new Error('a load has no end');
    deeds.loads++;
  });
}

/**
 * Opens new places as fast as the app answers, leaves loads, sends what is no request, and guesses passwords. Only what is answered with
 * 500 or more is an error.
 */
export async function hostile(url: string, account: OperatorAccount, endsMs: number, deeds: Deeds): Promise<void> {
  const cookie = await signedIn(url, account);
  // He is not at the address of the others, whose sign-ins would have to wait for his guesses.
  const headers = { cookie, origin: url, 'content-type': 'application/json', 'x-forwarded-for': '203.0.113.66' };
  const send = async (path: string, options: object = {}) => {
    const answer = await request(url + path, { headers, signal: AbortSignal.timeout(ANSWER_MAX_MS), ...options });
    await answer.body.dump();
    if (answer.statusCode >= 500) throw new Error(`${path.split('?')[0]} was answered ${answer.statusCode}`);
  };
  const past = `start=${new Date(Date.now() - 40 * MINUTE_MS).toISOString()}&end=${new Date(Date.now() - 10 * MINUTE_MS).toISOString()}`;
  const deedsOfHis: readonly ((turn: number) => Promise<void>)[] = [
    (turn) =>
      send(
        `/api/live?bbox=${(turn % 300) - 150},${(turn % 100) - 50},${(turn % 300) - 149},${(turn % 100) - 49}&page=${randomUUID()}`,
      ),
    () => send(`/api/live?bbox=${'9'.repeat(1500)}`),
    () => send('/api/%2e%2e/%00?__proto__=1'),
    () => send('/api/views', { method: 'POST', body: '{"name":"x","query":"javascript:1"}' }),
    () =>
      send('/api/session', {
        method: 'POST',
        body: JSON.stringify({ name: randomUUID(), password: 'a wrong password' }),
      }),
    async (turn) => {
      const left = AbortSignal.timeout(50);
      const path = `/api/history?bbox=${turn % 100},40,${(turn % 100) + 1},41&${past}&wide=tiles`;
      await request(url + path, { headers, signal: left })
        .then(
          ({ body }) => body.dump({ limit: 1024, signal: left }),
          () => undefined,
        )
        .catch(() => undefined);
    },
  ];
  await again(endsMs, HOSTILE_EVERY_MS, deeds, async (turn) => {
    await deedsOfHis[turn % deedsOfHis.length]?.(turn);
    deeds.hostile++;
  });
}
