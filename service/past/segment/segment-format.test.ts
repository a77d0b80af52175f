import { expect, test } from 'vitest';
import { addMs, upstreamInstant } from '#lib/time/instant.ts';
import { observation } from '../../conformance/listed-source.ts';
import { trackKey } from '../arbitrary-observation.fixture.ts';
import { PART_NAMES, writeChunk, writeDictionary } from '../columns/chunk.ts';
import { TrackOrder, writeTrackBoxes } from '../columns/track-order.ts';
import { Rows } from '../rows.ts';
import { storeObservation } from '../stored-observation.ts';
import { writeFooter } from './segment-bytes.ts';

const PERIOD = { layer: 'adsb', start: upstreamInstant(Date.UTC(2026, 10, 23, 3, 20)) } as const;

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');

test('the bytes of a segment never change, since a disk keeps them for a month', () => {
  const rows = new Rows();
  for (let row = 0; row < 12; row += 1) {
    storeObservation(
      rows,
      observation({
        sourceId: trackKey(row % 3),
        observedAt: addMs(PERIOD.start, row * 1100),
        lon: 8 + ((row * 7) % 100) / 1000,
        lat: 47.5 - row / 300,
        altitudeM: row % 4 === 0 ? null : row * 7.62,
        headingDeg: 0,
        confidence: row % 5 === 0 ? null : 'multi_station',
      }),
    );
  }
  const order = new TrackOrder(rows, 1e6);
  const parts = writeChunk(rows, order, 0, rows.length);
  expect(PART_NAMES.map((name) => `${name} ${hex(parts[name])}`)).toMatchInlineSnapshot(`
    [
      "times 00000000030000000104040401024c040104010101060606060606060606",
      "places 0502e803029c0d0d3e0000012a00002a00002a000005010104aa0c0a611a1aa90000050000021f00001f00001f00004e00004e00004e0000",
      "reports 02db0e02fa02010401120106000c000c060d0606010370110101020000000102591f010200000001010100000102ee0201020000000101030102000000027d0e0101010200000001010100000101010000",
    ]
  `);
  const keys = Array.from(order.tracks, (track) => rows.trackKeys[track] ?? '');
  expect(hex(writeDictionary(keys, rows.labels))).toMatchInlineSnapshot(
    `"030000000000000000000000000000000000000200000000000000000000000000000001000000000000000000000000000000005b226e6f6e65222c226d756c74695f73746174696f6e225d"`,
  );
  expect(hex(writeTrackBoxes(rows, order))).toMatchInlineSnapshot(
    `"0360afaf913636f40000044a0c0a771a1aa8000005000002181818f6f6f602303030757575"`,
  );
  const block = { offset: 0, length: 7, crc: 0xfedcba98 };
  const chunk = {
    count: 12,
    firstMs: 0,
    lastMs: 12_100,
    box: { west: -8, south: 46, east: 9, north: 47 },
    parts: { times: block, places: block, reports: block },
  };
  const footer = { ...PERIOD, isWhole: true, dictionary: block, trackBoxes: block, chunks: [chunk] };
  expect(hex(writeFooter(footer))).toMatchInlineSnapshot(
    `"000000000000b0ae66207a42010000000700000098badcfe0700000098badcfe010000000c00000000000000442f0000f8ffffff2e000000090000002f0000000700000098badcfe0700000098badcfe0700000098badcfe58000000e9feeff90300000050534b4c"`,
  );
});
