import 'server-only';
import type { ConfigOf } from '#lib/api/outputs/destination-kinds.ts';
import { type Notice, noticeTags, noticeText } from '#lib/outputs/notice.ts';
import type { UpstreamInstant } from '#lib/time/instant.ts';
import { post } from './http-post.ts';
import { type Sender, type SenderDeps, SendFailure } from './sender.ts';

/** ntfy makes an attachment of a longer message. */
const MESSAGE_MAX_BYTES = 4096;

/** Publishes to a topic of ntfy. @param token '': none */
export function openNtfy(
  config: ConfigOf<'ntfy'>,
  token: string,
  { guard, now }: Pick<SenderDeps, 'guard' | 'now'>,
): Sender {
  const { root, topic } = placeOf(config.url);
  const headers = {
    'content-type': 'application/json',
    ...(token !== '' && { authorization: `Bearer ${token}` }),
  };
  return {
    async send(notice, signal) {
      const body = JSON.stringify({ topic, priority: config.priority, ...messageOf(notice, now()) });
      requirePublished(await post(root, body, headers, guard, signal));
    },
    close: async () => undefined,
  };
}

/** ntfy answers with the message that it published. @throws SendFailure */
function requirePublished(answer: string): void {
  try {
    if (typeof JSON.parse(answer).id === 'string') return;
  } catch {
    // ntfy answers JSON, so another program answered.
  }
  throw new SendFailure('failed', 'It answered, but not as ntfy does: no id of a published message.');
}

/** JSON is posted to the root of the server, whose headers then contain nothing of a notice. */
function placeOf(url: string): { readonly root: string; readonly topic: string } {
  const { origin, pathname } = new URL(url);
  const parts = pathname.split('/').filter((part) => part !== '');
  return { root: [origin, ...parts.slice(0, -1), ''].join('/'), topic: parts.at(-1) ?? '' };
}

function messageOf(notice: Notice, now: UpstreamInstant) {
  const { title, body } = noticeText(notice, now);
  return {
    title,
    message: shortened(body),
    tags: ['lookout', ...noticeTags(notice)],
    ...(notice.link !== null && { click: notice.link }),
    // Since ntfy 2.16, a repeated id replaces the notification; before, it is shown again.
    sequence_id: notice.id,
  };
}

function shortened(text: string): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= MESSAGE_MAX_BYTES) return text;
  // A cut character becomes U+FFFD.
  const start = bytes.subarray(0, MESSAGE_MAX_BYTES - 10).toString();
  return `${start.slice(0, start.lastIndexOf('\n'))}\n…`;
}
