import 'server-only';
import type { FailureReason } from '#lib/api/layer-reason.ts';
import type { LocalInstant } from '#lib/time/instant.ts';

/** Ends by itself. */
export interface TimedCooldown {
  readonly kind: 'timed';
  readonly reason: FailureReason;
  readonly until: LocalInstant;
}

/** Why no request may be sent now, and what ends that. */
export type Cooldown =
  | TimedCooldown
  /** Until the key can be read, or Lookout changes. */
  | { readonly kind: 'latched'; readonly reason: 'key_refused' | 'request_rejected' }
  /** Until requests in flight complete: the rest of the allowance is reserved for them. */
  | { readonly kind: 'reserved'; readonly reason: 'allowance_used_up' };

/** When it ends; `undefined` where no time is known. */
export function cooldownEnd(cooldown: Cooldown): LocalInstant | undefined {
  return cooldown.kind === 'timed' ? cooldown.until : undefined;
}
