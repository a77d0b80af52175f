import 'server-only';
import type { Bbox } from '#lib/geo/bbox.ts';
import { bboxesTouch } from '#lib/geo/bboxes-touch.ts';
import { splitAtAntimeridian } from '#lib/geo/split-at-antimeridian.ts';
import type { Layer, Position } from '#lib/model/position.ts';
import { addMs, type UpstreamInstant } from '#lib/time/instant.ts';
import type { Lease } from '../ports/lease.ts';
import type { AreaRecords, AreaSnapshot, Snapshots } from '../ports/snapshots.ts';
import { AreaFrames } from './area-frames.ts';

interface Written {
  readonly snapshot: AreaSnapshot;
  readonly fence: number;
}

/**
 * The snapshots of an app that runs as one process, in memory: `forgetBefore` bounds their number. A forgotten snapshot
 * loses its fence too: what a late writer puts then is accepted, with its true age, until it is forgotten again.
 */
export class EmbeddedSnapshots implements Snapshots {
  /** Newest fetch first: every poll reads this, only a refresh writes it. */
  readonly #newestFirst: Readonly<Record<Layer, Written[]>> = { rid: [], adsb: [] };
  readonly #frames = new AreaFrames();
  /** The highest forgotten sequence. Areas without a snapshot continue from here, so that no area repeats a number. */
  #forgottenSequence = 0;

  async intersecting(layer: Layer, bbox: Bbox): Promise<readonly AreaSnapshot[]> {
    const parts = splitAtAntimeridian(bbox);
    const found: AreaSnapshot[] = [];
    for (const { snapshot } of this.#newestFirst[layer]) {
      if (parts.some((part) => bboxesTouch(part, snapshot.area.bbox))) found.push(snapshot);
    }
    return found;
  }

  async put(records: AreaRecords, { fence }: Lease): Promise<AreaSnapshot | undefined> {
    const written = this.#newestFirst[records.area.layer];
    const index = written.findIndex(({ snapshot }) => snapshot.area.key === records.area.key);
    const before = written[index];
    if (before && before.fence > fence) return undefined;
    if (before) written.splice(index, 1);
    const sequence = (before?.snapshot.sequence ?? this.#forgottenSequence) + 1;
    const snapshot = this.#snapshot(records, sequence);
    const older = written.findIndex((each) => each.snapshot.fetchedAt <= records.fetchedAt);
    written.splice(older === -1 ? written.length : older, 0, { snapshot, fence });
    return snapshot;
  }

  setBack(ms: number): void {
    for (const written of Object.values(this.#newestFirst)) {
      for (const [index, { snapshot, fence }] of written.entries()) {
        const { area, positions, fetchedAt, readAt, incomplete, unreadable } = snapshot;
        const records: AreaRecords = {
          area,
          positions: new Map([...positions].map(([ref, position]) => [ref, earlier(position, ms)])),
          fetchedAt: addMs(fetchedAt, -ms),
          readAt: addMs(readAt, -ms),
          incomplete,
          unreadable,
        };
        written[index] = { snapshot: this.#snapshot(records, snapshot.sequence + 1), fence };
      }
    }
  }

  async forgetBefore(fetchedBefore: UpstreamInstant, keep: ReadonlySet<string>): Promise<void> {
    for (const layer of Object.keys(this.#newestFirst) as Layer[]) {
      const written = this.#newestFirst[layer];
      const kept = written.filter(({ snapshot }) => {
        const stays = snapshot.fetchedAt >= fetchedBefore || keep.has(snapshot.area.key);
        if (!stays) this.#forgottenSequence = Math.max(this.#forgottenSequence, snapshot.sequence);
        return stays;
      });
      written.splice(0, written.length, ...kept);
    }
  }

  #snapshot(records: AreaRecords, sequence: number): AreaSnapshot {
    return {
      ...records,
      sequence,
      bodies: (cachedSequence) => this.#frames.bodies(records, sequence, cachedSequence),
    };
  }
}

function earlier(position: Position, ms: number): Position {
  const { observedAt, staleAfter } = position;
  return {
    ...position,
    observedAt: addMs(observedAt, -ms),
    staleAfter: staleAfter && addMs(staleAfter, -ms),
  };
}
