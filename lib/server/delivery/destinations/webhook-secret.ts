import 'server-only';
import { randomBytes } from 'node:crypto';
import { ApiError } from '#lib/api/error-code.ts';

const PREFIX = 'whsec_';
/** Of Standard Webhooks. */
const BYTES = { least: 24, most: 64, made: 32 } as const;

export function newWebhookSecret(): string {
  return PREFIX + randomBytes(BYTES.made).toString('base64');
}

/** @throws ApiError */
export function requireSecret(text: string): void {
  const base64 = text.startsWith(PREFIX) ? text.slice(PREFIX.length) : '';
  const { length } = Buffer.from(base64, 'base64');
  const isCanonical = /^[A-Za-z0-9+/]+={0,2}$/.test(base64) && base64.length % 4 === 0;
  if (!isCanonical || length < BYTES.least || length > BYTES.most)
    throw new ApiError(
      'bad_body',
      `secret: must be ${PREFIX} and ${BYTES.least} to ${BYTES.most} random bytes in base64; leave it out, and Lookout makes one.`,
    );
}
