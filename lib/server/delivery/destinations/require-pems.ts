import 'server-only';
import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { ApiError } from '#lib/api/error-code.ts';
import type { DestinationConfig } from '#lib/api/outputs/destinations.ts';

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g;
const PRIVATE_KEY = /-----BEGIN [A-Z ]*PRIVATE KEY-----/;

/** @param keyPem of a client certificate @throws ApiError with the fields that cannot be read */
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
  if (config.kind === 'cot') {
    let certificate: X509Certificate | undefined;
    check('config.certificate_pem', () => {
      [certificate] = certificatesIn(config.certificate_pem);
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

/** Node.js takes an authority that cannot be read for none. */
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
