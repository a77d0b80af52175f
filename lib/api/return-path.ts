/**
 * Where to go after sign-in: a path of our own with its query, or the start page for anything else. Other origins in any
 * disguise (`//`, `/\`, control characters, schemes) lead to the start page.
 */
export function returnPath(asked: string | null | undefined): string {
  const own = 'http://own.invalid';
  if (!asked?.startsWith('/') || /[\\\p{Cc}]/u.test(asked) || asked.startsWith('//')) return '/';
  if (!URL.canParse(asked, own)) return '/';
  const target = new URL(asked, own);
  if (target.origin !== own || target.pathname.startsWith('//')) return '/';
  return `${target.pathname}${target.search}${target.hash}`;
}
