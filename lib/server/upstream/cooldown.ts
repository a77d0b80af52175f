import 'server-only';
import type { FailureReason } from '#lib/api/layer-reason.ts';
import type { LocalInstant } from '#lib/time/instant.ts';

export interface TimedCooldown {
  readonly kind: 'timed';
  readonly reason: FailureReason;
  readonly until: LocalInstant;
}

export type Cooldown =
  | TimedCooldown
  /** It lasts until the key can be read, or Lookout changes. */
  | { readonly kind: 'latched'; readonly reason: 'key_refused' | 'request_rejected' }
  /** It lasts until requests in flight complete. */
  | { readonly kind: 'reserved'; readonly reason: 'allowance_used_up' };

/** When the cooldown ends; `undefined` where no time is known. */
export function cooldownEnd(cooldown: Cooldown): LocalInstant | undefined {
  return cooldown.kind === 'timed' ? cooldown.until : undefined;
}
