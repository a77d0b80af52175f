import type { Layer } from '#lib/contract/operation.ts';
import type { Bbox } from '#lib/geo/bbox.ts';
import { addMs, type UpstreamInstant } from '#lib/time/instant.ts';
import { MINUTE_MS, SECOND_MS } from '#lib/time/time-units.ts';
import { Refusal } from '../http/refusal.ts';
import type { Past } from '../past/past.ts';
import type { Observation, Source } from '../sources/observation.ts';
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

/** The receivers of this process, while it listens to them. */
interface Listening {
  readonly source: Pick<Source, 'live'>;
  close(): Promise<void>;
}

interface SharedSourceOptions {
  readonly past: SharedPast;
  /** What was recorded last, whoever recorded it. */
  readonly latest: LatestObservations;
  /** Listens to the receivers of this process; undefined if it has none. */
  readonly listen: (() => Promise<Listening>) | undefined;
  readonly surroundings: Surroundings;
  readonly log: (entry: string) => void;
}

export interface SharedSource extends Source {
  /** Records if nobody does, and from then on as soon as nobody does. Rejects if the receivers can't be listened to. */
  start(): Promise<void>;
  close(): Promise<void>;
}

/** How soon it is seen that nobody records. */
const TRY_EVERY_MS = SECOND_MS;
/** Longer than anything is live. */
const INHERITED_MS = MINUTE_MS;
const WORLD: Bbox = { west: -180, south: -90, east: 180, north: 90 };

/**
 * Positions of receivers that are listened to by one of several services at a time: by this one, if it records, or by
 * another, whose positions it reads.
 */
export function makeSharedSource({ past, latest, listen, surroundings, log }: SharedSourceOptions): SharedSource {
  const { now, after } = surroundings;
  let listening: Listening | undefined;
  /** What was live when this process began to record, until it has heard it itself. */
  let inherited: { readonly latest: LatestObservations; readonly until: UpstreamInstant } | undefined;
  let isClosed = false;
  let trying: Promise<void> = Promise.resolve();
  let ending: Promise<void> = Promise.resolve();
  let cancel = () => {};

  async function tryToRecord(): Promise<void> {
    if (listen === undefined || listening !== undefined) return;
    await ending;
    if (!(await past.record(onLost))) return;
    inherited = { latest: latest.copy(), until: addMs(now(), INHERITED_MS) };
    try {
      const opened = await listen();
      if (past.isRecording) listening = opened;
      else await opened.close();
    } catch (failure) {
      await past.stopRecording();
      throw failure;
    }
  }

  function onLost(): void {
    log('Another service records now: the receivers of this one are not listened to until it ends.');
    const ended = listening;
    listening = undefined;
    ending = ended?.close() ?? ending;
  }

  function tryLater(): void {
    if (isClosed || listen === undefined) return;
    cancel = after(TRY_EVERY_MS, () => {
      trying = tryToRecord()
        // That the database is lost is said by its connections, and what is wrong with receivers was said at the start.
        .catch(() => undefined)
        .then(tryLater);
    });
  }

  function liveHere(own: Pick<Source, 'live'>, layer: Layer, bbox: Bbox, at: UpstreamInstant): Observation[] {
    const live = own.live(layer, bbox, at);
    if (inherited === undefined) return live;
    if (at > inherited.until) {
      inherited = undefined;
      return live;
    }
    const heard = new Set(own.live(layer, WORLD, at).map(({ sourceId }) => sourceId));
    return [...live, ...inherited.latest.live(layer, bbox, at).filter(({ sourceId }) => !heard.has(sourceId))];
  }

  return {
    async start() {
      await tryToRecord();
      if (listen !== undefined && listening === undefined) {
        log('Another service records: the receivers of this one are not listened to until it ends.');
      }
      tryLater();
    },
    live(layer, bbox, at) {
      if (listening) return liveHere(listening.source, layer, bbox, at);
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
      await listening?.close();
    },
  };
}
