import type { RefreshedArea } from '#lib/client/allowance-status.ts';
import { type ClockZone, clockWords } from '#lib/model/clock-words.ts';
import { durationWords } from '#lib/model/duration-words.ts';
import { groupedNumber } from '#lib/model/grouped-number.ts';
import { msBetween, type UpstreamInstant } from '#lib/time/instant.ts';
import { reasonWords } from './reason-words.ts';
import { waitWords } from './wait-words.ts';

export interface AreaWords {
  /** How much it is worth and what it costs: `3 viewers · 2 requests a refresh · every 5 s` */
  readonly effort: string;
  /** `read 3 s ago · next in 2 s` */
  readonly freshness: string;
  /** Why it is not refreshed; `undefined` where it is in order. */
  readonly trouble: string | undefined;
}

export function areaWords(area: RefreshedArea, now: UpstreamInstant | undefined, zone: ClockZone): AreaWords {
  const { viewers, cost, reason, until } = area;
  const effort = [
    `${groupedNumber(viewers)} ${viewers === 1 ? 'viewer' : 'viewers'}`,
    `${groupedNumber(cost)} ${cost === 1 ? 'request' : 'requests'} a refresh`,
    `every ${intervalWords(area.intervalMs)}`,
  ];
  const trouble = reason === undefined ? undefined : reasonWords(reason, { until }, now, zone);
  // Where the trouble says when it ends, that is when it is read next.
  const isNextSaid = reason !== undefined && until !== undefined && (now === undefined || now < until);
  return {
    effort: effort.join(' · '),
    freshness: [readWords(area, now, zone), ...(isNextSaid ? [] : [nextWords(area, now, zone)])].join(' · '),
    trouble,
  };
}

/** To the nearest second, and never `0 s`. */
function intervalWords(intervalMs: number): string {
  return durationWords(Math.max(1, Math.round(intervalMs / 1000)) * 1000);
}

function readWords({ fetchedAt }: RefreshedArea, now: UpstreamInstant | undefined, zone: ClockZone): string {
  if (fetchedAt === undefined) return 'not read yet';
  return now === undefined
    ? `read at ${clockWords(fetchedAt, zone)}`
    : `read ${durationWords(msBetween(fetchedAt, now))} ago`;
}

function nextWords({ nextAt }: RefreshedArea, now: UpstreamInstant | undefined, zone: ClockZone): string {
  if (nextAt === undefined) return 'being refreshed now';
  if (now === undefined) return `next at ${clockWords(nextAt, zone)}`;
  return nextAt <= now ? 'next is due' : `next in ${waitWords(msBetween(now, nextAt))}`;
}
