import 'server-only';
import type { StoredDestination } from '../destinations/destination-row.ts';
import { openCot } from './cot/open-cot.ts';
import { openMail } from './mail/mail.ts';
import { openMqtt } from './mqtt/mqtt.ts';
import { openNtfy } from './ntfy.ts';
import type { Sender, SenderDeps } from './sender.ts';
import { openWebhook } from './webhook-sender.ts';

/** @returns `undefined` for a kind that takes no notices */
export function openSender(
  { id, config, secrets }: Pick<StoredDestination, 'id' | 'config' | 'secrets'>,
  deps: SenderDeps,
): Sender | undefined {
  const [secret = ''] = secrets;
  switch (config.kind) {
    case 'webhook':
      return openWebhook(config, secrets, deps);
    case 'ntfy':
      return openNtfy(config, secret, deps);
    case 'mail':
      return openMail(config, secret, deps);
    case 'mqtt':
      return openMqtt(id, config, secret, deps);
    case 'cot':
      return openCot(config, secret, deps);
    default:
      return undefined;
  }
}
