import { FAILURES } from '#lib/api/layer-reason.ts';
import { LAYER_DISPLAY_ORDER, LAYER_NAME } from '#lib/client/display/layer-text.ts';
import type { AllowanceStatus } from '#lib/client/status/allowance-status.ts';
import type { ClockZone } from '#lib/model/clock-text.ts';
import type { Layer } from '#lib/model/position.ts';
import type { UpstreamInstant } from '#lib/time/instant.ts';
import { reasonText, untilText } from './until-text.ts';

export type Rechecked = Layer | 'account';

export interface AccessText {
  /** Stable while the problem lasts. */
  readonly key: string;
  readonly tone: 'warning' | 'bad';
  readonly sentence: string;
  readonly recheck: Rechecked | undefined;
}

/** Problems of all layers first, then layer by layer. */
export function whyNoRequestsText(
  { keyRefused, pausedUntil, usedUpUntil, layers }: AllowanceStatus,
  now: UpstreamInstant | undefined,
  zone: ClockZone,
): readonly AccessText[] {
  const isPaused = pausedUntil !== undefined && (now === undefined || now < pausedUntil);
  const items: AccessText[] = [];
  if (keyRefused) {
    const sentence = `All layers: ${FAILURES.key_refused.live}; one request an hour tries it again`;
    items.push({ key: 'key', tone: 'bad', sentence, recheck: 'account' });
  }
  if (isPaused) {
    const sentence = `All layers: the service asked for no requests until ${untilText(pausedUntil, now, zone)}`;
    items.push({ key: 'paused', tone: 'warning', sentence, recheck: undefined });
  } else if (usedUpUntil !== undefined) {
    const isAhead = now === undefined || now < usedUpUntil;
    const next = isAhead ? `one request checks this at ${untilText(usedUpUntil, now, zone)}` : 'being checked now';
    const sentence = `All layers: the service reports that today’s allowance is used up; ${next}`;
    items.push({ key: 'used-up', tone: 'warning', sentence, recheck: 'account' });
  }
  for (const layer of LAYER_DISPLAY_ORDER) {
    const access = layers[layer];
    if (!('reason' in access)) continue;
    const { state, reason } = access;
    if (
      (keyRefused && reason === 'key_refused') ||
      ((isPaused || usedUpUntil !== undefined) && reason === 'allowance_used_up')
    )
      continue;
    const sentence = `${LAYER_NAME[layer]}: ${reasonText(reason, access, now, zone)}`;
    const isDenied = state === 'denied';
    items.push({ key: layer, tone: isDenied ? 'bad' : 'warning', sentence, recheck: isDenied ? layer : undefined });
  }
  return items;
}
