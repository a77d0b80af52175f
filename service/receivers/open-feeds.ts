import type { Surroundings } from './feeds/feed.ts';
import type { PushPlaces } from './feeds/feed-kind.ts';
import { type FeedSetOptions, type FeedWithHealth, makeFeedSet } from './feeds/feed-set.ts';
import type { FeedSettings } from './feeds/feed-settings.ts';
import { followFeedsFile, loadFeedsFile } from './feeds/follow-feeds-file.ts';
import { LargeAnswers } from './feeds/large/large-answers.ts';
import { makeKeyOf } from './make-key-of.ts';

/** Which receivers are listened to: those of a file, which may change, or these. */
export type ReceiversChoice =
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'list'; readonly feeds: readonly FeedSettings[] };

export interface OpenFeedsOptions {
  readonly choice: ReceiversChoice;
  /** The keys of tracks are made with it. */
  readonly secret: Uint8Array;
  readonly deliver: FeedSetOptions['deliver'];
  /** Where stations send to; undefined if nothing listens for them. */
  readonly pushDesk?: PushPlaces | undefined;
  readonly surroundings: Surroundings;
  readonly log: (entry: string) => void;
}

export interface OpenFeeds {
  standing(): readonly FeedWithHealth[];
  /** What is wrong with the file of feeds as it is now. */
  problems(): readonly string[];
  /** Nothing is delivered from now on; resolves once every connection is closed. Never rejects. */
  close(): Promise<void>;
}

/**
 * Listens to receivers. One that is down is tried again; only a file of feeds that is wrong keeps this from starting.
 * @throws Error that lists everything that is wrong with the file
 */
export async function openFeeds(options: OpenFeedsOptions): Promise<OpenFeeds> {
  const { choice, secret, deliver, pushDesk, surroundings, log } = options;
  const { feeds, version } = await requireFeeds(choice);
  const largeAnswers = new LargeAnswers(secret);
  const set = makeFeedSet({ keyOf: makeKeyOf(secret), deliver, largeAnswers, surroundings, pushDesk });
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
    standing: set.standing,
    problems: () => (following ? following.problems() : []),
    async close() {
      if (following) await following.stop();
      const stopped = set.stop();
      await largeAnswers.close();
      await stopped;
    },
  };
}

/** The feeds of a choice, and which version of the file they are of. Throws an Error that lists everything that is wrong with it. */
async function requireFeeds(
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
