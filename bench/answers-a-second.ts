import { Pool } from 'undici';
import { type Spread, spread } from './spread.ts';

export interface Rate {
  readonly answers_a_second: number;
  readonly ms: Spread & { readonly p99: number };
  readonly bytes: number;
}

/**
 * Sends requests back to back over a few connections.
 * @throws Error if an answer is not 200
 */
export async function answersASecond(
  url: string,
  { answers, connections, headers = {} }: { answers: number; connections: number; headers?: Record<string, string> },
): Promise<Rate> {
  const { origin, pathname, search } = new URL(url);
  const pool = new Pool(origin, { connections });
  const path = pathname + search;
  const tookMs: number[] = [];
  let left = answers;
  let bytes = 0;
  const sendUntilDone = async () => {
    while (left-- > 0) {
      const sent = performance.now();
      const { statusCode, body } = await pool.request({ method: 'GET', path, headers });
      bytes = (await body.arrayBuffer()).byteLength;
      if (statusCode !== 200) throw new Error(`${url} answered ${statusCode}`);
      tookMs.push(performance.now() - sent);
    }
  };
  const began = performance.now();
  await Promise.all(Array.from({ length: connections }, sendUntilDone));
  const tookS = (performance.now() - began) / 1000;
  await pool.close();
  const p99 = tookMs.toSorted((a, b) => a - b)[Math.ceil(0.99 * tookMs.length) - 1] ?? Number.NaN;
  return {
    answers_a_second: Math.round(answers / tookS),
    ms: { ...spread(tookMs), p99: Math.round(p99 * 100) / 100 },
    bytes,
  };
}
