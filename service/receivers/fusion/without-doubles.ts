import { epochMs } from '#lib/time/instant.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import type { Observation } from '../../sources/observation.ts';
import type { Fusion } from './fusion.ts';
import { type ReceivedPosition, SameTracks } from './same-tracks.ts';
import { STALE_AFTER_MS } from './served-observation.ts';

/** Without a position of another service for so long, there is nothing to compare. */
const COMPARED_MS = 2 * MINUTE_MS;

/**
 * Makes one of what own receivers and another service both have, as far as `SameTracks` can tell. The record of the own
 * receivers wins, and says that another service has it too. Once they are silent for longer than a fresh position, the
 * other record takes its place.
 */
export function withoutDoubles(fusion: Fusion): Fusion {
  const same = new SameTracks();
  let relayedMs = Number.NEGATIVE_INFINITY;
  /** How many settled records of each other service the own receivers had too. */
  const doubles = new Map<string, number>();

  function once(observation: Observation, nowMs: number): Observation | undefined {
    const { sourceId, relayedBy, observedAt } = observation;
    if (relayedBy !== undefined) {
      const ownMs = same.latestOwnMs(sourceId);
      return ownMs !== undefined && nowMs - ownMs <= STALE_AFTER_MS ? undefined : observation;
    }
    const otherMs = same.latestOtherMs(sourceId);
    if (otherMs === undefined) return observation;
    const isStale = nowMs - epochMs(observedAt) > STALE_AFTER_MS;
    return isStale && otherMs > epochMs(observedAt) ? undefined : { ...observation, isElsewhereToo: true };
  }

  function follow(settled: Observation[], nowMs: number): Observation[] {
    if (relayedMs === Number.NEGATIVE_INFINITY && !settled.some(({ relayedBy }) => relayedBy !== undefined))
      return settled;
    for (const observation of settled) {
      if (observation.relayedBy !== undefined) relayedMs = nowMs;
      if (nowMs - relayedMs > COMPARED_MS) continue;
      if (observation.relayedBy === undefined) same.own(receivedPosition(observation));
      else same.other(observation.relayedBy, receivedPosition(observation));
    }
    same.advance(nowMs);
    return settled.flatMap((observation) => {
      const { relayedBy } = observation;
      const kept = once(observation, epochMs(observation.observedAt));
      if (!kept && relayedBy !== undefined) doubles.set(relayedBy, (doubles.get(relayedBy) ?? 0) + 1);
      return kept ?? [];
    });
  }

  return {
    ...fusion,
    settle: (now) => follow(fusion.settle(now), epochMs(now)),
    drain: (now) => follow(fusion.drain(now), epochMs(now)),
    feedState(id) {
      const state = fusion.feedState(id);
      return state && { ...state, alone: Math.max(0, state.alone - (doubles.get(id) ?? 0)) };
    },
    live(layer, bbox, now) {
      const live = fusion.live(layer, bbox, now);
      if (relayedMs === Number.NEGATIVE_INFINITY) return live;
      return live.flatMap((observation) => once(observation, epochMs(now)) ?? []);
    },
  };
}

function receivedPosition(observation: Observation): ReceivedPosition {
  const { sourceId: trackId, observedAt, ...position } = observation;
  return { ...position, trackId, atMs: epochMs(observedAt) };
}
