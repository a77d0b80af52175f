import 'server-only';
import type { CustomFetch } from 'openid-client';
import { fetch } from 'undici';
import { boundedBody } from '../../upstream/bounded-body.ts';
import { isLoopbackHost } from '../loopback-host.ts';

const ANSWER_MAX_BYTES = 512 * 1024;
const WITHOUT_BODY: ReadonlySet<number> = new Set([101, 204, 205, 304]);

/**
 * Next replaces the global fetch by a caching one.
 * @throws BodyTooLarge; TypeError without an answer, or for an unencrypted address
 */
export const boundedFetch: CustomFetch = async (url, { body, headers, method, signal }) => {
  const { protocol, hostname } = new URL(url);
  if (protocol !== 'https:' && !isLoopbackHost(hostname)) throw new TypeError('requests to the provider need https');
  const answer = await fetch(url, {
    method,
    headers,
    redirect: 'manual',
    ...(body instanceof URLSearchParams || typeof body === 'string' ? { body: String(body) } : {}),
    ...(signal ? { signal } : {}),
  });
  const text = await boundedBody(answer.body ?? noBody(), ANSWER_MAX_BYTES);
  return new Response(WITHOUT_BODY.has(answer.status) ? null : text, {
    status: answer.status,
    headers: [...answer.headers],
  });
};

async function* noBody(): AsyncGenerator<Uint8Array> {}
