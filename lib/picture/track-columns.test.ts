import { expect, test } from 'vitest';
import { growTrackColumns, makeTrackColumns, type TrackColumns } from './track-columns.ts';

const arrays = (columns: TrackColumns) =>
  Object.entries(columns).filter((entry): entry is [string, Float64Array] => ArrayBuffer.isView(entry[1]));

test('growing doubles every column and keeps its contents', () => {
  const columns = makeTrackColumns(4);
  columns.end = 4;
  for (const [position, [, column]] of arrays(columns).entries()) column.fill(position + 1);
  growTrackColumns(columns);
  expect(columns.capacity).toBe(8);
  expect(columns.end).toBe(4);
  for (const [position, [name, column]] of arrays(columns).entries()) {
    const width = name === 'rgb' ? 3 : 1;
    expect(column.length, name).toBe(8 * width);
    expect([...column.subarray(0, 4 * width)], name).toEqual(Array.from({ length: 4 * width }, () => position + 1));
    expect([...column.subarray(4 * width)], name).toEqual(Array.from({ length: 4 * width }, () => 0));
  }
});
