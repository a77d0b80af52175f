import { readUrl } from '../read-url.ts';

/** From the front to the sign-in page, whose own address is the same for all visitors. */
export const RETURN_PATH_HEADER = 'x-lookout-return';

/**
 * A path on this origin. Another origin in any disguise (`//`, `/\`, control characters, schemes) becomes the start
 * page.
 */
export function returnPath(requested: string | null | undefined): string {
  const own = 'http://own.invalid';
  if (!requested?.startsWith('/') || /[\\\p{Cc}]/u.test(requested) || requested.startsWith('//')) return '/';
  const target = readUrl(requested, own);
  if (target?.origin !== own || target.pathname.startsWith('//')) return '/';
  return `${target.pathname}${target.search}${target.hash}`;
}
