import { SECOND_MS } from '#lib/time/time-units.ts';
import { Refusal } from '../http/refusal.ts';
import type { Past } from '../past/past.ts';
import type { Source } from '../sources/observation.ts';
import type { Surroundings } from './feeds/feed.ts';
import type { LatestObservations } from './latest-observations.ts';

/** A past that several services share, in which one records at a time. */
export interface SharedPast extends Pick<Past, 'history' | 'historyTimes' | 'keptSince'> {
  /** Whether somebody records, and what was recorded until about now is known here. */
  readonly isCurrent: boolean;
  readonly isRecording: boolean;
  /** Begins to record, if nobody does; `onLost` is called once somebody else does. */
  record(onLost: () => void): Promise<boolean>;
  stopRecording(): Promise<void>;
}

/** What this process makes of what all services receive, while it records. */
interface Fusing {
  readonly source: Pick<Source, 'live'>;
  close(): Promise<void>;
}

interface SharedSourceOptions {
  readonly past: SharedPast;
  /** What was recorded last, whoever recorded it. */
  readonly latest: LatestObservations;
  /** Begins to fuse and record; undefined if this process never does. */
  readonly fuse: (() => Promise<Fusing>) | undefined;
  readonly surroundings: Surroundings;
  readonly log: (entry: string) => void;
}

export interface SharedSource extends Source {
  /** Records if nobody does, and from then on as soon as nobody does. Rejects if that can't be found out. */
  start(): Promise<void>;
  close(): Promise<void>;
}

/** How soon it is seen that nobody records. */
const TRY_EVERY_MS = SECOND_MS;

/** Positions that one of several services records at a time: this one, or another, whose positions it reads. */
export function makeSharedSource({ past, latest, fuse, surroundings, log }: SharedSourceOptions): SharedSource {
  const { after } = surroundings;
  let fusing: Fusing | undefined;
  let isClosed = false;
  let trying: Promise<void> = Promise.resolve();
  let ending: Promise<void> = Promise.resolve();
  let cancel = () => {};

  async function tryToRecord(): Promise<void> {
    if (fuse === undefined || fusing !== undefined) return;
    await ending;
    if (!(await past.record(onLost))) return;
    try {
      const begun = await fuse();
      if (past.isRecording) fusing = begun;
      else await begun.close();
    } catch (failure) {
      await past.stopRecording();
      throw failure;
    }
    if (fusing !== undefined) log('This service records.');
  }

  function onLost(): void {
    log('Another service records now: it is sent what the receivers of this one hear.');
    const ended = fusing;
    fusing = undefined;
    ending = ended?.close() ?? ending;
  }

  function tryLater(): void {
    if (isClosed || fuse === undefined) return;
    cancel = after(TRY_EVERY_MS, () => {
      trying = tryToRecord()
        // That the database is lost is said by its connections.
        .catch(() => undefined)
        .then(tryLater);
    });
  }

  return {
    async start() {
      await tryToRecord();
      if (fuse !== undefined && fusing === undefined) {
        log('Another service records: it is sent what the receivers of this one hear.');
      }
      tryLater();
    },
    live(layer, bbox, at) {
      if (fusing) return fusing.source.live(layer, bbox, at);
      if (!past.isCurrent) throw new Refusal('unavailable', 'Positions are temporarily unavailable: try again later.');
      return latest.live(layer, bbox, at);
    },
    history: (...asked) => past.history(...asked),
    historyTimes: (...asked) => past.historyTimes(...asked),
    keptSince: () => past.keptSince(),
    async close() {
      isClosed = true;
      cancel();
      await trying;
      await ending;
      await fusing?.close();
    },
  };
}
