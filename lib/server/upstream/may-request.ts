import 'server-only';
import type { FailureReason } from '#lib/api/layer-reason.ts';
import type { WaitReason } from '#lib/api/refresh-reason.ts';
import type { LocalInstant } from '#lib/time/instant.ts';
import type { Circuit, Work } from './circuit.ts';
import { type Cooldown, cooldownEnd } from './cooldown.ts';
import type { UpstreamRequest } from './upstream-request.ts';

/** A task that is about to start, or a request of one that is about to leave. */
type Wanted = Work | UpstreamRequest;

/** Neither the upstream nor the ledger refuses the task, but it does not start yet. */
export interface Wait {
  readonly kind: 'waits';
  /** A failure where the latest try failed and the next one is not due. */
  readonly reason: WaitReason | FailureReason;
  /** `undefined` where no time is known. */
  readonly until: LocalInstant | undefined;
}

export type Obstacle = Cooldown | Wait;
export type MayRequest<Reason extends Obstacle = Obstacle> = 'yes' | Reason;

/** The state of the account. */
export interface Access {
  readonly circuit: Circuit;
  readonly hasKey: boolean;
}

const NO_KEY: Cooldown = { kind: 'latched', reason: 'key_refused' };

/**
 * Whether a request may be made now, or the one reason why not. Of several reasons it is the one that ends last. Where an end is unknown, the
 * first one: the key, a refusal of the upstream or of the ledger, then what this task waits for.
 * @param own obstacles of this task alone, by precedence
 */
export function mayRequest<Own extends Obstacle = never>(
  wanted: Wanted,
  { circuit, hasKey }: Access,
  now: LocalInstant,
  own: readonly (Own | undefined)[] = [],
): MayRequest<Cooldown | Own> {
  let reason: Cooldown | Own | undefined = hasKey ? circuit.cooldown(wanted, now) : NO_KEY;
  for (const each of own) if (each && (!reason || endsLater(each, reason))) reason = each;
  return reason ?? 'yes';
}

/** When a request may be made; `undefined` where no time is known, such as after a known end while the obstacle is still there. */
export function mayRequestAt(answer: MayRequest, now: LocalInstant): LocalInstant | undefined {
  if (answer === 'yes') return now;
  const end = endOf(answer);
  return end !== undefined && end > now ? end : undefined;
}

/** `undefined` where no time is known. */
export function endOf(obstacle: Obstacle): LocalInstant | undefined {
  return obstacle.kind === 'waits' ? obstacle.until : cooldownEnd(obstacle);
}

function endsLater(one: Obstacle, other: Obstacle): boolean {
  const [end, otherEnd] = [endOf(one), endOf(other)];
  return end !== undefined && otherEnd !== undefined && end > otherEnd;
}
