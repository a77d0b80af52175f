import { afterEach, expect, test } from 'vitest';
import { freePort } from '#testing/free-port.ts';
import { readConfig } from '../settings/config.ts';
import { startMetricsListener } from './metrics-listener.ts';

const listeners: Awaited<ReturnType<typeof startMetricsListener>>[] = [];
afterEach(() => {
  for (const listener of listeners.splice(0)) listener.close();
});

/** As servers of one machine start with one file of settings. */
async function start(METRICS_PORT: string, PORT: number): Promise<string> {
  const name = `server:${PORT}`;
  const shared = { POSITIONS_API_URL: 'https://positions.example/v1', POSITIONS_API_KEY: 'key', METRICS_PORT };
  const read = readConfig({ ...shared, PORT: String(PORT), SERVER_NAME: name } as unknown as NodeJS.ProcessEnv);
  const port = read.ok ? read.config.metrics.port : undefined;
  if (port === undefined) throw new Error(JSON.stringify(read));
  const metrics = { text: async () => name, contentType: 'text/plain' };
  listeners.push(await startMetricsListener(port, metrics, () => undefined));
  const answer = await fetch(`http://127.0.0.1:${port}/metrics`);
  return answer.text();
}

test('three servers with one METRICS_PORT each have a port, or the refused ones know the line to write', async () => {
  const port = await freePort();
  expect(await start(String(port), 3001)).toBe('server:3001');
  for (const refused of [3002, 3003])
    await expect(start(String(port), refused)).rejects.toThrow(
      `metrics cannot be served on 127.0.0.1:${port}, which another process uses. For several servers on one machine, write METRICS_PORT=+6000: each adds it to its PORT.`,
    );
  for (const _ of [1, 2, 3]) {
    const own = (await freePort()) - 6000;
    expect(await start('+6000', own)).toBe(`server:${own}`);
  }
});
