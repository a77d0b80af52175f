import { LAYERS } from '#lib/contract/operation.ts';
import type { Bbox } from '#lib/geo/bbox.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';
import { boxOfMost } from './box-of-most.ts';
import { boxView } from './box-view.ts';
import type { ClockState } from './fusion/feed-times.ts';
import type { FixInbox } from './inbox/fix-inbox.ts';
import { InboxFusion, type RecordedPast } from './inbox/inbox-fusion.ts';
import { Outbox } from './inbox/outbox.ts';
import type { LatestObservations } from './latest-observations.ts';
import { type OpenFeedsOptions, openFeeds } from './open-feeds.ts';
import type { OpenReceivers } from './open-receivers.ts';
import { type FeedStatus, type FixesState, feedStatus, incomingStatus, receiversStatus } from './receivers-status.ts';
import { makeSharedSource, type SharedPast } from './shared-source.ts';

export interface OpenSharedReceiversOptions extends Omit<OpenFeedsOptions, 'deliver'> {
  readonly past: SharedPast & RecordedPast;
  readonly latest: LatestObservations;
  readonly inbox: FixInbox;
  /** How this service is called where another one says what it reads. */
  readonly service: string;
  /** How many fixes this service has seen dropped because nobody recorded them. */
  readonly unfused: () => number;
}

/** Whoever pushes is not kept waiting while the database is away. What was pushed may be sent later, and again by its station. */
const SENT_WITHIN_MS = 5 * SECOND_MS;
const WORLD: Bbox = { west: -180, south: -90, east: 180, north: 90 };

/**
 * Listens to receivers and sends what they hear to the one of several services that records, which may be this one.
 * @throws Error that lists everything that is wrong with the file of feeds, or says what is wrong with the database
 */
export async function openSharedReceivers(options: OpenSharedReceiversOptions): Promise<OpenReceivers> {
  const { past, latest, inbox, service, unfused, surroundings, log } = options;
  const outbox = new Outbox({ inbox, service, surroundings });
  let fusion: InboxFusion | undefined;
  const source = makeSharedSource({
    past,
    latest,
    async fuse() {
      const begun = await InboxFusion.begin({ past, inbox, service, surroundings, log });
      fusion = begun;
      return {
        source: begun,
        async close() {
          if (fusion === begun) fusion = undefined;
          await begun.close();
        },
      };
    },
    surroundings,
    log,
  });
  const feeds = await openFeeds({ ...options, deliver: outbox.add.bind(outbox) });
  const close = async () => {
    await feeds.close();
    await outbox.close();
    await source.close();
  };
  try {
    await source.start();
  } catch (error) {
    await close();
    throw error;
  }

  const waited = (ms: number) => new Promise<false>((resolve) => void surroundings.after(ms, () => resolve(false)));

  /** Of a station that is read here: its clock as it is seen here, and what became of its fixes on the way and after it. */
  function ownFixes(id: string): FixesState {
    const fused = fusion?.feedState(id)?.counts;
    const unsent = outbox.counts(id);
    const late = (fused?.late ?? 0) + (unsent?.late ?? 0);
    return { ...clockFigures(outbox.clock(id)), counts: { ...fused, ...unsent, late } };
  }

  function statusOfIncoming(own: readonly string[]): FeedStatus[] {
    const reported = new Set(own);
    return (fusion?.incoming() ?? []).map((station) => {
      const { id } = station.feed;
      // What became of the fixes of a station that several services read is reported once.
      const counts = reported.has(id) ? {} : (fusion?.feedState(id)?.counts ?? {});
      reported.add(id);
      return incomingStatus(station, { ...clockFigures(station.clock), counts }, surroundings);
    });
  }

  return {
    source,
    async written() {
      const isSent = await Promise.race([outbox.sent(), waited(SENT_WITHIN_MS)]);
      return isSent && (past.isRecording || past.isCurrent);
    },
    countsOf: (station) => outbox.counts(station),
    status() {
      const now = surroundings.calendar.wallOf(surroundings.now());
      const standing = feeds.standing();
      const home =
        past.isRecording || past.isCurrent
          ? boxOfMost(LAYERS.flatMap((layer) => source.live(layer, WORLD, now)))
          : undefined;
      const own = standing.map((feed) => feedStatus(feed, ownFixes(feed.settings.id), surroundings));
      const { dropped, ...state } = past.state();
      return receiversStatus([...own, ...statusOfIncoming(standing.map(({ settings }) => settings.id))], {
        problems: feeds.problems(),
        view: home && boxView(home),
        past: { ...state, dropped: { ...dropped, unfused: unfused() } },
        recorder: past.isRecording ? 'here' : past.isCurrent ? 'another' : 'nobody',
        clocks: surroundings,
      });
    },
    close,
  };
}

function clockFigures({ errorMs, isDoubtful }: ClockState) {
  return { clockErrorMs: errorMs, isClockDoubtful: isDoubtful };
}
