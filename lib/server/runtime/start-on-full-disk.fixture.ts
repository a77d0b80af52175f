// node --conditions=react-server start-on-full-disk.fixture.ts FOLDER, with the settings of a server in its environment.
// Starts it, fills its small disk FOLDER, starts it again, and makes room. Prints what is read each time.
import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { startRuntime } from '../compose.ts';

const [folder = ''] = process.argv.slice(2);
const filler = join(folder, 'filler');
const view = { west: 7, south: 46, east: 9, north: 48 };
const seen: unknown[] = [];

/** @param isReady that ends the wait */
async function readUntil(started: Awaited<ReturnType<typeof startRuntime>>, isReady: boolean): Promise<void> {
  for (;;) {
    const page = { operator: 'al', session: undefined, page: 'p' };
    const { layers } = await started.live.reader.read(page, view, ['adsb']);
    const { ready, missing } = await started.readiness.read();
    if (layers.adsb?.state !== 'fresh' || ready !== isReady) {
      await delay(50);
      continue;
    }
    const zones = await started.zones.list({ owner: undefined, name: '', actor: '', isAdmin: true });
    seen.push({ records: layers.adsb.records.length, missing, zones: zones.length });
    return;
  }
}

const first = await startRuntime();
await readUntil(first, true);
await first.close();

const descriptor = openSync(filler, 'w');
try {
  for (;;) writeSync(descriptor, Buffer.alloc(1024, 'x'));
} catch {
  closeSync(descriptor);
}
const second = await startRuntime();
await readUntil(second, false);
rmSync(filler);
await readUntil(second, true);
await second.close();
process.stdout.write(`\n${JSON.stringify(seen)}\n`);
process.exit(0);
