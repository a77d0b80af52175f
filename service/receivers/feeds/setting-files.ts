import { X509Certificate } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import type { FeedSettings } from './feed-settings.ts';
import { connectionProblem } from './transports/connection-problem.ts';

export async function settingFileProblems(feeds: readonly FeedSettings[]): Promise<string[]> {
  const checked = feeds.map(async ({ passwordFile, caFile }, index) => [
    ...(await fileProblems(`feeds[${index}].password_file`, passwordFile, passwordProblem)),
    ...(await fileProblems(`feeds[${index}].ca_file`, caFile, certificatesProblem)),
  ]);
  return (await Promise.all(checked)).flat();
}

async function fileProblems(
  setting: string,
  path: string | undefined,
  problemOf: (text: string) => string | undefined,
): Promise<string[]> {
  if (path === undefined) return [];
  try {
    // Reading a pipe would block.
    if (!(await stat(path)).isFile()) return [`${setting}: ${path} is not a file`];
    const problem = problemOf(await readFile(path, 'utf8'));
    return problem === undefined ? [] : [`${setting}: ${path} ${problem}`];
  } catch (error) {
    return [`${setting}: ${path} cannot be read: ${connectionProblem(error)}`];
  }
}

function passwordProblem(text: string): string | undefined {
  const password = text.trim();
  if (password === '') return 'is empty: write the password into it';
  return /[\r\n]/.test(password) ? 'has several lines: write the password alone' : undefined;
}

const CERTIFICATE = /-----BEGIN (?:X509 |TRUSTED )?CERTIFICATE-----[^-]*-----END (?:X509 |TRUSTED )?CERTIFICATE-----/g;

function certificatesProblem(text: string): string | undefined {
  const certificates = text.match(CERTIFICATE) ?? [];
  if (certificates.length === 0) return 'has no certificate in PEM: it begins with -----BEGIN CERTIFICATE-----';
  return certificates.every(isCertificate) ? undefined : 'has a certificate that cannot be read';
}

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).subject !== undefined;
  } catch {
    return false;
  }
}
