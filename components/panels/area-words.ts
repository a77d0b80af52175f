import type { RefreshedArea } from '#lib/client/allowance-status.ts';
import { type ClockZone, clockWords } from '#lib/model/clock-words.ts';
import { durationWords } from '#lib/model/duration-words.ts';
import { groupedNumber } from '#lib/model/grouped-number.ts';
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

/** @param nowMs now on the upstream's clock */
export function areaWords(area: RefreshedArea, nowMs: number | undefined, zone: ClockZone): AreaWords {
  const { viewers, cost, reason, untilMs } = area;
  const effort = [
    `${groupedNumber(viewers)} ${viewers === 1 ? 'viewer' : 'viewers'}`,
    `${groupedNumber(cost)} ${cost === 1 ? 'request' : 'requests'} a refresh`,
    `every ${intervalWords(area.intervalMs)}`,
  ];
  const trouble = reason === undefined ? undefined : reasonWords(reason, { untilMs }, nowMs, zone);
  // Where the trouble says when it ends, that is when it is read next.
  const isNextSaid = reason !== undefined && untilMs !== undefined && (nowMs === undefined || nowMs < untilMs);
  return {
    effort: effort.join(' · '),
    freshness: [readWords(area, nowMs, zone), ...(isNextSaid ? [] : [nextWords(area, nowMs, zone)])].join(' · '),
    trouble,
  };
}

/** To the nearest second, and never `0 s`. */
function intervalWords(intervalMs: number): string {
  return durationWords(Math.max(1, Math.round(intervalMs / 1000)) * 1000);
}

function readWords({ fetchedAtMs }: RefreshedArea, nowMs: number | undefined, zone: ClockZone): string {
  if (fetchedAtMs === undefined) return 'not read yet';
  return nowMs === undefined
    ? `read at ${clockWords(fetchedAtMs, zone)}`
    : `read ${durationWords(nowMs - fetchedAtMs)} ago`;
}

function nextWords({ nextAtMs }: RefreshedArea, nowMs: number | undefined, zone: ClockZone): string {
  if (nextAtMs === undefined) return 'being refreshed now';
  if (nowMs === undefined) return `next at ${clockWords(nextAtMs, zone)}`;
  return nextAtMs <= nowMs ? 'next is due' : `next in ${waitWords(nextAtMs - nowMs)}`;
}
