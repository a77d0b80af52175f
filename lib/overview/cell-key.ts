import { WORLD_COLUMNS } from './cells.ts';
import { KINDS } from './kinds.ts';

/** In columns and rows of the hour's cells. */
export function cellKey(column: number, row: number, kind: number): number {
  return (row * WORLD_COLUMNS + column) * KINDS + kind;
}

export function kindOfKey(key: number): number {
  return key % KINDS;
}

export function columnOfKey(key: number): number {
  return Math.floor(key / KINDS) % WORLD_COLUMNS;
}

export function rowOfKey(key: number): number {
  return Math.floor(key / KINDS / WORLD_COLUMNS);
}
