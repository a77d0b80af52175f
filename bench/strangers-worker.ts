// Sends one request over and over, over many connections, until it is terminated.
import { workerData } from 'node:worker_threads';
import { Pool } from 'undici';
import type { StrangersRequest } from './strangers.ts';

const { url, sent, connections } = workerData as { url: string; sent: StrangersRequest; connections: number };
const pool = new Pool(url, { connections, pipelining: 1 });

async function sendForever(): Promise<never> {
  for (;;) {
    try {
      const { body } = await pool.request({ ...sent, body: sent.body ?? null });
      await body.dump();
    } catch {
      // A connection that was cut is opened again.
    }
  }
}

await Promise.all(Array.from({ length: connections }, sendForever));
