import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { addMs, upstreamInstant } from '#lib/time/instant.ts';
import { PERIOD_MS, periodStart } from '../period.ts';
import type { SegmentEntry } from '../segment/segment-entry.ts';
import { Catalogue } from './catalogue.ts';

const folder = mkdtempSync(join(tmpdir(), 'catalogue-'));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const start = periodStart(upstreamInstant(1.7e12));
const entry: SegmentEntry = {
  layer: 'adsb',
  start,
  bytes: 100,
  count: 3,
  firstMs: 1,
  lastMs: 2,
  box: { west: 1, south: 2, east: 3, north: 4 },
  isReadable: true,
};

test('a change that fails leaves nothing behind, and the next one works', () => {
  const catalogue = new Catalogue(join(folder, 'catalogue.sqlite'), () => {});
  const next = { ...entry, start: addMs(start, PERIOD_MS) };
  expect(() => catalogue.put([entry, { ...next, bytes: Number.NaN }])).toThrow('NOT NULL');
  expect(catalogue.entries()).toEqual([]);
  catalogue.put([entry, next]);
  catalogue.remove(entry, next.start);
  expect(catalogue.entries()).toEqual([next]);
  expect(catalogue.keptSince()).toBe(next.start);
  catalogue.close();
});
