import 'server-only';
import type { FailureReason } from '#lib/api/layer-reason.ts';
import type { LocalInstant } from '#lib/time/instant.ts';

/** Over by itself. */
export interface TimedCooldown {
  readonly kind: 'timed';
  readonly reason: FailureReason;
  readonly until: LocalInstant;
}

/** Why nothing is asked of the upstream now, and what ends that. */
export type Cooldown =
  | TimedCooldown
  /** Until the key, or what is asked for, is another. */
  | { readonly kind: 'latched'; readonly reason: 'key_refused' | 'request_rejected' }
  /** Until requests that are under way have ended: what is left of the allowance is reserved for them. */
  | { readonly kind: 'reserved'; readonly reason: 'allowance_used_up' };

/** When it is over; `undefined` where no time is known. */
export function cooldownEnd(cooldown: Cooldown): LocalInstant | undefined {
  return cooldown.kind === 'timed' ? cooldown.until : undefined;
}
