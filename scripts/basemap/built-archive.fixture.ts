import { readFileSync } from 'node:fs';
import path from 'node:path';
import { FileSource, PMTiles } from 'pmtiles';
import { beforeAll } from 'vitest';
import { prepareBasemap } from '../setup/prepare.ts';

export const ROOT = path.resolve(import.meta.dirname, '../..');

const BUILD_TIMEOUT_MS = 120_000;

/** @param name URL path of the archive */
export function builtArchive(name: string) {
  const file = path.join(ROOT, 'public', name);
  let reader: PMTiles;
  beforeAll(async () => {
    await prepareBasemap(ROOT, () => undefined);
    reader = archiveReader(readFileSync(file));
  }, BUILD_TIMEOUT_MS);
  return { file, reader: () => reader };
}

export function archiveReader(archive: Uint8Array): PMTiles {
  return new PMTiles(new FileSource(new File([new Uint8Array(archive)], 'archive.pmtiles')));
}
