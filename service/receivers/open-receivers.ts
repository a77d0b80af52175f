import { epochMs } from '#lib/time/instant.ts';
import type { PastState } from '../past/past.ts';
import type { Source } from '../sources/observation.ts';
import { type OpenFeedsOptions, openFeeds } from './feeds/open-feeds.ts';
import type { FixCounts } from './fusion/fused-feed.ts';
import { boxView } from './home-view.ts';
import { logChanges } from './log-changes.ts';
import { makeReceivedSource, type ReceivedSourceOptions } from './received-source.ts';
import { feedStatus, type ReceiversStatus, receiversStatus } from './receivers-status.ts';
import { makeReception, Reach } from './reception/reception.ts';
import { ReceptionRecord } from './reception/reception-record.ts';
import { type FollowedStations, followStations } from './stations/follow-stations.ts';
import { hoursReport, type StationHoursReport } from './stations/hours-report.ts';
import type { StationRecord } from './stations/station-record.ts';
import { UsualReach } from './stations/usual-reach.ts';

export interface OpenReceiversOptions extends Omit<OpenFeedsOptions, 'deliver'> {
  readonly past: ReceivedSourceOptions['past'];
  readonly pastState?: (() => PastState) | undefined;
  readonly stations?: StationRecord | undefined;
  /** By default it is in memory. */
  readonly usualReach?: UsualReach | undefined;
  /** By default it is in memory. */
  readonly receptionRecord?: ReceptionRecord | undefined;
}

export interface OpenReceivers {
  readonly source: Source;
  /** Waits until earlier deliveries are written. False if they could not be. */
  written(): Promise<boolean>;
  countsOf(station: string): Readonly<Partial<FixCounts>> | undefined;
  status(): ReceiversStatus;
  /** The hours of the stations; undefined without a record of them. */
  hours(hours: number): StationHoursReport | undefined;
  /** Stops receiving, and records everything received. Never rejects. */
  close(): Promise<void>;
}

/**
 * Makes one source of own receivers: follows their feeds, fuses the fixes, and records stations and reception.
 * @throws Error that lists every problem of the file of feeds
 */
export async function openReceivers(options: OpenReceiversOptions): Promise<OpenReceivers> {
  const { past, pastState, stations, surroundings } = options;
  const { now, calendar } = surroundings;
  const source = makeReceivedSource({ past, surroundings });
  const usualReach = options.usualReach ?? UsualReach.inMemory();
  const reach = new Reach((feed) => usualReach.usualBox(feed));
  let following: FollowedStations | undefined;
  const feeds = await openFeeds({
    ...options,
    deliver(feed, delivery, receivedAt) {
      for (const { layer, lon, lat } of delivery.fixes) reach.note(feed.id, layer, lon, lat);
      following?.note(feed, delivery.fixes);
      source.deliver(feed, delivery, receivedAt);
    },
  }).catch((error) => {
    source.stop();
    throw error;
  });
  following =
    stations &&
    followStations({
      record: stations,
      reach: usualReach,
      feeds: feeds.statuses,
      fusionOf: source.feedState,
      surroundings,
    });
  const deafness = (id: string) => following?.deafness(id);
  const reception = makeReception({
    feeds: () => feeds.lives().map((feed) => ({ ...feed, deafSince: deafness(feed.id)?.noticedAt ?? feed.deafSince })),
    reach,
    record: options.receptionRecord ?? ReceptionRecord.inMemory(),
    oldestRecordedAt: () => past.oldestAt?.(),
    surroundings,
  });
  function status(): ReceiversStatus {
    const home = source.home();
    return receiversStatus(
      feeds.statuses().map((feed) => {
        const { id } = feed.settings;
        return feedStatus(feed, source.feedState(id), deafness(id), surroundings);
      }),
      {
        problems: feeds.problems(),
        view: home && boxView(home),
        past: pastState?.(),
        clocks: surroundings,
      },
    );
  }
  const endLog = logChanges({ read: () => status().feeds, log: options.log, surroundings });
  return {
    source: {
      ...source,
      reception: reception.reception,
      pastReception: reception.pastReception,
      onChange(listener) {
        source.onChange?.(listener);
        reception.onChange(listener);
      },
    },
    written: source.written,
    countsOf: (station) => source.feedState(station)?.counts,
    status,
    hours: (hours) => stations && hoursReport(stations.days, stations.problem, epochMs(calendar.wallOf(now())), hours),
    async close() {
      endLog();
      await following?.close();
      await reception.close();
      await feeds.close();
      source.stop();
    },
  };
}
