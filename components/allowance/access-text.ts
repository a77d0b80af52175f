import { FAILURES } from '#lib/api/layer-reason.ts';
import { LAYER_DISPLAY_ORDER } from '#lib/client/display/layer-display-order.ts';
import { LAYER_NAME } from '#lib/client/display/layer-text.ts';
import type { AllowanceStatus } from '#lib/client/status/allowance-status.ts';
import type { ClockZone } from '#lib/model/clock-text.ts';
import type { Layer } from '#lib/model/position.ts';
import type { UpstreamInstant } from '#lib/time/instant.ts';
import { reasonText, untilText } from './until-text.ts';

export interface AccessText {
  /** The same for as long as it is the same trouble. */
  readonly key: string;
  readonly tone: 'warning' | 'bad';
  readonly sentence: string;
  /** The layer that an operator can have checked again now. */
  readonly recheck: Layer | undefined;
}

/** What keeps Lookout from asking, for everything first and then by layer; nothing where all is in order. */
export function accessText(
  { keyRefused, pausedUntil, layers }: AllowanceStatus,
  now: UpstreamInstant | undefined,
  zone: ClockZone,
): readonly AccessText[] {
  const isPaused = pausedUntil !== undefined && (now === undefined || now < pausedUntil);
  const words: AccessText[] = [];
  if (keyRefused) {
    const sentence = `All layers: ${FAILURES.key_refused.live}; nothing is sent until the key changes`;
    words.push({ key: 'key', tone: 'bad', sentence, recheck: undefined });
  }
  if (isPaused) {
    const sentence = `All layers: the service wants no request until ${untilText(pausedUntil, now, zone)}`;
    words.push({ key: 'held', tone: 'warning', sentence, recheck: undefined });
  }
  for (const layer of LAYER_DISPLAY_ORDER) {
    const standing = layers[layer];
    if (!('reason' in standing)) continue;
    const { state, reason } = standing;
    if ((keyRefused && reason === 'key_refused') || (isPaused && reason === 'allowance_used_up')) continue;
    const sentence = `${LAYER_NAME[layer]}: ${reasonText(reason, standing, now, zone)}`;
    const isDenied = state === 'denied';
    words.push({ key: layer, tone: isDenied ? 'bad' : 'warning', sentence, recheck: isDenied ? layer : undefined });
  }
  return words;
}
