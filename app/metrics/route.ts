import { createHash, timingSafeEqual } from 'node:crypto';
import { ApiError } from '#lib/api/error-code.ts';
import { openRoute, refuseMethod } from '#lib/server/routes/route.ts';
import { runtime } from '#lib/server/runtime.ts';

/** Answers 404 without a configured token. */
export const GET = openRoute(async ({ request }) => {
  const { metrics, metricsToken } = runtime();
  if (!metricsToken) throw new ApiError('not_found', 'There is nothing at this address.');
  const [, sent] = /^Bearer (\S+)$/i.exec(request.headers.get('authorization') ?? '') ?? [];
  if (sent === undefined || !timingSafeEqual(sha256(sent), sha256(metricsToken.current().value)))
    throw new ApiError('not_signed_in', 'Send the token of METRICS_TOKEN_FILE as Authorization: Bearer TOKEN.');
  return new Response(await metrics.text(), { headers: { 'content-type': metrics.contentType } });
});

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

export { refuseMethod as DELETE, refuseMethod as PATCH, refuseMethod as POST, refuseMethod as PUT };
