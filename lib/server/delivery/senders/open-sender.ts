import 'server-only';
import type { DestinationConfig, DestinationKind } from '#lib/api/outputs/destinations.ts';
import type { Sender, SenderDeps } from './sender.ts';

/** @param secrets the newest first */
type Opens = (config: DestinationConfig, secrets: readonly string[], deps: SenderDeps) => Sender;

const SENDERS: Partial<Record<DestinationKind, Opens>> = {};

/** @returns `undefined` for a kind that takes no notices */
export function openSender(
  config: DestinationConfig,
  secrets: readonly string[],
  deps: SenderDeps,
): Sender | undefined {
  return SENDERS[config.kind]?.(config, secrets, deps);
}
