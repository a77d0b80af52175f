import { FAILURES } from '#lib/api/layer-reason.ts';
import { LAYER_DISPLAY_ORDER } from '#lib/client/display/layer-display-order.ts';
import { LAYER_NAME } from '#lib/client/display/layer-text.ts';
import type { AllowanceStatus } from '#lib/client/status/allowance-status.ts';
import type { ClockZone } from '#lib/model/clock-text.ts';
import type { Layer } from '#lib/model/position.ts';
import type { UpstreamInstant } from '#lib/time/instant.ts';
import { reasonText, untilText } from './until-text.ts';

export interface AccessText {
  /** Stays the same while the problem does. */
  readonly key: string;
  readonly tone: 'warning' | 'bad';
  readonly sentence: string;
  /** The layer that the operator can have checked again. */
  readonly recheck: Layer | undefined;
}

/** What keeps Lookout from sending requests: what applies to all layers first, then layer by layer. Empty if nothing does. */
export function accessText(
  { keyRefused, pausedUntil, layers }: AllowanceStatus,
  now: UpstreamInstant | undefined,
  zone: ClockZone,
): readonly AccessText[] {
  const isPaused = pausedUntil !== undefined && (now === undefined || now < pausedUntil);
  const items: AccessText[] = [];
  if (keyRefused) {
    const sentence = `All layers: ${FAILURES.key_refused.live}; nothing is sent until the key changes`;
    items.push({ key: 'key', tone: 'bad', sentence, recheck: undefined });
  }
  if (isPaused) {
    const sentence = `All layers: the service asked for no requests until ${untilText(pausedUntil, now, zone)}`;
    items.push({ key: 'paused', tone: 'warning', sentence, recheck: undefined });
  }
  for (const layer of LAYER_DISPLAY_ORDER) {
    const access = layers[layer];
    if (!('reason' in access)) continue;
    const { state, reason } = access;
    if ((keyRefused && reason === 'key_refused') || (isPaused && reason === 'allowance_used_up')) continue;
    const sentence = `${LAYER_NAME[layer]}: ${reasonText(reason, access, now, zone)}`;
    const isDenied = state === 'denied';
    items.push({ key: layer, tone: isDenied ? 'bad' : 'warning', sentence, recheck: isDenied ? layer : undefined });
  }
  return items;
}
