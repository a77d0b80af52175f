/** Returns to the current page afterwards. */
export function signInAddress(): string {
  const { pathname, search, hash } = window.location;
  return `/sign-in?next=${encodeURIComponent(`${pathname}${search}${hash}`)}`;
}
