import 'server-only';
import { createPrivateKey, type KeyObject, randomBytes, X509Certificate } from 'node:crypto';
import { ApiError } from '#lib/api/error-code.ts';
import { type DestinationConfig, kindRow, movesSecret, secretPlaceOf } from '#lib/api/outputs/destination-kinds.ts';

/**
 * The secrets that a destination has after it was added or changed. A secret never moves to another server, to one that
 * proves less, or into clear text: the admin must type it again.
 * @param before the destination before its change, whose secrets stay where `secret` is absent
 * @returns `made`: the secret that Lookout made
 * @throws ApiError for a secret that cannot sign, or that must be given again
 */
export function secretsFor(
  config: DestinationConfig,
  secret: string | null | undefined,
  before?: { readonly config: DestinationConfig; readonly secrets: readonly string[] },
): { readonly secrets: readonly string[]; readonly made: string | null } {
  const kept = before?.secrets ?? [];
  const isMoved = before !== undefined && kept.length > 0 && movesSecret(before.config, config);
  const signs = kindRow(config).secret?.isMade === true;
  if (secret === undefined && isMoved) {
    const from = secretPlaceOf(before.config).text;
    const to = secretPlaceOf(config).text;
    const where = from === to ? `another authority or name for ${to}` : `${to} in place of ${from}`;
    const newSecret = signs ? ', or null for a new one' : '';
    throw new ApiError('bad_body', `secret: give it again${newSecret}: it would go to ${where}.`);
  }
  if (signs && (before === undefined || isMoved) && (secret ?? undefined) === undefined) {
    const made = newWebhookSecret();
    return { secrets: [made], made };
  }
  if (secret === undefined) return { secrets: kept, made: null };
  if (secret === null) {
    if (signs) throw new ApiError('bad_body', 'secret: a webhook signs with one.');
    return { secrets: [], made: null };
  }
  if (signs) requireWebhookSecret(secret);
  return { secrets: [secret], made: null };
}

const PREFIX = 'whsec_';
/** The bounds of Standard Webhooks. */
const BYTES = { least: 24, most: 64, made: 32 } as const;

export function newWebhookSecret(): string {
  return PREFIX + randomBytes(BYTES.made).toString('base64');
}

/** @throws ApiError for a secret that cannot sign */
function requireWebhookSecret(text: string): void {
  const base64 = text.startsWith(PREFIX) ? text.slice(PREFIX.length) : '';
  const { length } = Buffer.from(base64, 'base64');
  const isCanonical = /^[A-Za-z0-9+/]+={0,2}$/.test(base64) && base64.length % 4 === 0;
  if (!isCanonical || length < BYTES.least || length > BYTES.most)
    throw new ApiError(
      'bad_body',
      `secret: must be ${PREFIX} and ${BYTES.least} to ${BYTES.most} random bytes in base64; leave it out, and Lookout makes one.`,
    );
}

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g;
const PRIVATE_KEY = /-----BEGIN [A-Z ]*PRIVATE KEY-----/;

/** Checks all certificates and keys. @param keyPem of a client certificate @throws ApiError with the fields that cannot be read */
export function requirePems(config: DestinationConfig, keyPem: string | undefined): void {
  const problems: string[] = [];
  const check = (field: string, run: () => void) => {
    try {
      run();
    } catch (error) {
      if (!(error instanceof PemProblem)) throw error;
      problems.push(`${field}: ${error.message}`);
    }
  };
  if ('ca_pem' in config && config.ca_pem !== '') check('config.ca_pem', () => certificatesIn(config.ca_pem));
  const field = kindRow(config).secret?.certificate;
  if (field !== undefined) {
    const pem = String((config as Readonly<Record<string, unknown>>)[field]);
    let certificate: X509Certificate | undefined;
    check(`config.${field}`, () => {
      [certificate] = certificatesIn(pem);
    });
    check('secret', () => {
      const key = keyIn(keyPem);
      if (certificate && !certificate.checkPrivateKey(key))
        throw new PemProblem('is not the key of the client certificate');
    });
  }
  if (problems.length > 0) throw new ApiError('bad_body', problems.join('; '));
}

class PemProblem extends Error {}

/** Node.js ignores an authority that it cannot read. */
function certificatesIn(pem: string): readonly X509Certificate[] {
  if (PRIVATE_KEY.test(pem)) throw new PemProblem('must contain no private key, because answers would show it');
  const blocks = pem.match(CERTIFICATE) ?? [];
  if (blocks.length === 0) throw new PemProblem('must contain a certificate as PEM');
  return blocks.map((block) => {
    try {
      return new X509Certificate(block);
    } catch {
      throw new PemProblem('contains a certificate that cannot be read');
    }
  });
}

function keyIn(pem: string | undefined): KeyObject {
  if (pem === undefined) throw new PemProblem('must be the key of the client certificate');
  try {
    return createPrivateKey(pem);
  } catch {
    throw new PemProblem('must be a key as PEM without a passphrase');
  }
}
