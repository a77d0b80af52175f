import { type UpstreamInstant, upstreamInstant } from '#lib/time/instant.ts';

/** By this machine's clock. */
export function serviceNow(): UpstreamInstant {
  return upstreamInstant(Date.now());
}
