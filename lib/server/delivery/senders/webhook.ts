import 'server-only';
import { Webhook } from 'standardwebhooks';
import type { ConfigOf } from '#lib/api/outputs/destination-kinds.ts';
import { type Notice, noticeText, placedAlarms } from '#lib/outputs/notice.ts';
import { formatInstant, type UpstreamInstant } from '#lib/time/instant.ts';
import { post } from './http-post.ts';
import type { Sender, SenderDeps } from './sender.ts';

/** A receiver that does not know a version refuses it. */
const VERSION = 'v1';

/** Posts signed CloudEvents (Standard Webhooks). @param secrets the newest first: each signs */
export function openWebhook(
  { url }: ConfigOf<'webhook'>,
  secrets: readonly string[],
  { guard, now, publicOrigin }: Pick<SenderDeps, 'guard' | 'now' | 'publicOrigin'>,
): Sender {
  const signers = secrets.map((secret) => new Webhook(secret));
  return {
    async send(notice, signal) {
      const body = JSON.stringify(cloudEvent(notice, publicOrigin ?? 'lookout', now()));
      // Receivers compare the time with their own clocks.
      const at = new Date();
      const headers = {
        'content-type': 'application/cloudevents+json',
        'webhook-id': notice.id,
        'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
        'webhook-signature': signers.map((signer) => signer.sign(notice.id, at, body)).join(' '),
      };
      await post(url, body, headers, guard, signal);
    },
    close: async () => undefined,
  };
}

function cloudEvent(notice: Notice, source: string, now: UpstreamInstant) {
  const { id, type, at, alarms, receiver, more, zones, link } = notice;
  const [first] = alarms;
  return {
    specversion: '1.0',
    id,
    source,
    type: receiver ? `lookout.receiver.${VERSION}` : `lookout.alarm.${type}.${VERSION}`,
    time: formatInstant(at),
    ...(first && { subject: first.id }),
    datacontenttype: 'application/json',
    data: {
      ...noticeText(notice, now),
      alarms: placedAlarms(notice),
      ...(receiver && { receiver }),
      more,
      zones,
      link,
      trial: type === 'trial',
      simulated: alarms.some(({ simulated }) => simulated),
      test: alarms.some(({ test }) => test),
    },
  };
}
