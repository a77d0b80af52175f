import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { pictureArchive, protomapsArchive } from '#testing/region-archive.ts';
import { configuredMapProblems, configuredMaps } from './map-setting.ts';

let folder: string;
let archive: Buffer;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'lookout-maps-'));
  archive = Buffer.from(protomapsArchive());
  mkdirSync(join(folder, 'folder.pmtiles'));
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

function written(name: string, content: Uint8Array): string {
  const file = join(folder, name);
  writeFileSync(file, content);
  return file;
}

const problemsOf = (setting: string) => configuredMapProblems(configuredMaps(setting));

function withByte(at: number, value: number): Buffer {
  const changed = Buffer.from(archive);
  changed.writeUInt8(value, at);
  return changed;
}

test('vector tiles in the Protomaps schema and pictures are taken, by the name of the file or one given', () => {
  const region = written('Zürich.pmtiles', archive);
  const survey = written('a=b.pmtiles', pictureArchive([200, 100, 50]));
  expect(configuredMaps(` ${region}, Airfield = ${survey} ,`)).toEqual([
    { name: 'Zürich', file: region },
    { name: 'Airfield', file: survey },
  ]);
  expect(problemsOf(`${region},Airfield=${survey}`)).toEqual([]);
  expect(
    problemsOf(written('unnamed.pmtiles', protomapsArchive({ vector_layers: undefined, version: undefined }))),
  ).toEqual([]);
});

test('reports all problems at once, each with its correction', () => {
  const fine = written('fine.pmtiles', archive);
  expect(
    problemsOf(`A=${fine},a=${fine},built-in=${fine},=${fine},B=/nowhere.pmtiles,C=${folder}/folder.pmtiles`),
  ).toEqual([
    expect.stringMatching(/two maps called “a”; give each its own name/),
    expect.stringMatching(/“built-in”.*another name/),
    expect.stringMatching(/1 to 40 printable characters/),
    expect.stringMatching(/nowhere\.pmtiles, which cannot be read \(ENOENT\)/),
    expect.stringMatching(/folder\.pmtiles, which is not a file/),
  ]);
});

test.each([
  ['empty', () => Buffer.alloc(0), /is not a PMTiles archive/],
  ['something else', () => Buffer.alloc(4096, 'x'), /is not a PMTiles archive/],
  ['version 2', () => withByte(7, 2), /of version 2; convert it/],
  [
    'half a file',
    () => archive.subarray(0, archive.byteLength / 2),
    /is cut short: it has \d+ bytes of \d+; copy it again/,
  ],
  ['a header alone', () => archive.subarray(0, 127), /is cut short/],
  ['an elevation model', () => withByte(99, 6), /kind that is not drawn/],
  ['brotli', () => withByte(98, 3), /browsers do not undo/],
  ['a broken directory', () => withByte(127, 0), /damaged: its directory/],
  [
    'another schema',
    () => protomapsArchive({ vector_layers: [{ id: 'transportation' }] }),
    /transportation.*MAP_STYLE_URL/,
  ],
  ['an old schema', () => protomapsArchive({ version: '3.7.1' }), /version 3\.7\.1 of the Protomaps schema/],
])('a file that is %s is refused', (name, content, problem) => {
  expect(problemsOf(written(`${name}.pmtiles`, content()))).toEqual([expect.stringMatching(problem)]);
});

test('no damage to a file is more than a problem', () => {
  const file = join(folder, 'damaged.pmtiles');
  const damage = fc.record({
    at: fc.oneof(fc.integer({ min: 0, max: 200 }), fc.nat({ max: archive.byteLength - 1 })),
    value: fc.integer({ min: 0, max: 255 }),
    cut: fc.option(fc.nat({ max: archive.byteLength })),
  });
  fc.assert(
    fc.property(damage, ({ at, value, cut }) => {
      writeFileSync(file, withByte(at, value).subarray(0, cut ?? undefined));
      for (const problem of problemsOf(file)) expect(problem).toContain('damaged.pmtiles, which ');
    }),
    { numRuns: 200 },
  );
});

test('no text of the setting is more than a problem', () => {
  fc.assert(
    fc.property(fc.string(), (setting) => {
      expect(Array.isArray(problemsOf(setting))).toBe(true);
    }),
  );
});
