import type { Surroundings } from './feeds/feed.ts';
import type { PushPlaces } from './feeds/feed-kind.ts';
import { type FeedSetOptions, type FeedWithHealth, makeFeedSet, type ReceivingFeed } from './feeds/feed-set.ts';
import type { FeedSettings } from './feeds/feed-settings.ts';
import { followFeedsFile, loadFeedsFile } from './feeds/follow-feeds-file.ts';
import { LargeAnswers } from './feeds/large/large-answers.ts';
import { makeKeyOf } from './make-key-of.ts';

export type ReceiversChoice =
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'list'; readonly feeds: readonly FeedSettings[] };

export interface OpenFeedsOptions {
  readonly choice: ReceiversChoice;
  readonly secret: Uint8Array;
  readonly deliver: FeedSetOptions['deliver'];
  readonly pushDesk?: PushPlaces | undefined;
  readonly surroundings: Surroundings;
  readonly log: (entry: string) => void;
}

export interface OpenFeeds {
  statuses(): readonly FeedWithHealth[];
  lives(): readonly ReceivingFeed[];
  problems(): readonly string[];
  /** Stops deliveries at once. Never rejects. */
  close(): Promise<void>;
}

/** @throws Error that lists every problem of the file */
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
    statuses: set.statuses,
    lives: set.lives,
    problems: () => (following ? following.problems() : []),
    async close() {
      if (following) await following.stop();
      const stopped = set.stop();
      await largeAnswers.close();
      await stopped;
    },
  };
}

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
