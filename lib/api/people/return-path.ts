/** Header in which the front gives the sign-in page the path to continue at: the page's own address is the same for all visitors. */
export const RETURN_PATH_HEADER = 'x-lookout-return';

/**
 * Where to go after sign-in: a path on this origin with its query and fragment. Anything else, such as another origin in any
 * disguise (`//`, `/\`, control characters, schemes), is replaced by the start page.
 */
export function returnPath(requested: string | null | undefined): string {
  const own = 'http://own.invalid';
  if (!requested?.startsWith('/') || /[\\\p{Cc}]/u.test(requested) || requested.startsWith('//')) return '/';
  if (!URL.canParse(requested, own)) return '/';
  const target = new URL(requested, own);
  if (target.origin !== own || target.pathname.startsWith('//')) return '/';
  return `${target.pathname}${target.search}${target.hash}`;
}
