import 'server-only';
import { createHash } from 'node:crypto';
import type { QuantisedRecords } from '#lib/codec/quantised-records.ts';
import { positionsOf } from '#lib/codec/record-columns.ts';
import type { Position } from '#lib/model/position.ts';
import { type AreaLink, linksFrom } from '../live/area-links.ts';
import type { AreaBodies, AreaSnapshot } from '../ports/snapshots.ts';
import type { SnapshotBody, SnapshotHead } from './snapshot-body.ts';

/** A delta as it is stored, with the head of the snapshot that it leads to. */
export interface StoredLink extends AreaLink, SnapshotBody {}

export interface StoredSnapshotOptions {
  /** Of the store: sequences of one mean the same at all servers. */
  readonly run: string;
  readonly sequence: number;
  readonly head: SnapshotHead;
  /** The full one, compressed. */
  readonly frame: Uint8Array;
  readonly records: QuantisedRecords;
  /** Those that lead to it. */
  readonly links: readonly StoredLink[];
}

/** A snapshot of the store. Viewers are given the frames that are there; positions are made of them when somebody needs them. */
export class StoredSnapshot implements AreaSnapshot {
  readonly run: string;
  readonly sequence: number;
  readonly records: QuantisedRecords;
  readonly links: readonly StoredLink[];
  readonly #head: SnapshotHead;
  readonly #frame: Uint8Array;
  #name: string | undefined;
  #positions: ReadonlyMap<string, Position> | undefined;

  constructor({ run, sequence, head, frame, records, links }: StoredSnapshotOptions) {
    this.run = run;
    this.sequence = sequence;
    this.records = records;
    this.links = links;
    this.#head = head;
    this.#frame = frame;
  }

  get area() {
    return this.#head.area;
  }

  get fetchedAt() {
    return this.#head.fetchedAt;
  }

  get readAt() {
    return this.#head.readAt;
  }

  get incomplete() {
    return this.#head.incomplete;
  }

  get unreadable() {
    return this.#head.unreadable;
  }

  get positions(): ReadonlyMap<string, Position> {
    this.#positions ??= positionsByReference(this.records);
    return this.#positions;
  }

  async bodies(cachedSequence: (name: string) => number | undefined): Promise<AreaBodies> {
    this.#name ??= `${this.run}-${createHash('sha256').update(this.area.key).digest('hex').slice(0, 12)}`;
    const name = this.#name;
    const links = linksFrom(cachedSequence(name), this.sequence, this.links);
    if (!links) return { name, deltas: false, bodies: [this.#frame] };
    return { name, deltas: true, bodies: links.map(({ frame }) => frame) };
  }
}

export function positionsByReference(records: QuantisedRecords): ReadonlyMap<string, Position> {
  return new Map(positionsOf(records).map((position) => [position.ref, position]));
}
