import 'server-only';
import { randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import { applyDelta, decodeFull } from '#lib/codec/frame/decode-frame.ts';
import { encodeDelta, encodeFull } from '#lib/codec/frame/encode-frame.ts';
import { quantise } from '#lib/codec/quantise.ts';
import type { Bbox } from '#lib/geo/bbox.ts';
import { bboxesTouch } from '#lib/geo/bboxes-touch.ts';
import { splitAtAntimeridian } from '#lib/geo/split-at-antimeridian.ts';
import type { Layer, Position } from '#lib/model/position.ts';
import { type LocalInstant, msBetween, type UpstreamInstant } from '#lib/time/instant.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';
import { linksFrom, linksTo } from '../live/area-links.ts';
import { deflated } from '../parts/deflated.ts';
import type { AreaRead, AreaReads } from '../ports/area-reads.ts';
import type { Lease } from '../ports/lease.ts';
import type { AreaRecords, AreaSnapshot, Snapshots } from '../ports/snapshots.ts';
import type { RedisConnection } from './connection/redis-connection.ts';
import { RedisFailure } from './connection/redis-failure.ts';
import { inflated, readBody, type SnapshotHead, writeBody } from './snapshot-body.ts';
import { SnapshotIndex, type StoredArea } from './snapshot-index.ts';
import {
  positionsByReference,
  type StoredLink,
  StoredSnapshot,
  type StoredSnapshotOptions,
} from './stored-snapshot.ts';

export interface RedisSnapshotsOptions {
  readonly connection: RedisConnection;
  readonly now: () => LocalInstant;
  readonly log: Pick<Logger, 'warn'>;
  /** Told of what other servers have read, and where some of it was missed. */
  readonly reads: AreaReads;
  /** So often it is asked what changed while somebody reads, however many: the store announces changes, but an announcement may be missed. */
  readonly checkEveryMs?: number;
}

const CHECK_EVERY_MS = SECOND_MS;
/** More areas than are read within the minutes that trails go back. */
const LATEST_MAX = 5000;

/** As the store has it. */
interface Taken extends Omit<StoredSnapshotOptions, 'records'> {
  readonly previous: number;
}

/**
 * The snapshots that several servers share, as the frames that viewers are given: whoever read an area encodes it, once for all servers. Each
 * has those of the store in its memory, and reads what changed when the store announces that something did, once for all of its viewers. While the
 * store does not answer, what is in memory is read, with its true age.
 */
export class RedisSnapshots implements Snapshots {
  readonly #options: RedisSnapshotsOptions;
  readonly #index: SnapshotIndex;
  readonly #cached = new Map<string, StoredSnapshot>();
  /** By area: the latest that was here, whether it is cached or was forgotten. */
  readonly #latest = new LRUCache<string, Pick<StoredSnapshot, 'run' | 'sequence'>>({ max: LATEST_MAX });
  /** Made of what is cached when it is asked for. */
  #newestFirst: readonly StoredSnapshot[] | undefined;
  #run = '';
  /** All that changed up to then in this run was read. */
  #version = 0;
  #checkedAt: LocalInstant | undefined;
  #checking: Promise<void> | undefined;
  #puts = 0;
  /** What the store announced last, until it is asked. */
  #news: { readonly run: string; readonly version: number } | undefined;

  constructor(options: RedisSnapshotsOptions) {
    this.#options = options;
    const { connection } = options;
    this.#index = new SnapshotIndex(connection);
    this.#index.subscribe((run, version) => {
      this.#news = { run, version };
      this.#follow();
    });
    connection.onChange(({ kind }) => {
      if (kind === 'reachable') this.#checkUnasked();
    });
  }

  async intersecting(layer: Layer, bbox: Bbox): Promise<readonly AreaSnapshot[]> {
    await this.#checkAtTimes();
    const parts = splitAtAntimeridian(bbox);
    this.#newestFirst ??= [...this.#cached.values()].sort(byAge);
    return this.#newestFirst.filter(
      ({ area }) => area.layer === layer && parts.some((part) => bboxesTouch(part, area.bbox)),
    );
  }

  /** @throws RedisFailure where it is not known to be written */
  async put({ positions, ...head }: AreaRecords, lease: Lease): Promise<AreaSnapshot | undefined> {
    const { key } = head.area;
    const records = quantise(positions.values());
    const before = this.#cached.get(key);
    const [frame, delta] = await Promise.all([
      deflated(encodeFull(records)),
      before && deflated(encodeDelta(before.records, records)),
    ]);
    const link = before && delta && { run: before.run, from: before.sequence, frame: delta };
    const linked = link && { ...link, body: writeBody(head, link.frame) };
    const put = { area: key, fetchedAt: head.fetchedAt, full: writeBody(head, frame), link: linked };
    this.#puts++;
    try {
      const written = await this.#index.put(put, lease, randomBytes(4).toString('hex'));
      if (written === undefined) return undefined;
      const { run, sequence, previous } = written;
      if (run === this.#run && sequence === this.#version + 1) this.#version = sequence;
      if (!this.#followsOn(key, run, previous)) this.#missed(head);
      const links = link?.run === run ? [{ from: link.from, to: sequence, head, frame: link.frame }] : [];
      return this.#hold({ run, sequence, head, frame, records, links });
    } finally {
      this.#puts--;
      this.#follow();
    }
  }

  /** Here at once; in the store as soon as it answers. */
  /** Other servers may not have noticed: what was read has no age until it is read again. */
  setBack(): void {}

  async forgetBefore(fetchedBefore: UpstreamInstant, keep: ReadonlySet<string>): Promise<void> {
    await this.#checkAtTimes();
    const old = [...this.#cached].filter(([key, { fetchedAt }]) => fetchedAt < fetchedBefore && !keep.has(key));
    if (old.length === 0) return;
    for (const [key] of old) this.#forget(key);
    await this.#index.forgetBefore(fetchedBefore, keep).catch(unlessLost);
  }

  /** Asks the store when it has something new. What this server has just written it knows as soon as the answer is there. */
  #follow(): void {
    if (this.#news === undefined || this.#checking !== undefined || this.#puts > 0) return;
    const { run, version } = this.#news;
    this.#news = undefined;
    if (run !== this.#run || version > this.#version) this.#checkUnasked();
  }

  #checkUnasked(): void {
    this.#check().catch((error: unknown) => this.#options.log.warn({ err: error }, 'what changed cannot be read'));
  }

  /** One question for all who read at the same time. */
  async #checkAtTimes(): Promise<void> {
    const { now, checkEveryMs = CHECK_EVERY_MS } = this.#options;
    await this.#checking;
    const isKnown = this.#checkedAt !== undefined && Math.abs(msBetween(this.#checkedAt, now())) < checkEveryMs;
    if (!isKnown) await this.#check();
  }

  #check(): Promise<void> {
    this.#checkedAt = this.#options.now();
    this.#checking ??= this.#readChanges()
      .catch(unlessLost)
      .finally(() => {
        this.#checking = undefined;
        this.#follow();
      });
    return this.#checking;
  }

  async #readChanges(): Promise<void> {
    this.#news = undefined;
    let [run, version, isMore, isAll] = [this.#run, this.#version, false, false];
    const there = new Set<string>();
    do {
      const changes = await this.#index.changes(run, version, isMore);
      if (changes.isAll) there.clear();
      isAll ||= changes.isAll;
      ({ run, version, isMore } = changes);
      for (const [key, stored] of changes.areas) {
        if (stored === undefined) this.#forget(key);
        else there.add(key);
      }
      await this.#take(run, changes.areas.values());
    } while (isMore);
    // A store that lost everything has not forgotten it: what is here ages on until it is read anew or forgotten.
    if (isAll && run === this.#run) for (const key of [...this.#cached.keys()]) if (!there.has(key)) this.#forget(key);
    this.#version = run === this.#run ? Math.max(version, this.#version) : version;
    this.#run = run;
  }

  /** Those that were read first come first. */
  async #take(run: string, areas: Iterable<StoredArea | undefined>): Promise<void> {
    const taken: Taken[] = [];
    for (const stored of areas) {
      const each = stored && (await this.#readable(() => this.#taken(run, stored)));
      if (each && !this.#isOld(each)) taken.push(each);
    }
    for (const each of taken.sort((a, b) => msBetween(b.head.readAt, a.head.readAt))) {
      const { run, previous, head } = each;
      const records = await this.#readable(async () => decodeFull(await inflated(each.frame)));
      if (records === undefined) continue;
      const before = this.#cached.get(head.area.key);
      const between = this.#followsOn(head.area.key, run, previous) ? [] : await this.#readsBetween(before, each);
      const held = this.#isOld(each) ? undefined : this.#hold({ ...each, records });
      if (!between) this.#missed(head);
      for (const read of between ?? []) this.#options.reads.publish(read);
      if (held) this.#options.reads.publish(readOf(head, held.positions));
    }
  }

  async #taken(run: string, { full, links }: StoredArea): Promise<Taken> {
    const { numbers, ...body } = readBody(full);
    const [sequence, previous] = numbers;
    const read: StoredLink[] = [];
    for (const each of links) {
      const link = await this.#readable(() => readBody(each));
      if (link) read.push({ from: link.numbers[0], to: link.numbers[1], head: link.head, frame: link.frame });
    }
    return { run, sequence, previous, ...body, links: linksTo(sequence, read) };
  }

  /** What was read between two snapshots that are here; `undefined` where some of it is missing. */
  async #readsBetween(
    before: StoredSnapshot | undefined,
    { run, sequence, links }: Taken,
  ): Promise<readonly AreaRead[] | undefined> {
    const way = before?.run === run ? linksFrom(before.sequence, sequence, links) : undefined;
    if (before === undefined || way === undefined) return undefined;
    const reads: AreaRead[] = [];
    let { records } = before;
    for (const { head, frame } of way.slice(0, -1)) {
      const next = await this.#readable(async () => applyDelta(records, await inflated(frame)).records);
      if (next === undefined) return undefined;
      records = next;
      reads.push(readOf(head, positionsByReference(records)));
    }
    return reads;
  }

  #missed({ area, readAt }: SnapshotHead): void {
    this.#options.reads.publish({ kind: 'missed', area, before: readAt });
  }

  /** Whether the area's snapshot before that one was here, or there was none. */
  #followsOn(key: string, run: string, previous: number): boolean {
    const latest = this.#latest.get(key);
    if (latest === undefined) return previous === 0 && run === this.#run;
    return latest.run === run && latest.sequence === previous;
  }

  /** Whether what is cached is no older. The sequences of two runs say nothing of each other. */
  #isOld({ run, sequence, head: { area, readAt } }: Pick<Taken, 'run' | 'sequence' | 'head'>): boolean {
    const cached = this.#cached.get(area.key);
    if (cached === undefined) return false;
    return cached.run === run ? cached.sequence >= sequence : cached.readAt > readAt;
  }

  /** @returns what is cached then: a read may have begun before a write and end after it */
  #hold(next: StoredSnapshotOptions): StoredSnapshot {
    const { run, sequence, head, links } = next;
    const { key } = head.area;
    const cached = this.#cached.get(key);
    if (cached && this.#isOld(next)) return cached;
    const known = cached?.run === run ? cached.links : [];
    const further = links.filter(({ to }) => to > (known.at(-1)?.to ?? 0));
    const snapshot = new StoredSnapshot({ ...next, links: linksTo(sequence, [...known, ...further]) });
    this.#cached.set(key, snapshot);
    this.#latest.set(key, { run: snapshot.run, sequence });
    this.#newestFirst = undefined;
    return snapshot;
  }

  #forget(key: string): void {
    this.#cached.delete(key);
    this.#newestFirst = undefined;
  }

  /** `undefined` where it is damaged, or somebody else's: that is said, and it counts as not there. */
  async #readable<Result>(read: () => Result | Promise<Result>): Promise<Result | undefined> {
    try {
      return await read();
    } catch (error) {
      this.#options.log.warn({ err: error }, 'a snapshot in the shared store cannot be read');
      return undefined;
    }
  }
}

/** Newest fetch first, of two at the same time the one that was written later. */
function byAge(a: StoredSnapshot, b: StoredSnapshot): number {
  return msBetween(a.fetchedAt, b.fetchedAt) || b.sequence - a.sequence;
}

function readOf({ area, readAt, incomplete }: SnapshotHead, positions: ReadonlyMap<string, Position>): AreaRead {
  return { kind: 'read', area, positions, readAt, isComplete: incomplete === undefined };
}

function unlessLost(error: unknown): void {
  if (!(error instanceof RedisFailure)) throw error;
}
