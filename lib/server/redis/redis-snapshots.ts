import 'server-only';
import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import type { Bbox } from '#lib/geo/bbox.ts';
import { bboxesTouch } from '#lib/geo/bboxes-touch.ts';
import { splitAtAntimeridian } from '#lib/geo/split-at-antimeridian.ts';
import type { Layer } from '#lib/model/position.ts';
import { type LocalInstant, msBetween, type UpstreamInstant } from '#lib/time/instant.ts';
import type { Lease } from '../ports/lease.ts';
import type { AreaRecords, AreaSnapshot, Snapshots } from '../ports/snapshots.ts';
import type { RedisConnection } from './connection/redis-connection.ts';
import { RedisFailure } from './connection/redis-failure.ts';
import { asShared, readSnapshot, snapshotBody } from './snapshot-body.ts';
import { type Changes, SnapshotIndex } from './snapshot-index.ts';

export interface RedisSnapshotsOptions {
  readonly connection: RedisConnection;
  readonly now: () => LocalInstant;
  readonly log: Pick<Logger, 'warn'>;
  /** How old an answer may be with respect to the store: so often it is asked what changed, however many read. */
  readonly checkEveryMs?: number;
}

const CHECK_EVERY_MS = 200;

/**
 * The snapshots that several servers share. Each server has those of the store in its memory, and reads what changed, once for all of its viewers.
 * While the store does not answer, what is in memory is read, with its true age.
 */
export class RedisSnapshots implements Snapshots {
  readonly #options: RedisSnapshotsOptions;
  readonly #index: SnapshotIndex;
  readonly #held = new Map<string, AreaSnapshot>();
  /** The highest sequence that this server has seen of any area. */
  #highest = 0;
  #run = '';
  #version = 0;
  #checkedAt: LocalInstant | undefined;
  #checking: Promise<void> | undefined;

  constructor(options: RedisSnapshotsOptions) {
    this.#options = options;
    this.#index = new SnapshotIndex(options.connection);
  }

  async intersecting(layer: Layer, bbox: Bbox): Promise<readonly AreaSnapshot[]> {
    await this.#check();
    const parts = splitAtAntimeridian(bbox);
    return [...this.#held.values()]
      .filter(({ area }) => area.layer === layer && parts.some((part) => bboxesTouch(part, area.bbox)))
      .sort((a, b) => msBetween(a.fetchedAt, b.fetchedAt));
  }

  /** @throws RedisFailure where it is not known to be written */
  async put(records: AreaRecords, lease: Lease): Promise<AreaSnapshot | undefined> {
    const { shared, quantised } = asShared(records);
    const body = await snapshotBody(shared, quantised);
    const { key } = records.area;
    const sequence = await this.#index.put(key, lease, shared.fetchedAt, body, this.#highest, randomUUID());
    if (sequence === undefined) return undefined;
    const snapshot: AreaSnapshot = { ...shared, sequence };
    this.#hold(snapshot);
    return snapshot;
  }

  /** Here at once; in the store as soon as it answers. */
  async forgetBefore(fetchedBefore: UpstreamInstant, keep: ReadonlySet<string>): Promise<void> {
    await this.#check();
    const old = [...this.#held].filter(([key, { fetchedAt }]) => fetchedAt < fetchedBefore && !keep.has(key));
    if (old.length === 0) return;
    for (const [key] of old) this.#held.delete(key);
    await this.#unlessLost(() => this.#index.forgetBefore(fetchedBefore, keep));
  }

  /** Reads what changed, unless that was asked a moment ago: one question for all who read at the same time. */
  async #check(): Promise<void> {
    const { now, checkEveryMs = CHECK_EVERY_MS } = this.#options;
    if (this.#checking !== undefined) return this.#checking;
    if (this.#checkedAt !== undefined && Math.abs(msBetween(this.#checkedAt, now())) < checkEveryMs) return;
    this.#checkedAt = now();
    this.#checking = this.#unlessLost(() => this.#readChanges()).finally(() => {
      this.#checking = undefined;
    });
    await this.#checking;
  }

  async #readChanges(): Promise<void> {
    const changes = await this.#index.changes(this.#run, this.#version);
    const wanted = changes.entries.filter(({ key, sequence }) => this.#held.get(key)?.sequence !== sequence);
    const bodies = await this.#index.bodies(wanted.map(({ key }) => key));
    // After the store has lost everything its sequences may be lower.
    if (changes.run !== this.#run) for (const { key } of wanted) this.#held.delete(key);
    for (const body of bodies) if (body !== null) await this.#take(body);
    this.#forgetMissing(changes);
    this.#run = changes.run;
    this.#version = changes.version;
  }

  async #take(body: Buffer): Promise<void> {
    try {
      this.#hold(await readSnapshot(body));
    } catch (error) {
      this.#options.log.warn({ err: error }, 'a snapshot in the shared store cannot be read');
    }
  }

  #hold(snapshot: AreaSnapshot): void {
    this.#highest = Math.max(this.#highest, snapshot.sequence);
    const { key } = snapshot.area;
    const held = this.#held.get(key);
    // A read may have begun before a write and end after it.
    if (held && held.sequence > snapshot.sequence) return;
    // Of two that were fetched at the same time, the later one is the first to be read.
    this.#held.delete(key);
    this.#held.set(key, snapshot);
  }

  /** A store that lost everything has not forgotten it: what is here ages on until it is read anew or forgotten. */
  #forgetMissing({ run, isAll, entries, forgotten }: Changes): void {
    for (const key of forgotten) this.#held.delete(key);
    if (!isAll || run !== this.#run) return;
    const known = new Set(entries.map(({ key }) => key));
    for (const key of [...this.#held.keys()]) if (!known.has(key)) this.#held.delete(key);
  }

  async #unlessLost(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!(error instanceof RedisFailure)) throw error;
    }
  }
}
