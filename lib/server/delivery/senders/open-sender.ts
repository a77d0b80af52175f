import 'server-only';
import type { DestinationConfig } from '#lib/api/outputs/destinations.ts';
import type { Sender, SenderDeps } from './sender.ts';
import { openWebhook } from './webhook-sender.ts';

/** @param secrets the newest first @returns `undefined` for a kind that takes no notices */
export function openSender(
  config: DestinationConfig,
  secrets: readonly string[],
  deps: SenderDeps,
): Sender | undefined {
  switch (config.kind) {
    case 'webhook':
      return openWebhook(config, secrets, deps);
    default:
      return undefined;
  }
}
