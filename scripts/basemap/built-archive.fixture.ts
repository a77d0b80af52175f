import path from 'node:path';
import { PMTiles } from 'pmtiles';
import { afterAll, beforeAll } from 'vitest';
import { ROOT } from './basemap-stamp.ts';
import { buildBasemap } from './build-basemap.ts';
import { FileSource } from './file-source.ts';

/** A build takes seconds of one core, longer if the core is shared. */
const BUILD_TIMEOUT_MS = 120_000;

/**
 * Builds what is missing of the basemap before the tests of a file, and opens one of its archives for them.
 * @param name as the browser asks for it, below `public`
 */
export function builtArchive(name: string) {
  const file = path.join(ROOT, 'public', name);
  let source: FileSource;
  let reader: PMTiles;
  beforeAll(async () => {
    await buildBasemap();
    source = await FileSource.open(file);
    reader = new PMTiles(source);
  }, BUILD_TIMEOUT_MS);
  afterAll(() => source.close());
  return { file, reader: () => reader };
}
