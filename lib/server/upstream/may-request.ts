import 'server-only';
import type { FailureReason, WaitReason } from '#lib/api/layer-reason.ts';
import type { LocalInstant } from '#lib/time/instant.ts';
import type { Circuit, PlannedRequests } from './circuit.ts';
import { type Cooldown, cooldownEnd } from './cooldown.ts';
import type { UpstreamRequest } from './upstream-request.ts';

type Wanted = PlannedRequests | UpstreamRequest;

/** The request is not refused, but may not start yet. */
export interface Wait {
  readonly kind: 'waits';
  /** A failure until its next try is due. */
  readonly reason: WaitReason | FailureReason;
  /** `undefined` where no time is known. */
  readonly until: LocalInstant | undefined;
}

export type Obstacle = Cooldown | Wait;
export type MayRequest<Reason extends Obstacle = Obstacle> = 'yes' | Reason;

export interface UpstreamAccess {
  readonly circuit: Circuit;
  readonly hasKey: boolean;
}

const NO_KEY: Cooldown = { kind: 'latched', reason: 'key_refused' };

/**
 * Whether the request may be sent. Of several reasons it gives the one that ends last or, with an unknown end, the
 * first.
 * @param own obstacles of this task, by precedence
 */
export function mayRequest<Own extends Obstacle = never>(
  wanted: Wanted,
  { circuit, hasKey }: UpstreamAccess,
  now: LocalInstant,
  own: readonly (Own | undefined)[] = [],
): MayRequest<Cooldown | Own> {
  let reason: Cooldown | Own | undefined = hasKey ? circuit.cooldown(wanted, now) : NO_KEY;
  for (const each of own) if (each && (!reason || endsLater(each, reason))) reason = each;
  return reason ?? 'yes';
}

/** When the request may be sent; `undefined` where that is unknown or past. */
export function mayRequestAt(answer: MayRequest, now: LocalInstant): LocalInstant | undefined {
  if (answer === 'yes') return now;
  const end = obstacleEnd(answer);
  return end !== undefined && end > now ? end : undefined;
}

/** When the obstacle ends; `undefined` where no time is known. */
export function obstacleEnd(obstacle: Obstacle): LocalInstant | undefined {
  return obstacle.kind === 'waits' ? obstacle.until : cooldownEnd(obstacle);
}

function endsLater(one: Obstacle, other: Obstacle): boolean {
  const [end, otherEnd] = [obstacleEnd(one), obstacleEnd(other)];
  return end !== undefined && otherEnd !== undefined && end > otherEnd;
}
