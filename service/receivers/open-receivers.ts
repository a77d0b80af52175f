import type { UpstreamInstant } from '#lib/time/instant.ts';
import type { PastState } from '../past/past.ts';
import type { Source } from '../sources/observation.ts';
import { boxView } from './box-view.ts';
import type { Surroundings } from './feeds/feed.ts';
import type { PushPlaces } from './feeds/feed-kind.ts';
import { makeFeedSet } from './feeds/feed-set.ts';
import type { FeedSettings } from './feeds/feed-settings.ts';
import { followFeedsFile, loadFeedsFile } from './feeds/follow-feeds-file.ts';
import { makeKeyOf } from './make-key-of.ts';
import { makeReceivedSource, type ReceivedSource, type ReceivedSourceOptions } from './received-source.ts';
import { type ReceiversStatus, receiversStatus } from './receivers-status.ts';

/** Which receivers are listened to: those of a file, which may change, or these. */
export type ReceiversChoice =
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'list'; readonly feeds: readonly FeedSettings[] };

export interface OpenReceiversOptions {
  readonly choice: ReceiversChoice;
  /** The keys of tracks are made with it. */
  readonly secret: Uint8Array;
  readonly past: ReceivedSourceOptions['past'];
  /** How the past stands, if it is kept. */
  readonly pastState?: (() => PastState) | undefined;
  /** See `ReceivedSourceOptions`. */
  readonly notBefore?: UpstreamInstant | undefined;
  /** Where stations send to; undefined if nothing listens for them. */
  readonly pushDesk?: PushPlaces | undefined;
  readonly surroundings: Surroundings;
  readonly log: (entry: string) => void;
}

export interface OpenReceivers {
  readonly source: Source;
  /** See `ReceivedSource`. */
  readonly received: Pick<ReceivedSource, 'written' | 'feedState'>;
  status(): ReceiversStatus;
  /** Resolves once every connection is closed and what was received is recorded. Never rejects. */
  close(): Promise<void>;
}

/**
 * Listens to receivers. One that is down is tried again; only a file of feeds that is wrong keeps this from starting.
 * @throws Error that lists everything that is wrong with the file
 */
export async function openReceivers(options: OpenReceiversOptions): Promise<OpenReceivers> {
  const { choice, surroundings, pushDesk, log } = options;
  const { feeds, version } = await requireFeeds(choice);
  const source = makeReceivedSource({ past: options.past, surroundings, notBefore: options.notBefore });
  const set = makeFeedSet({ keyOf: makeKeyOf(options.secret), deliver: source.deliver, surroundings, pushDesk });
  set.run(feeds);
  const following =
    version !== undefined &&
    followFeedsFile({
      path: fileOf(choice),
      version,
      changed(changed) {
        log(`${fileOf(choice)} changed: ${changed.length} feeds`);
        set.run(changed);
      },
      refused(problems) {
        log(`${fileOf(choice)} changed, and is not used as it is: ${problems.join('; ')}`);
      },
      surroundings,
    });

  return {
    source,
    received: source,
    status() {
      const now: UpstreamInstant = surroundings.now();
      const home = source.home();
      return receiversStatus(set.standing(), source, {
        problems: following ? following.problems() : [],
        view: home && boxView(home),
        past: options.pastState?.(),
        now,
      });
    },
    async close() {
      if (following) await following.stop();
      await set.stop();
      source.stop();
    },
  };
}

/**
 * The feeds of a choice, and which version of the file they are of.
 * @throws Error that lists everything that is wrong with the file
 */
export async function requireFeeds(
  choice: ReceiversChoice,
): Promise<{ readonly feeds: readonly FeedSettings[]; readonly version?: string }> {
  if (choice.kind === 'list') return { feeds: choice.feeds };
  const { read, version } = await loadFeedsFile(choice.path);
  if (read.ok) return { feeds: read.feeds, version };
  throw new Error(read.problems.map((problem) => `--feeds ${choice.path}: ${problem}`).join('\n'));
}

function fileOf(choice: ReceiversChoice): string {
  return choice.kind === 'file' ? choice.path : '';
}
