import 'server-only';
import { createECDH, createHash } from 'node:crypto';
import { buildPushPayload } from '@block65/webcrypto-web-push';
import type { PushMessage } from '#lib/api/people/push.ts';
import { alarmLink, briefNotice, type Notice } from '#lib/outputs/notice.ts';
import { epochMs, instantOf, type UpstreamInstant } from '#lib/time/instant.ts';
import { HOUR_MS, SECOND_MS } from '#lib/time/time-units.ts';
import type { Database } from '../../database/database.ts';
import { storedSecret } from '../../sign-in/sessions.ts';
import { post } from './http-post.ts';
import type { Sender, SenderDeps } from './sender.ts';

export interface PushConfig {
  readonly kind: 'push';
  readonly endpoint: string;
  readonly p256dh: string;
  readonly auth: string;
  readonly positions: boolean;
}

/** Browsers bind their subscriptions to the public key, so the pair never changes. */
export async function vapidKeys(database: Database): ReturnType<SenderDeps['vapid']> {
  const privateKey = await storedSecret(database, 'vapid', () => {
    const made = createECDH('prime256v1');
    made.generateKeys();
    return made.getPrivateKey('base64url');
  });
  const pair = createECDH('prime256v1');
  pair.setPrivateKey(privateKey, 'base64url');
  return { publicKey: pair.getPublicKey('base64url'), privateKey };
}

/** A device that was off for longer is not told of old alarms. */
const TTL_S = (4 * HOUR_MS) / SECOND_MS;
/** The push service removed the subscription (RFC 8030, 7.3). */
const GONE: readonly number[] = [404, 410];
/** Encrypted, a message has 4096 bytes whatever its text (RFC 8291, 4), and a character has four at most. */
const TEXT_MAX_LENGTH = 400;

/** Sends encrypted notices to one browser by its push service (RFC 8030, 8291, 8292). */
export function openPush(
  { endpoint, p256dh, auth, positions }: PushConfig,
  { guard, now, vapid, publicOrigin }: Pick<SenderDeps, 'guard' | 'now' | 'vapid' | 'publicOrigin'>,
): Sender {
  const subscription = { endpoint, expirationTime: null, keys: { p256dh, auth } };
  // Apple's service refuses another scheme.
  const subject = publicOrigin?.startsWith('https:') ? publicOrigin : 'https://lookout.invalid';
  return {
    async send(notice, signal) {
      const message = pushMessage(notice, positions, now());
      const topic = createHash('sha256').update(message.tag).digest('base64url').slice(0, 32);
      const { body, headers } = await buildPushPayload(
        { data: { ...message }, options: { ttl: TTL_S, urgency: 'high', topic } },
        subscription,
        { subject, ...(await vapid()) },
      );
      await post(endpoint, body, headers, guard, signal, { goneAt: GONE });
    },
    close: async () => undefined,
  };
}

/** Later notices about an alarm replace the earlier one, also while the device is off. */
function pushMessage(notice: Notice, positions: boolean, now: UpstreamInstant): PushMessage {
  const { id, at, alarms, type, zoneCentres } = notice;
  const { title, body } = briefNotice(notice, positions);
  const [first] = alarms;
  const isOne = first !== undefined && type !== 'summary';
  const cut = (text: string) => [...text].slice(0, TEXT_MAX_LENGTH).join('');
  return {
    title: cut(title),
    body: cut(body),
    tag: isOne ? first.id : id,
    path: first ? alarmLink('', first, now, positions ? undefined : (zoneCentres.get(first.zone.id) ?? null)) : '/',
    at: epochMs(first ? instantOf(first.opened_at) : at),
  };
}
