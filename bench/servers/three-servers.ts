import { setTimeout as delay } from 'node:timers/promises';
import { type RunningServers, type ServersSetting, startServers } from '../../e2e/running/running-servers.ts';
import { built } from '../built.ts';

export async function withThreeServers<Result>(
  setting: Omit<ServersSetting, 'servers'>,
  measure: (all: RunningServers) => Promise<Result>,
): Promise<Result> {
  await built();
  const all = await startServers({ servers: 3, ...setting });
  try {
    return await measure(all);
  } finally {
    await all.stop();
  }
}

export async function again(everyMs: number, isOver: () => boolean, run: () => Promise<void>): Promise<void> {
  for (; !isOver(); await delay(everyMs)) await run();
}

export function halfHourAt(bbox: string): string {
  const end = Math.floor(Date.now() / 60_000 - 2) * 60_000;
  const [from, to] = [end - 30 * 60_000, end].map((ms) => new Date(ms).toISOString());
  return `/api/history?bbox=${bbox}&layers=adsb&start=${from}&end=${to}`;
}
