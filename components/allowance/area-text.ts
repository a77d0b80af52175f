import type { RefreshedArea } from '#lib/client/status/allowance-status.ts';
import { type ClockZone, clockText } from '#lib/model/clock-text.ts';
import { durationText } from '#lib/model/duration-text.ts';
import { groupedNumber } from '#lib/model/grouped-number.ts';
import { reasonText } from './reason-text.ts';
import { waitText } from './wait-text.ts';

export interface AreaText {
  /** How much it is worth and what it costs: `3 viewers · 2 requests a refresh · every 5 s` */
  readonly effort: string;
  /** `read 3 s ago · next in 2 s` */
  readonly freshness: string;
  /** Why it is not refreshed; `undefined` where it is in order. */
  readonly trouble: string | undefined;
}

/** @param nowMs now on the upstream's clock */
export function areaText(area: RefreshedArea, nowMs: number | undefined, zone: ClockZone): AreaText {
  const { viewers, cost, reason, untilMs } = area;
  const effort = [
    `${groupedNumber(viewers)} ${viewers === 1 ? 'viewer' : 'viewers'}`,
    `${groupedNumber(cost)} ${cost === 1 ? 'request' : 'requests'} a refresh`,
    `every ${intervalText(area.intervalMs)}`,
  ];
  const trouble = reason === undefined ? undefined : reasonText(reason, { untilMs }, nowMs, zone);
  // Where the trouble says when it ends, that is when it is read next.
  const isNextSaid = reason !== undefined && untilMs !== undefined && (nowMs === undefined || nowMs < untilMs);
  return {
    effort: effort.join(' · '),
    freshness: [readText(area, nowMs, zone), ...(isNextSaid ? [] : [nextText(area, nowMs, zone)])].join(' · '),
    trouble,
  };
}

/** To the nearest second, and never `0 s`. */
function intervalText(intervalMs: number): string {
  return durationText(Math.max(1, Math.round(intervalMs / 1000)) * 1000);
}

function readText({ fetchedAtMs }: RefreshedArea, nowMs: number | undefined, zone: ClockZone): string {
  if (fetchedAtMs === undefined) return 'not read yet';
  return nowMs === undefined
    ? `read at ${clockText(fetchedAtMs, zone)}`
    : `read ${durationText(nowMs - fetchedAtMs)} ago`;
}

function nextText({ nextAtMs }: RefreshedArea, nowMs: number | undefined, zone: ClockZone): string {
  if (nextAtMs === undefined) return 'being refreshed now';
  if (nowMs === undefined) return `next at ${clockText(nextAtMs, zone)}`;
  return nextAtMs <= nowMs ? 'next is due' : `next in ${waitText(nextAtMs - nowMs)}`;
}
