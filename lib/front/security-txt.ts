import { DAY_MS } from '#lib/time/time-units.ts';

export const SECURITY_TXT_PATH = '/.well-known/security.txt';
/** The address holds while this is served. RFC 9116 recommends less than a year. */
const EXPIRES_DAYS = 90;

/** RFC 9116. */
export function securityTxt(contact: string, publicOrigin: string | undefined, nowMs: number): string {
  const expires = new Date(nowMs + EXPIRES_DAYS * DAY_MS).toISOString().replace(/\.\d+/, '');
  const lines = [`Contact: ${contact}`, `Expires: ${expires}`, 'Preferred-Languages: en'];
  if (publicOrigin !== undefined) lines.push(`Canonical: ${publicOrigin}${SECURITY_TXT_PATH}`);
  return `${lines.join('\n')}\n`;
}
