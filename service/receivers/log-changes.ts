import { msBetween, type UpstreamInstant } from '#lib/time/instant.ts';
import { MINUTE_MS, SECOND_MS } from '#lib/time/time-units.ts';
import type { Surroundings } from './feeds/feed.ts';
import type { FeedStatus } from './receivers-status.ts';

const CHECK_EVERY_MS = SECOND_MS;
/** A receiver that comes and goes makes a line of each kind this often at most. */
const PAUSE_MS = MINUTE_MS;

interface Trouble {
  /** `undefined`: it is not known now. */
  readonly is: (feed: FeedStatus) => boolean | undefined;
  readonly began: (feed: FeedStatus) => string;
  readonly over: string;
}

const TROUBLES: readonly Trouble[] = [
  {
    is: ({ state }) => (state === 'connecting' ? undefined : state === 'lost'),
    began: ({ problem }) => `is lost: ${problem}`,
    over: 'is back',
  },
  {
    is: ({ state, deaf }) => (state === 'lost' ? undefined : deaf !== null),
    began: ({ deaf }) => `is deaf: it hears ${Math.round((deaf?.share ?? 0) * 100)}% of what it usually does`,
    over: 'hears as usual again',
  },
  {
    is: ({ clock_is_used }) => (clock_is_used === null ? undefined : !clock_is_used),
    began: () => 'has a wrong clock: times of arrival are used',
    over: 'has a right clock again',
  },
];

interface LogChangesOptions {
  readonly read: () => readonly FeedStatus[];
  readonly log: (entry: string) => void;
  readonly surroundings: Pick<Surroundings, 'now' | 'after'>;
}

/** Logs when a receiver is lost, deaf or wrong in its time, and when it is well again. @returns ends it */
export function logChanges({ read, log, surroundings: { now, after } }: LogChangesOptions): () => void {
  const logged = new Map<string, { readonly is: boolean; readonly at: UpstreamInstant }>();

  function check(): void {
    const at = now();
    for (const feed of read()) {
      for (const [index, trouble] of TROUBLES.entries()) {
        const key = `${index} ${feed.id}`;
        const before = logged.get(key);
        const is = trouble.is(feed) ?? before?.is ?? false;
        if (is === (before?.is ?? false) || (before && msBetween(before.at, at) < PAUSE_MS)) continue;
        logged.set(key, { is, at });
        log(`${feed.id} ${is ? trouble.began(feed) : trouble.over}`);
      }
    }
    cancel = after(CHECK_EVERY_MS, check);
  }
  let cancel = after(CHECK_EVERY_MS, check);
  return () => cancel();
}
