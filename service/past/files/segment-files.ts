import { readdir, rm, rmdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Layer } from '#lib/contract/operation.ts';
import { type LayerPeriod, periodKey, periodName, periodNamed } from '../period.ts';
import { UNFINISHED_SUFFIX } from './write-whole.ts';

const EXTENSION = '.segment';

/** The path of a segment, such as `20261123/adsb-20261123T032000Z.segment`. */
export function segmentFile(folder: string, { layer, start }: LayerPeriod): string {
  const name = periodName(start);
  return join(folder, name.slice(0, 8), `${layer}-${name}${EXTENSION}`);
}

/** Deletes unfinished files of an earlier process. */
export async function listSegments(folder: string): Promise<Map<string, LayerPeriod>> {
  const found = new Map<string, LayerPeriod>();
  for (const day of await readdir(folder, { withFileTypes: true })) {
    if (!day.isDirectory()) continue;
    for (const name of await readdir(join(folder, day.name))) {
      if (name.endsWith(UNFINISHED_SUFFIX) && periodOfFile(name.slice(0, -UNFINISHED_SUFFIX.length)))
        await rm(join(folder, day.name, name), { force: true });
      const period = periodOfFile(name);
      if (period && segmentFile(folder, period) === join(folder, day.name, name)) found.set(periodKey(period), period);
    }
  }
  return found;
}

export async function deleteSegment(folder: string, period: LayerPeriod): Promise<void> {
  const file = segmentFile(folder, period);
  await rm(file, { force: true });
  await rmdir(dirname(file)).catch(() => undefined);
}

function periodOfFile(name: string): LayerPeriod | undefined {
  const [, layer, time] = /^(adsb|rid)-(\w+)\.segment$/.exec(name) ?? [];
  const start = periodNamed(time ?? '');
  return start === undefined ? undefined : { layer: layer as Layer, start };
}
