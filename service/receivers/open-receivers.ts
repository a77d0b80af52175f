import type { PastState } from '../past/past.ts';
import type { Source } from '../sources/observation.ts';
import { boxView } from './box-view.ts';
import type { FixCounts } from './fusion/fused-feed.ts';
import { type OpenFeedsOptions, openFeeds } from './open-feeds.ts';
import { makeReceivedSource, type ReceivedSourceOptions } from './received-source.ts';
import { feedStatus, type ReceiversStatus, receiversStatus } from './receivers-status.ts';

export interface OpenReceiversOptions extends Omit<OpenFeedsOptions, 'deliver'> {
  readonly past: ReceivedSourceOptions['past'];
  readonly pastState?: (() => PastState) | undefined;
}

export interface OpenReceivers {
  readonly source: Source;
  /** Earlier deliveries. False if they could not be written. */
  written(): Promise<boolean>;
  countsOf(station: string): Readonly<Partial<FixCounts>> | undefined;
  status(): ReceiversStatus;
  /** Records everything received. Never rejects. */
  close(): Promise<void>;
}

/** @throws Error that lists every problem of the file of feeds */
export async function openReceivers(options: OpenReceiversOptions): Promise<OpenReceivers> {
  const { past, pastState, surroundings } = options;
  const source = makeReceivedSource({ past, surroundings });
  const feeds = await openFeeds({ ...options, deliver: source.deliver }).catch((error) => {
    source.stop();
    throw error;
  });
  return {
    source,
    written: source.written,
    countsOf: (station) => source.feedState(station)?.counts,
    status() {
      const home = source.home();
      return receiversStatus(
        feeds.statuses().map((feed) => feedStatus(feed, source.feedState(feed.settings.id), surroundings)),
        {
          problems: feeds.problems(),
          view: home && boxView(home),
          past: pastState?.(),
          clocks: surroundings,
        },
      );
    },
    async close() {
      await feeds.close();
      source.stop();
    },
  };
}
